// The handshake between a fork that was stolen and the join that waits for it.
//
// The latch lies in the frame of the one who forked, which is gone as soon as the join has seen `done`. So the runner's
// last access to it is the one that says so; whom to wake it learns from that same access, and a sleeper outlives every
// frame: it belongs to a worker.
//
// State        writer                reader   meaning
//   state_     all                   all      pending -> running(id) -> done, or through waited(sleeper) on the way;
//                                             kept: the job never was in a queue; spawned -> spawned(id) -> done: a task,
//                                             which nobody joins (completion.hpp): the runner ends it
//   sleeper    its worker, runner    worker   1: the latch it sleeps on is done
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
//   awake     wake: store of awake_       -> sleep: load of awake_      its wake-up is over
//
// Sources    catalogue 47 (rayon #739, #768, #929: a latch set while the owner's frame goes away).
#pragma once

#include <chrono>
#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct latch_orders {
  static constexpr ext::edge start{};
  static constexpr ext::edge result{};
  static constexpr ext::edge rest{};
  static constexpr ext::edge awake{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// Where one worker sleeps while it waits for a latch. Longer lived than any latch.
template <class Sync, class Orders = latch_orders>
class alignas(64) sleeper {
 public:
  void wake() noexcept {
    awake_.store(1, Orders::awake.rel);
    Sync::futex_wake(awake_, 1);
  }
  // Returns when wake() was called, once per call.
  void sleep() noexcept {
    while (awake_.load(Orders::awake.acq) == 0) Sync::futex_wait(awake_, 0);
    awake_.store(0, Orders::relaxed);  // own variable until the next latch names this sleeper
  }
  // Sleeps once, at most so long if the limit is not negative. True: wake() was called; that call is taken.
  [[nodiscard]] bool sleep_once(std::chrono::nanoseconds limit) noexcept {
    if (awake_.load(Orders::awake.acq) == 0) static_cast<void>(Sync::futex_wait(awake_, 0, limit));
    if (awake_.load(Orders::awake.acq) == 0) return false;
    awake_.store(0, Orders::relaxed);  // own variable until the next latch names this sleeper
    return true;
  }

 private:
  typename Sync::template atomic<std::uint32_t> awake_{0, "awake"};
};

// Names one execution of one job: worker, nesting depth on it, and a number that is never used twice there.
class run_id {
 public:
  static constexpr unsigned worker_bits = 10;
  static constexpr unsigned depth_bits = 6;
  constexpr run_id() noexcept = default;
  constexpr explicit run_id(std::uint64_t word) noexcept : word_(word) {}
  constexpr run_id(unsigned worker, unsigned depth, std::uint64_t serial) noexcept
      : word_((((serial << depth_bits) | depth) << worker_bits) | worker) {}
  [[nodiscard]] constexpr unsigned worker() const noexcept {
    return static_cast<unsigned>(word_ & ((1U << worker_bits) - 1));
  }
  [[nodiscard]] constexpr unsigned depth() const noexcept {
    return static_cast<unsigned>((word_ >> worker_bits) & ((1U << depth_bits) - 1));
  }
  [[nodiscard]] constexpr std::uint64_t serial() const noexcept { return word_ >> (worker_bits + depth_bits); }
  [[nodiscard]] constexpr std::uint64_t word() const noexcept { return word_; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return word_ != 0; }
  friend constexpr bool operator==(run_id, run_id) noexcept = default;

 private:
  std::uint64_t word_ = 0;  // a serial number is odd while its job runs, so a running job's word is not 0
};

template <class Sync, class Orders = latch_orders>
class join_latch {
  enum tag : std::uint64_t { plain = 0, running = 1, waited = 2, spawned = 3, tag_mask = 3 };
  static constexpr std::uint64_t pending = 0;
  static constexpr std::uint64_t done = 4;
  static constexpr std::uint64_t kept = 8;

 public:
  using sleeper_type = sleeper<Sync, Orders>;

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

  // The same for a task. Nobody sleeps on its latch; it only says who runs it.
  void spawn() noexcept { state_.store(spawned, Orders::relaxed); }  // before anyone else sees it
  [[nodiscard]] bool is_spawned() const noexcept {
    return (state_.load(Orders::relaxed) & tag_mask) == spawned;  // set before it was published
  }
  void start_spawned(run_id id) noexcept { state_.store((id.word() << 2) | spawned, Orders::start.rel); }
  void finish_spawned() noexcept { state_.store(spawned, Orders::relaxed); }  // a hint that is over

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
  typename Sync::template atomic<std::uint64_t> state_{pending, "state"};
};

}  // namespace pilfer::detail
