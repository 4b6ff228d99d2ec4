#include "task_scope.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "current_worker.hpp"
#include "runtime.hpp"
#include "several_levels.hpp"

namespace pilfer::detail {

using orders = task_scope_orders;

void use_stopping() noexcept { stopping_is_used.store(1, orders::stop.rel); }

struct task_scope::links {
  using link = std::stop_callback<std::function<void()>>;
  std::optional<link> from_outer;
  std::optional<link> from_parent;
  std::optional<link> from_home;
  std::optional<link> from_maker;
};

namespace {

run_id current_run(const worker* self) noexcept {
  if (self == nullptr || self->depth == 0) return {};
  return {self->index, self->depth - 1, self->runs[self->depth - 1].serial()};
}

}  // namespace

task_scope::task_scope(runtime& s, const worker* maker, std::stop_token outer, bool stop_on_error) noexcept
    : home(s),
      made_in(current_run(maker)),
      parent_(maker != nullptr ? maker->scope : nullptr),
      outer_(std::move(outer)),
      home_stop_(parent_ == nullptr || &parent_->home != &s ? s.stop.token_for(this) : std::stop_token()),
      maker_stop_(parent_ == nullptr && maker != nullptr && &maker->home != &s ? maker->home.stop.token_for(this)
                                                                               : std::stop_token()),
      stop_on_error_(stop_on_error),
      may_have_ledgers_(s.ready->levels() == 1),
      ledgers_(left, may_have_ledgers_ && maker != nullptr && &maker->home == &s ? maker : nullptr) {
  if (parent_ != nullptr) parent_->uses_.fetch_add(1, orders::relaxed);  // the caller's task keeps it alive
  if (outer_.stop_possible()) use_stopping();
}

task_scope::~task_scope() {
  ledgers_.end([this](const auto& had) { take_over(had); });
  drop_claimed();  // the last wait may have been over before it came across these
  links_.reset();
  if (parent_ != nullptr) parent_->release();
}

task_scope* task_scope::make(runtime& home, std::stop_token outer, bool stop_on_error) {
  static_assert(sizeof(task_scope) <= most_block_bytes, "a group is made of a worker's own memory");
  void* const room = allocate_task(sizeof(task_scope), alignof(task_scope));
  if (room == nullptr) throw std::bad_alloc();
  return ::new (room) task_scope(home, current_worker(), std::move(outer), stop_on_error);
}

void task_scope::release() noexcept {
  if (uses_.fetch_add(0U - 1, ext::both(orders::last.acq, orders::last.rel)) != 1) return;
  this->~task_scope();
  free_task(this, sizeof(task_scope), alignof(task_scope));
}

void task_scope::admit_otherwise(spawned_job& fresh, worker* by) noexcept {
  const bool may_be_in_ledger = may_have_ledgers_ && by != nullptr && &by->home == &home && !fresh.has_future();
  if (may_be_in_ledger) {
    if (ledger* const own = ledgers_.other(*by); own != nullptr && own->spawn(fresh)) return;
  }
  left.add();
  const std::lock_guard lock(left.mutex());
  enlist(fresh, by);
  if (may_be_in_ledger) ledgers_.note_spawn(*by, sharers_ == 0);
}

void task_scope::unlink_from_other(spawned_job& claimed, const worker& by) noexcept {
  if (ledger* const own = ledgers_.other(by); own != nullptr && own->unlink(claimed)) claimed.leave_ledger();
}

void task_scope::finish_otherwise(const worker* by) noexcept {
  ledger* const own = by != nullptr ? ledgers_.other(*by) : nullptr;
  if (own == nullptr || !own->finish()) left.finish();
}

void task_scope::enlist(spawned_job& fresh, worker* by) noexcept {
  const unsigned level = fresh.first_level();
  const unsigned lifted = lifted_.load(orders::relaxed);  // under the lock
  if (level > lifted) {
    fresh.set_level(lifted);
    if (by != nullptr) by->counts.lifted.add();
  }
  spawned_job*& newest = newest_[level];
  fresh.newer.set(nullptr);
  fresh.older.set(newest);
  if (newest != nullptr) {
    newest->newer.set(&fresh);
  } else {
    listed_.store((waiting_levels() | level_set::of(level)).bits(), orders::relaxed);  // hint
  }
  newest = &fresh;
}

void task_scope::unlink_locked(spawned_job& each) noexcept {
  spawned_job* const older = each.older.get();
  spawned_job* const newer = each.newer.get();
  if (older != nullptr) older->newer.set(newer);
  if (newer != nullptr) {
    newer->older.set(older);
    return;
  }
  const unsigned level = each.first_level();
  newest_[level] = older;
  if (older == nullptr) {
    listed_.store(waiting_levels().without(level).bits(), orders::relaxed);  // hint
  }
}

void task_scope::unlink_locked_out(spawned_job& claimed) noexcept {
  const std::lock_guard lock(left.mutex());
  unlink_locked(claimed);
}

spawned_job* task_scope::take_newest(const worker& self) noexcept {
  if (ledger* const own = ledger_of(&self)) {
    if (spawned_job* const newest = own->take_newest()) return newest;
  }
  if (waiting_levels().empty()) return nullptr;
  const std::lock_guard lock(left.mutex());
  for (const unsigned level : waiting_levels()) {
    for (spawned_job* each = newest_[level]; each != nullptr;) {
      spawned_job* const older = each->older.get();
      const bool is_mine = each->try_mark();
      const bool is_left = was_in_ledger(*each);
      if (is_mine || is_left) unlink_locked(*each);  // otherwise it is claimed, and about to be unlinked
      if (is_left) each->end_listed();
      if (is_mine) return each;
      each = older;
    }
  }
  return nullptr;
}

bool task_scope::has_unclaimed() noexcept {
  const std::lock_guard lock(left.mutex());
  for (const unsigned level : waiting_levels()) {
    for (spawned_job* each = newest_[level]; each != nullptr;) {
      if (!each->is_claimed()) return true;
      spawned_job* const older = each->older.get();
      if (was_in_ledger(*each)) {
        unlink_locked(*each);
        each->end_listed();
      }
      each = older;
    }
  }
  return false;
}

// Under the lock. In front of what is listed already.
void task_scope::take_over(const all_ledgers::contents& had) noexcept {
  spawned_job*& newest = newest_[0];
  had.oldest->older.set(newest);
  if (newest != nullptr) newest->newer.set(had.oldest);
  newest = had.newest;
  listed_.store((waiting_levels() | level_set::of(0)).bits(), orders::relaxed);  // hint
}

void task_scope::drop_claimed() noexcept {
  for (spawned_job* each = newest_[0]; each != nullptr;) {
    spawned_job* const older = each->older.get();
    if (each->is_claimed() && was_in_ledger(*each)) {
      unlink_locked(*each);
      each->end_listed();
    }
    each = older;
  }
}

void task_scope::collect(const worker& self) noexcept {
  std::uint32_t credits = 0;
  {
    const std::lock_guard lock(left.mutex());
    credits = ledgers_.close(&self, [this](const auto& had) { take_over(had); });
    if (sharers_ == 0) ledgers_.open_own(self);
  }
  if (credits != 0) left.finish(credits);
}

task_scope::sharing::sharing(task_scope& group, const worker* self) noexcept : group_(group), self_(self) {
  std::uint32_t credits = 0;
  {
    const std::lock_guard lock(group.left.mutex());
    ++group.sharers_;
    credits = group.ledgers_.close(self, [this](const auto& had) {
      group_.take_over(had);
      has_found_some_ = true;
    });
  }
  if (credits != 0) group.left.finish(credits);
}

task_scope::sharing::~sharing() {
  const std::lock_guard lock(group_.left.mutex());
  if (--group_.sharers_ == 0 && self_ != nullptr) group_.ledgers_.open_own(*self_);
  // Tasks that were in a ledger and have been stolen stay in the list. Waits with limits come often, and the list may be long.
  constexpr unsigned most_shared = 64;
  if (!group_.left.is_done() && ++group_.shared_ != most_shared) return;
  group_.shared_ = 0;
  group_.drop_claimed();
}

void task_scope::tidy(const worker& self) noexcept {
  if (ledger* const own = ledger_of(&self)) own->drop_claimed();
  if (!may_have_ledgers_ || waiting_levels().empty()) return;
  const std::lock_guard lock(left.mutex());
  drop_claimed();
}

bool task_scope::is_done(const worker* self) noexcept {
  if (left.is_done()) return true;
  if (self != nullptr) settle(*self);
  if (!left.is_done() && unfinished() == 0) {
    const sharing here(*this, self);
  }
  return left.is_done();
}

std::size_t task_scope::unfinished() const noexcept {
  const std::size_t credits = ledgers_.credits();
  const std::size_t all = left.unfinished();
  return all - std::min(all, credits);
}

run_id task_scope::some_run(unsigned turn) const noexcept {
  std::uint64_t found = hint_.load(orders::relaxed);  // hint
  unsigned noted = found != 0 ? 1 : 0;
  ledgers_.each([&](const ledger& one) {
    const std::uint64_t note = one.note();
    if (note != 0 && turn % ++noted == 0) found = note;
  });
  return run_id(found);
}

void task_scope::lift(level_waits& rules, worker& self, unsigned level) noexcept {
  const std::lock_guard lock(left.mutex());
  if (lifted_.load(orders::relaxed) <= level) return;  // under the lock
  lifted_.store(level, orders::relaxed);               // hint; under the lock
  for (unsigned lower = level + 1; lower < most_levels; ++lower) {
    spawned_job* each = newest_[lower];
    while (each != nullptr && each->older.get() != nullptr) each = each->older.get();
    for (; each != nullptr; each = each->newer.get()) {  // so that the newest is on top again
      if (each->is_claimed() || each->level() <= level) continue;
      rules.raise(self, *each, level);
    }
  }
}

void task_scope::end_lift() noexcept {
  const std::lock_guard lock(left.mutex());
  lifted_.store(most_levels, orders::relaxed);  // hint; under the lock
}

unsigned task_scope::lifted_level() const noexcept {
  unsigned level = most_levels;
  for (const task_scope* each = this; each != nullptr; each = each->parent_) {
    if (&each->home == &home) level = std::min(level, each->lifted_.load(orders::relaxed));  // hint
  }
  return level;
}

void task_scope::keep_error(std::exception_ptr error) noexcept {
  {
    const std::lock_guard lock(left.mutex());
    mixed_.store(1, orders::relaxed);  // carried by left
    if (!round_.errors.empty()) {
      if (worker* const self = current_worker()) self->counts.suppressed.add();
    }
    try {
      round_.errors.push_back(std::move(error));
    } catch (const std::exception&) {  // no memory for it
      ++round_.unkept;
    }
  }
  if (stop_on_error_) request_stop();  // after the error is kept: what the others throw because of it comes later
}

bool task_scope::end_round(std::uint64_t begun) noexcept {
  if (mixed_.load(orders::relaxed) == 0) return false;  // carried by left
  const std::lock_guard lock(left.mutex());
  round_.cancelled = cancelled_.exchange(0, orders::relaxed);      // carried by left
  if (round_.is_clean() && begun != round_number()) return false;  // another one has waited, too, and has the errors
  number_.fetch_add(1, orders::relaxed);                           // under the lock
  last_ = std::exchange(round_, summary());
  if (last_.is_clean()) mixed_.store(0, orders::relaxed);  // under the lock: what comes now sets it again
  return !last_.errors.empty() || last_.unkept != 0;
}

task_scope::summary task_scope::last_round() {
  const std::lock_guard lock(left.mutex());
  return last_;
}
task_scope::counts task_scope::count_last_round() noexcept {
  if (mixed_.load(orders::relaxed) == 0) return {};  // carried by left
  const std::lock_guard lock(left.mutex());
  return {.failed = last_.errors.size() + last_.unkept, .cancelled = last_.cancelled};
}
std::exception_ptr task_scope::first_error() noexcept {
  const std::lock_guard lock(left.mutex());
  return last_.errors.empty() ? nullptr : last_.errors.front();
}

bool task_scope::request_stop() noexcept {
  use_stopping();
  const bool before = is_stopped();
  if (stopped_.exchange(1, ext::both(orders::stop.acq, orders::stop.rel)) != 0) return false;
  std::stop_source found{std::nostopstate};
  {
    const std::lock_guard lock(left.mutex());
    found = source_;
  }
  found.request_stop();
  return !before;
}

bool task_scope::is_stopped() const noexcept {
  if (!is_stopping_used()) return false;
  for (const task_scope* each = this; each != nullptr; each = each->parent_) {
    if (each->stopped_.load(orders::stop.acq) != 0 || each->outer_.stop_requested() ||
        each->home_stop_.stop_requested() || each->maker_stop_.stop_requested()) {
      return true;
    }
  }
  return false;
}

// A stop of the parent's, of its pools or of the token it was given, is one of its own.
std::stop_source task_scope::source() {
  {
    const std::lock_guard lock(left.mutex());
    if (source_.stop_possible()) return source_;
  }
  std::stop_source fresh;
  auto connections = std::make_unique<links>();
  const std::stop_token above = parent_ != nullptr ? parent_->token() : std::stop_token();
  {
    const std::lock_guard lock(left.mutex());
    if (source_.stop_possible()) return source_;
    source_ = fresh;
    links_ = std::move(connections);
  }
  // Not under the lock: a callback may run at once.
  const auto stop = [source = fresh]() mutable { source.request_stop(); };
  if (outer_.stop_possible()) links_->from_outer.emplace(outer_, stop);
  if (above.stop_possible()) links_->from_parent.emplace(above, stop);
  if (home_stop_.stop_possible()) links_->from_home.emplace(home_stop_, stop);
  if (maker_stop_.stop_possible()) links_->from_maker.emplace(maker_stop_, stop);
  if (stopped_.load(orders::stop.acq) != 0) fresh.request_stop();
  return fresh;
}

std::stop_token task_scope::token() { return source().get_token(); }

}  // namespace pilfer::detail
