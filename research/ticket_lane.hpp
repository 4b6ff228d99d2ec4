// A lane around a queue that is FIFO or shared: the owner's next item is a stranger's, so a join cannot find its own job there.
//
// So a job is represented by a ticket (ticket.hpp): the join claims its own job wherever its ticket is, and leaves a
// tombstone in the queue; or the thief had it, and the join waits.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "research/job_lane.hpp"
#include "research/tally.hpp"
#include "research/ticket.hpp"
#include "src/runtime/current_worker.hpp"

namespace pilfer::research {

// Config as for queue_lane, but of tickets: queue<Sync> is a queue of void*; make<Queue>(shape) returns a shared_ptr, the same one
// for all lanes of a pool where the queue is shared.
template <class Config, class Sync = ext::default_sync>
class ticket_lane final : public job_lane {
 public:
  using ticket = basic_ticket<Sync>;
  using queue_type = typename Config::template queue<Sync>;

  ticket_lane(worker& owner, std::shared_ptr<queue_type> queue) : self_(owner), queue_(std::move(queue)) {}

  [[nodiscard, gnu::always_inline]] static ticket_lane* current() noexcept { return of_this_thread; }
  [[nodiscard]] worker& owner() noexcept { return self_; }

  [[nodiscard]] bool fork(forked_job& work) noexcept override {
    if (tombstones_ >= most_tombstones) clear_tombstones();
    ticket* const mine = free_ != nullptr || make_tickets() ? free_ : nullptr;
    if (mine != nullptr) {
      free_ = mine->next_free;
      mine->write(work);
      if (queue_->owner().push(mine) || (worth_clearing() && clear_tombstones() && queue_->owner().push(mine)))
          [[likely]] {
        work.ticket = mine;
        tally_.pushed(self_.counts);
        self_.call_sleeper();
        return true;
      }
      recycle(*mine);
    }
    self_.counts.run_inline.add();
    return false;
  }
  [[nodiscard]] bool join(forked_job& work) noexcept override {
    auto& mine = *static_cast<ticket*>(work.ticket);
    if (mine.tear() != nullptr) [[likely]] {
      ++tombstones_;
      tally_.popped(self_.counts);
      return true;
    }
    recycle(mine);
    detail::wait_for_stolen(self_, work);
    return false;
  }

  ext::steal_result<job*> steal(std::uint64_t random) noexcept override {
    for (std::size_t attempt = 0; attempt < most_skipped; ++attempt) {
      const auto result = [&] {
        if constexpr (queue_type::traits.random_start) {
          return queue_->thief().steal_at(random + attempt);
        } else {
          return queue_->thief().steal();
        }
      }();
      if (!result) return result.status();
      if (job* const work = redeem(*result)) return ext::steal_result<job*>::of(work);
    }
    return ext::steal_status::lost;  // tombstones only: there may be more behind them
  }
  ext::steal_result<job*> steal_from(std::uint64_t /*mark*/) noexcept override { return ext::steal_status::empty; }
  [[nodiscard]] bool has_items() const noexcept override { return ext::has_items(*queue_); }
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept override { return queue_->thief().sample(random); }
  [[nodiscard]] std::size_t size_hint() const noexcept override { return queue_->size_hint(); }

  [[nodiscard]] job* take() noexcept override {
    tally_.carry(self_.counts);
    if constexpr (Config::shared) return nullptr;  // what is in a shared queue is as good as stolen
    while (const auto item = queue_->owner().pop()) {
      if (job* const work = redeem(*item)) return work;
    }
    return nullptr;
  }
  void bind() noexcept override {
    outer_ = of_this_thread;
    of_this_thread = this;
    tally_.begin();
  }
  // Every fork of the owner is joined: what is left are tombstones. They would look like work, and keep idle workers from sleep.
  void rest() noexcept override {
    if constexpr (!Config::shared) {
      while (const auto item = queue_->owner().pop()) static_cast<void>(redeem(*item));
    }
  }
  void unbind() noexcept override {
    rest();
    tally_.carry(self_.counts);
    of_this_thread = outer_;
  }

 private:
  static constexpr std::size_t most_tombstones = 1024;
  static constexpr std::size_t fewest_tombstones = 64;
  static constexpr std::size_t most_skipped = 64;
  static constexpr std::size_t tickets_at_once = 64;

  // A ticket came out of the queue. Null: a tombstone.
  [[nodiscard]] static job* redeem(void* item) noexcept {
    auto& found = *static_cast<ticket*>(item);
    job* const work = found.tear();
    if (work == nullptr) of_this_thread->recycle(found);  // into the list of whoever is here: tickets travel
    return work;
  }
  // A queue full of live jobs is left alone: going through it each time would cost more than it brings.
  [[nodiscard]] bool worth_clearing() const noexcept { return tombstones_ >= fewest_tombstones; }
  void recycle(ticket& spent) noexcept {
    spent.next_free = free_;
    free_ = &spent;
  }
  // Takes everything out of the owner's queue: tombstones are recycled, the others go back in the same order. What finds no
  // room is held: nobody can steal it for now, but its join claims it all the same. True: there is room now.
  [[gnu::noinline, gnu::cold]] bool clear_tombstones() noexcept {
    ticket** end = &held_;
    while (*end != nullptr) end = &(*end)->next_free;
    for (std::size_t left = queue_->size_hint(); left != 0; --left) {
      const auto item = queue_->owner().pop();
      if (!item) break;
      auto* const found = static_cast<ticket*>(*item);
      found->next_free = nullptr;
      *end = found;
      end = &found->next_free;
    }
    tombstones_ = 0;
    bool room = true;
    ticket** from = &held_;
    while (ticket* const each = *from) {
      ticket* const next = each->next_free;  // a thief may have it as soon as it is pushed
      if (each->is_tombstone()) {
        static_cast<void>(each->tear());  // second side: what the first wrote is visible
        recycle(*each);
        *from = next;
      } else if (room && queue_->owner().push(each)) {
        *from = next;
      } else {
        room = false;
        from = &each->next_free;
      }
    }
    return room;
  }
  [[nodiscard]] bool make_tickets() noexcept {
    auto* const fresh = new (std::nothrow) std::array<ticket, tickets_at_once>;
    if (fresh == nullptr) return false;
    blocks_.emplace_back(fresh);
    for (ticket& each : *fresh) recycle(each);
    return true;
  }

  static inline thread_local constinit ticket_lane* of_this_thread = nullptr;

  worker& self_;
  std::shared_ptr<queue_type> queue_;
  ticket* free_ = nullptr;
  ticket* held_ = nullptr;
  std::size_t tombstones_ = 0;
  std::vector<std::unique_ptr<std::array<ticket, tickets_at_once>>> blocks_;
  ticket_lane* outer_ = nullptr;
  [[no_unique_address]] tally<Sync> tally_;
};

}  // namespace pilfer::research
