#include "rest.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "../sync/stack_room.hpp"
#include "current_worker.hpp"
#include "runtime.hpp"

namespace pilfer::detail {

namespace {

thread_local constinit held_place* innermost_place = nullptr;

using vacated = pool_places::vacated;

// A worker that the thread has entered twice comes once.
template <class F>
void for_each_own_worker(F&& f) noexcept {
  for (const held_place* each = innermost_place; each != nullptr; each = each->outer) {
    const held_place* inner = innermost_place;
    while (inner != each && inner->self != each->self) inner = inner->outer;
    if (inner == each) f(*each->self);
  }
}

std::chrono::nanoseconds shorter(std::chrono::nanoseconds a, std::chrono::nanoseconds b) noexcept {
  if (a.count() < 0) return b;
  return b.count() < 0 ? a : std::min(a, b);
}

// No wait can end with an error, and the option forbids to run anything else.
void tell_of_standstill(runtime& pool) noexcept {
  if (!pool.places.tells_of_standstill()) return;
  try {
    std::fprintf(stderr,
                 "pilfer: all threads of this pool wait, and none may run what is left (pool_options::strangers)\n%s",
                 pool.describe().c_str());
  } catch (const std::bad_alloc&) {
    return;
  }
}

constexpr std::chrono::milliseconds nap_beside_busy_ms{100};         // no thread can be made; others may be blocked
constexpr std::chrono::milliseconds patience_when_stuck_ms{1000};    // no thread has room on its stack
constexpr std::chrono::microseconds nap_beside_unattended_us{1000};  // events that no worker looks after

}  // namespace

worker* own_worker_in(const runtime& home) noexcept {
  for (const held_place* each = innermost_place; each != nullptr; each = each->outer) {
    if (&each->self->home == &home) return each->self->tasks.exist() ? each->self : nullptr;
  }
  return nullptr;
}

void hold_place(held_place& place) noexcept {
  place.outer = innermost_place;
  innermost_place = &place;
}
void drop_place(const held_place& place) noexcept { innermost_place = place.outer; }

// A worker whose fork_join is another one than pilfer::fork_join has no deque that is found by its thread: then nothing needs to change.
reentry::reentry(worker& self) noexcept : place_{&self, nullptr}, outer_deque_(current_deque) {
  hold_place(place_);
  if (fork_deque* const deque = self.queue->deque()) current_deque = deque;
}
reentry::~reentry() {
  current_deque = outer_deque_;
  drop_place(place_);
}

worker* seat_without_threads(runtime& home) noexcept {
  return home.crew.has_threads() ? nullptr : home.visitors.enter(true);
}
worker* seat_for_wait(runtime& home) noexcept {
  worker* const seat = innermost_place == nullptr ? home.visitors.enter(false) : nullptr;
  return seat != nullptr ? seat : seat_without_threads(home);
}

// The thread cannot be recalled out of a call that is not ours. If it was the last one that was active, a thread that sleeps in a wait is.
void begin_blocking() noexcept {
  for_each_own_worker([](worker& each) noexcept {
    runtime& pool = each.home;
    if (pool.places.begin_block(each, {}) != vacated::alone) return;
    if (pool.sleep.anything_to_do(each) || each.queue->has_items() || pool.events.are_outstanding(each)) {
      pool.crew.offer_place(crew::vacancy::for_anyone);
    }
  });
}
void end_blocking() noexcept {
  for_each_own_worker([](worker& each) noexcept { static_cast<void>(each.home.places.end_block(each)); });
}

// One sleep of the calling thread, with its places given up.
class rest_of_thread {
 public:
  rest_of_thread(sleepable& what, std::chrono::nanoseconds limit) noexcept
      : what_(what),
        me_{.places = innermost_place,
            .target = what.target(),
            .bed = &what.bed(),
            .what = &what,
            .may_fail = what.may_fail(),
            .limited = limit.count() >= 0},
        limit_(limit) {}

  [[nodiscard]] rested run() noexcept {
    if (what_.was_in_vain_) nap_ = nap_beside_unattended_us;
    for_each_own_worker([this](worker& each) noexcept { give_up(each); });
    what_.was_in_vain_ = false;
    const bool ends = wait_graph::only().enlist(me_);
    if (ends && !is_wanted_ && !what_.is_done()) what_.sleep(shorter(limit_, nap_));
    wait_graph::only().delist(me_);
    for_each_own_worker([this](worker& each) noexcept { take_back(each); });
    if (what_.is_done()) return rested::slept;
    if (!ends || me_.is_doomed) return rested::own;
    if (me_.is_too_deep && what_.can_give_up()) return rested::too_deep;
    if (!is_wanted_) for_each_own_worker([this](worker& each) noexcept { look_around(each); });
    if (is_wanted_) {
      for_each_own_worker([this](worker& each) noexcept { stand_in(each); });
      if (has_helped_) return rested::helped;
      what_.was_in_vain_ = true;
      if (could_help_) return rested::slept;
    }
    return is_too_deep() ? rested::too_deep : rested::slept;
  }

 private:
  void want(worker& self) noexcept {
    self.rest.is_wanted = true;
    is_wanted_ = true;
  }

