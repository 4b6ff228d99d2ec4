// Where idle workers sleep, and how new work wakes one of them.
//
// One word holds how many sleep and how many of those have been called. Who publishes work looks at it; if somebody sleeps
// that has not been called yet, it calls one more and wakes one. A call is a token that a sleeper takes with it, so it is
// neither lost nor given twice, and while enough calls are under way a publisher makes no system call.
//
// Events   P1 publish work   P2 light fence   P3 read word_   |   S1 add myself   S2 heavy fence   S3 look for work   S4 sleep
// Claim    P3 misses S1 and S3 misses P1: never both (no lost wake-up).
// Reason   S2 lets every running thread execute a full fence. If the publisher's comes before P1, P3 finds S1; if after, S3 finds P1.
//          Where there is no heavy fence, P2 and S2 are seq_cst fences, and the first of them in their order decides.
//
// A worker that waits for something else, too, sleeps on a lookout of its own instead of on the word. Whoever calls, and whom the
// futex did not wake, looks for a lookout that is in use and kicks it. A lookout's sleeper that leaves for a reason of its own takes
// a call along if there is one: the call may have been meant for it.
//
// Events   N1 call, in word_   N2 fence   N3 look for a lookout in use   |   L1 use it   L2 fence   L3 look for a call   L4 sleep
// Claim    N3 misses L1 and L3 misses N1: never both. Who finds one in use that is just being left (L5 leave it, L6 leave word_)
//          has called before L6, so that the call is taken along; had L6 come first, N1 would have seen L5.
//
// State        writer   reader   meaning
//   word_      all      all      {sleepers, calls}: calls <= sleepers
//   in_use_    its sleeper sets and clears it, a caller clears it      of a lookout
//
// Invariants
//   I1  There are never more calls than sleepers; a sleeper leaves with a call, or because it needs none.
//   I2  Who is called was in the word before: S1 comes before the requests, too, so that an owner which overwrites one of them
//       unseen finds the sleeper.
//
// Edges
//   call      notify: CAS of word_ -> sleep: CAS of word_    what the caller did before is visible
//   leave     sleep_in: CAS of word_ -> kick_lookouts: the fence, after the CAS of word_    the lookout is seen not to be in use any more
//   dekker    P1, P2, P3 || S1, S2, S3                       above; N1, N2, N3 || L1, L2, L3 too
//
// Sources    the two-phase protocol is folklore (Eigen's EventCount, folly); tokens in the word, and the asymmetric fence: ours.
#pragma once

#include <chrono>
#include <cstdint>

#include <pilfer/ext/immovable.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct parking_orders {
  static constexpr ext::edge call{};
  static constexpr auto leave = std::memory_order_release;  // its other end is the fence N2
  static constexpr auto dekker = std::memory_order_seq_cst;
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders>
class parking;

// Where one worker sleeps that waits for something else as well.
template <class Sync, class Orders = parking_orders>
class lookout {
 public:
  // By a caller. True: it was in use, and its sleeper is to be kicked; by this caller alone.
  [[nodiscard]] bool call() noexcept {
    if (in_use_.load(Orders::relaxed) == 0) return false;  // ordered by dekker and leave
    return in_use_.exchange(0, Orders::relaxed) != 0;      // a kick too many does no harm
  }

 private:
  friend class parking<Sync, Orders>;
  typename Sync::template atomic<std::uint32_t> in_use_{0, "lookout"};
};

template <class Sync, class Orders = parking_orders>
class parking : ext::immovable {
  static constexpr std::uint32_t one_sleeper = 1U << 16;
  static constexpr std::uint32_t one_call = 1;

 public:
  explicit parking(bool asymmetric = Sync::asymmetric_fences()) noexcept : light_(asymmetric) {}

  [[nodiscard]] bool uses_membarrier() const noexcept { return light_; }

  // Who kicks the sleeper of a lookout, or all of them, after the futex woke nobody. Before anybody sleeps.
  using kicker = void (*)(void* context, bool all) noexcept;
  void kick_by(kicker kick, void* context) noexcept {
    kick_ = kick;
    context_ = context;
  }

  // After work was published. True: a sleeper was called. The common case, nobody sleeps, is one load.
  bool notify() noexcept {
    if (light_) {
      Sync::light_fence();
    } else {
      Sync::fence(Orders::dekker);
    }
    if (word_.load(Orders::relaxed) == 0) [[likely]]  // ordered by dekker
      return false;
    return call_one();
  }
  // The same with a full fence as P2: for publishers off the fork path, whatever the sleepers do.
  bool notify_fenced() noexcept {
    Sync::fence(Orders::dekker);
    return notify_after_fence();
  }
  // The same for a caller that has just executed a full fence.
  bool notify_after_fence() noexcept { return word_.load(Orders::relaxed) != 0 && call_one(); }  // ordered by dekker

