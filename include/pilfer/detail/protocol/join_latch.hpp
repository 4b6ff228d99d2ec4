// The handshake between a fork that was stolen and the join that waits for it.
//
// The word of the latch lies in the frame of the worker that forked, which is gone as soon as the join has seen `done`. So the runner's
// last access to it is the one that says so; whom to wake it learns from that same access, and a sleeper outlives every
// frame: it belongs to a worker.
//
// State        writer                reader   meaning
//   state_     all                   all      pending -> running(id) -> done, or through waited(sleeper) on the way;
//                                             kept: the job never was in a queue;
//                                             pending -> running(id) -> pending: a task, which is not joined by its latch
//
// Invariants
//   I1  After the runner's exchange to `done` it touches nothing of the frame.
//   I2  A worker sleeps only after it has replaced pending or running by waited(itself); the runner that finds that value
//       wakes it, once.
//
// Edges
//   start     start: CAS of state_        -> runner: load of state_     the run's record is visible
//   result    finish: exchange of state_  -> is_done: load of state_    what the job has written is visible
//   rest      wait_for: CAS of state_     -> finish: exchange of state_ the sleeper is ready to be woken
//
// Sources    catalogue 47 (rayon #739, #768, #929: a latch set while the owner's frame goes away).
#pragma once

#include <cstdint>

#include <pilfer/detail/protocol/run_id.hpp>
#include <pilfer/detail/protocol/sleeper.hpp>

namespace pilfer::detail {

struct latch_orders {
  static constexpr ext::edge start{};
  static constexpr ext::edge result{};
  static constexpr ext::edge rest{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// A word that is a latch: 0 at first.
template <class Sync, class Orders = latch_orders, class Sleeper = sleeper<Sync>>
class join_latch {
  enum tag : std::uint64_t { plain = 0, running = 1, waited = 2, tag_mask = 3 };
  static constexpr std::uint64_t pending = 0;
  static constexpr std::uint64_t done = 4;
  static constexpr std::uint64_t kept = 8;

 public:
  using word = typename Sync::template atomic<std::uint64_t>;
  using sleeper_type = Sleeper;

  explicit join_latch(word& state) noexcept : state_(state) {}

  // The runner, before the job's first instruction.
  void start(run_id id) noexcept {
    std::uint64_t expected = pending;
    // Failure: the one who waits sleeps already, and asks no more who runs it.
    state_.compare_exchange(expected, (id.word() << 2) | running, Orders::start.rel, Orders::relaxed);
  }
  // The runner, after the job's last. The frame may be gone when this returns.
  void finish() noexcept {
    const std::uint64_t before = state_.exchange(done, ext::both(Orders::rest.acq, Orders::result.rel));
    if ((before & tag_mask) == waited) reinterpret_cast<sleeper_type*>(before & ~std::uint64_t{tag_mask})->wake();
  }

  // The same for a task: no thread sleeps on its latch, which only says who runs it.
  void start_spawned(run_id id) noexcept { state_.store((id.word() << 2) | running, Orders::start.rel); }
  void finish_spawned() noexcept { state_.store(pending, Orders::relaxed); }  // a hint that is over

  [[nodiscard]] bool is_done() const noexcept { return state_.load(Orders::result.acq) == done; }
  // Who runs it now; none: nobody yet, or it is done.
  [[nodiscard]] run_id runner() const noexcept {
    const std::uint64_t now = state_.load(Orders::start.acq);
    return (now & running) != 0 ? run_id(now >> 2) : run_id();
  }
  // The one who waits: names its sleeper. False: it is done already, do not sleep.
  [[nodiscard]] bool wait_for(sleeper_type& mine) noexcept {
    std::uint64_t now = state_.load(Orders::relaxed);  // rechecked by the CAS
    while (now != done) {
      if (state_.compare_exchange(now, reinterpret_cast<std::uint64_t>(&mine) | waited, Orders::rest.rel,
                                  Orders::result.acq)) {
        return true;
      }
    }
    return !is_done();
  }

  // For jobs that found no room in a queue: the join knows that nobody else has it. Never together with the others.
  void keep() noexcept { state_.store(kept, Orders::relaxed); }                                 // own variable
  [[nodiscard]] bool is_kept() const noexcept { return state_.load(Orders::relaxed) == kept; }  // own variable

 private:
  word& state_;
};

}  // namespace pilfer::detail