  void give_up(worker& self) noexcept {
    runtime& pool = self.home;
    constexpr std::size_t frames_until_then =
        std::size_t{16} * 1024;  // bytes: it must still have room when it comes to it
    const bool fits = pool.places.may_run_stranger(self) && has_stack_room(frames_until_then);
    // A worker that has just looked in vain is not recalled at once: its thread naps.
    const unsigned depth = fits && !what_.was_in_vain_ ? self.depth : pool_places::unfit;
    const rest_of_worker before = std::exchange(self.rest, {});
    self.rest.place =
        pool.places.begin_block(self, {.bed = me_.bed, .depth = depth, .calls_another = limit_.count() >= 0});
    switch (self.rest.place) {
      case vacated::taken: return;
      case vacated::refused:
        nap_ = shorter(nap_, nap_beside_busy_ms);
        self.rest.started_before = pool.places.count_started();
        if (limit_.count() >= 0) note_poll(self, before, fits);
        return;
      case vacated::alone: break;
    }
    if (pool.sleep.anything_to_do(self)) {
      if (fits && !what_.was_in_vain_) {
        want(self);
        return;
      }
      const bool offered = pool.crew.offer_place(crew::vacancy::for_anyone);
      if (!fits && !offered) stuck_ = &self;  // not: only in vain
      nap_ = shorter(nap_, nap_beside_unattended_us);
    } else if (pool.events.are_outstanding(self)) {
      nap_ = shorter(nap_, nap_beside_unattended_us);
    }
  }

  // Threads that wait with short limits, again and again, are active for moments: so it never happens that none is. If all of them do that
  // and no thread can be made, only one of them can run what they wait for.
  void note_poll(worker& self, const rest_of_worker& before, bool fits) noexcept {
    constexpr std::chrono::steady_clock::time_point never{};
    const auto now = std::chrono::steady_clock::now();
    const bool goes_on = before.polls_since != never && before.started_before == self.rest.started_before;
    self.rest.polls_since = goes_on ? before.polls_since : now;
    if (!goes_on || !fits || now - before.polls_since < nap_beside_busy_ms) return;
    if (self.home.sleep.anything_to_do(self)) want(self);
  }

  void take_back(worker& self) noexcept {
    if (self.home.places.end_block(self)) want(self);
  }

  // After a nap. Events of threads that sleep are taken by this one; and where other workers are active, but have begun nothing all
  // the while, they are blocked in calls that the pool does not know of.
  void look_around(worker& self) noexcept {
    runtime& pool = self.home;
    if (self.rest.place == vacated::alone) {
      const reentry here(self);
      if (pool.events.look_for_all(self) != 0) want(self);
    } else if (self.rest.place == vacated::refused && limit_.count() < 0) {
      const bool has_stood = std::chrono::steady_clock::now() - me_.since >= nap_beside_busy_ms;
      if (has_stood && pool.places.count_started() == self.rest.started_before && pool.sleep.anything_to_do(self))
        want(self);
    }
  }

  // In each pool that wants it, until something was run: the work of one of them may be out of reach. What is run may sleep in turn, so
  // nothing that is said of this sleep in the thread's workers is looked at afterwards.
  void stand_in(worker& self) noexcept {
    if (has_helped_ || !self.rest.is_wanted) return;
    runtime& pool = self.home;
    if (limit_.count() >= 0) self.counts.late_waits.add();
    switch (pool.places.run_stranger(self)) {
      case stand_in::outcome::run:
        has_helped_ = true;
        what_.stuck_ = nullptr;
        break;
      case stand_in::outcome::none: could_help_ = true; break;
      case stand_in::outcome::no_room: stuck_ = &self; break;
    }
  }

  // No worker is active, there is work, and no thread has room for it on its stack. It may still come free, by a timer for example. Other
  // threads that are stuck, too, are active for moments between their naps: only a task that begins is progress.
  [[nodiscard]] bool is_too_deep() noexcept {
    worker* const before = what_.stuck_;
    const auto now = std::chrono::steady_clock::now();
    if (before == nullptr || before->rest.place == vacated::taken ||
        before->home.places.count_started() != what_.started_before_) {
      what_.stuck_ = stuck_;
      what_.stuck_since_ = now;
      what_.started_before_ = stuck_ != nullptr ? stuck_->home.places.count_started() : 0;
      return false;
    }
    if (stuck_ != before || now - what_.stuck_since_ < patience_when_stuck_ms) return false;
    what_.stuck_ = nullptr;
    if (!me_.limited && me_.may_fail != failing::never && what_.can_give_up()) return true;
    runtime& pool = before->home;
    // Where strangers are refused, what it waits for may have begun, and need one of them.
    if (!me_.limited && me_.may_fail == failing::willing && !pool.places.is_allowed()) return true;
    if (!wait_graph::only().refuse_depth(before->home)) tell_of_standstill(before->home);
    return false;
  }

  sleepable& what_;
  sleeping_thread me_;
  const std::chrono::nanoseconds limit_;
  std::chrono::nanoseconds nap_{-1};
  worker* stuck_ = nullptr;  // no worker of its pool is active, and no thread has room for what there is
  bool is_wanted_ = false;   // one of its workers is to run something else
  bool could_help_ = false;
  bool has_helped_ = false;
};

rested rest(sleepable& what, std::chrono::nanoseconds limit) noexcept { return rest_of_thread(what, limit).run(); }

wait_end rest_until_done(sleepable& what, std::chrono::nanoseconds limit) noexcept {
  const bool limited = limit.count() >= 0;
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!what.is_done()) {
    switch (rest(what, limit)) {
      case rested::own: return wait_end::own;
      case rested::too_deep: return wait_end::too_deep;
      default: break;
    }
    if (!limited) continue;
    limit = until - std::chrono::steady_clock::now();
    if (limit.count() <= 0 && !what.is_done()) return wait_end::time_over;
  }
  what.leave();
  return wait_end::done;
}

}  // namespace pilfer::detail