  [[nodiscard]] bool anyone_sleeps() const noexcept { return word_.load(Orders::relaxed) != 0; }              // hint
  [[nodiscard]] std::uint32_t sleepers() const noexcept { return sleepers_in(word_.load(Orders::relaxed)); }  // hint

  // S1 and S2; `leave_requests` runs in between, for queues whose owners look at a word of their own instead of this one.
  // Either cancel() or sleep() must follow. False: S2 was refused, a wake-up may be missed, so sleep for a short time only.
  template <class F>
  [[nodiscard]] bool prepare(F&& leave_requests) noexcept {
    word_.fetch_add(one_sleeper, Orders::relaxed);  // ordered by dekker
    Sync::fence(Orders::dekker);                    // I2; and for those who fence by themselves, in notify_all
    leave_requests();
    if (light_ && Sync::heavy_fence()) return true;
    Sync::fence(Orders::dekker);
    return !light_;
  }
  // S3 found work. A call meant for us is taken along only if all the others have been called too.
  void cancel() noexcept {
    std::uint32_t now = word_.load(Orders::relaxed);                                            // rechecked by the CAS
    while (!word_.compare_exchange(now, without_me(now), Orders::call.acq, Orders::relaxed)) {  // failure: again
    }
  }
  // S4. False: the time ran out (a negative one never does), and nobody had called.
  bool sleep(std::chrono::nanoseconds timeout) noexcept {
    for (;;) {
      std::uint32_t now = word_.load(Orders::relaxed);  // rechecked by the CAS or by the futex
      while (calls_in(now) != 0) {
        const std::uint32_t without_both = now - one_sleeper - one_call;
        if (word_.compare_exchange(now, without_both, Orders::call.acq, Orders::relaxed))
          return true;  // failure: again
      }
      if (!Sync::futex_wait(word_, now, timeout)) {
        cancel();
        return false;
      }
    }
  }

  // S4 on a lookout: `wait` returns when what else is waited for has come, or after a kick, or when it has waited for long enough.
  // False: nobody had called.
  template <class F>
  bool sleep_in(lookout<Sync, Orders>& mine, F&& wait) noexcept {
    mine.in_use_.store(1, Orders::relaxed);  // ordered by dekker
    Sync::fence(Orders::dekker);
    if (calls_in(word_.load(Orders::relaxed)) == 0) wait();  // ordered by dekker
    mine.in_use_.store(0, Orders::relaxed);                  // ordered by leave
    std::uint32_t now = word_.load(Orders::relaxed);         // rechecked by the CAS
    for (;;) {
      const bool called = calls_in(now) != 0;
      const std::uint32_t without = now - one_sleeper - (called ? one_call : 0);
      if (word_.compare_exchange(now, without, ext::both(Orders::call.acq, Orders::leave),
                                 Orders::relaxed)) {  // failure: again
        return called;
      }
    }
  }

  // Everybody is called, for shutdown.
  void notify_all() noexcept {
    Sync::fence(Orders::dekker);
    std::uint32_t now = word_.load(Orders::relaxed);  // ordered by dekker; rechecked by the CAS
    while (calls_in(now) != sleepers_in(now)) {
      const std::uint32_t all_called = (now & ~(one_sleeper - 1)) | sleepers_in(now);
      if (word_.compare_exchange(now, all_called, Orders::call.rel, Orders::relaxed)) {  // failure: again
        Sync::futex_wake(word_, sleepers_in(now));
        kick_lookouts(true);
        return;
      }
    }
  }

 private:
  [[nodiscard]] static constexpr std::uint32_t sleepers_in(std::uint32_t word) noexcept { return word >> 16; }
  [[nodiscard]] static constexpr std::uint32_t calls_in(std::uint32_t word) noexcept {
    return word & (one_sleeper - 1);
  }
  [[nodiscard]] static constexpr std::uint32_t without_me(std::uint32_t word) noexcept {
    return word - one_sleeper - (calls_in(word) == sleepers_in(word) ? one_call : 0);
  }

  void kick_lookouts(bool all) noexcept {
    if (kick_ == nullptr) return;
    Sync::fence(Orders::dekker);
    kick_(context_, all);
  }

  [[gnu::noinline, gnu::cold]] bool call_one() noexcept {
    std::uint32_t now = word_.load(Orders::relaxed);  // rechecked by the CAS
    while (calls_in(now) < sleepers_in(now)) {
      if (word_.compare_exchange(now, now + one_call, Orders::call.rel, Orders::relaxed)) {  // failure: again
        if (Sync::futex_wake(word_, 1) == 0) kick_lookouts(false);
        return true;
      }
    }
    return false;
  }

  const bool light_;
  kicker kick_ = nullptr;
  void* context_ = nullptr;
  alignas(ext::isolation_bytes) typename Sync::template atomic<std::uint32_t> word_{0, "parking"};
};

}  // namespace pilfer::detail
