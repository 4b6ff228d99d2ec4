// Events of a worker that is busy or blocked are watched by a worker that has nothing to do.
//
// A worker looks at its own events (completions of I/O) between two jobs. While it is inside a long job, or blocked, another worker
// must look at them. A sleeper that finds events of others sleeps for a limited time, again and again, and is counted as a watcher.
// A sleeper that finds none sleeps without a limit. So a worker that begins a job while events are outstanding calls a sleeper
// unless there is a watcher; and a worker that has slept, and begins a job instead of sleeping again, hands on what others relied on it for.
//
// Events   B1 start an operation   B2 fence   B3 read watchers_ and the parking's word; call a sleeper if there is one and no watcher
//          S1 enter the parking's word   S2 fence   S3 look at the events: sleep without a limit, or enter watchers_ and sleep for a while
//          L1 leave watchers_ and the parking's word   L2 fence   L3 look at the events of others, and go on as in B3
// Claim    With an event outstanding, its owner busy and a worker asleep, there is a watcher, or a sleeper was called that has not slept
//          or begun a job since:
//          a) B3 misses S1 and S3 misses B1: never both.   b) B3 or another L3 relies on a watcher that leaves, whose L3 misses B1: never both.
// Reason   B2, S2 and L2 are seq_cst fences; S2 is the parking's. a) If B2 is first in their order, S3 finds B1; otherwise B3 finds S1.
//          b) If B2 is first, L3 finds B1. Otherwise B3 finds that L1 was there, and relies on nobody. Of several watchers that leave,
//          the last in the modification order of watchers_ finds none left, and calls. A sleeper that is called owes the same as a watcher,
//          so the call goes on until it reaches one that sleeps again, by S3, or until no worker sleeps.
//
// State         writer                    reader                     meaning
//   watchers_   sleepers, for themselves  workers that begin a job   sleepers that get up by themselves to look at the events of others
//   owes_       its worker                the same                   it has slept since it last began a job: others may rely on it
//
// Invariants
//   I1  A worker is in watchers_ only while it is in the parking's word, or has left that and not begun a job since.
//   I2  A worker that was in watchers_, or was called, begins no job before its L3.
//
// Edges
//   dekker    B1, B2, B3 || L1, L2, L3; B1, B2, B3 || S1, S2, S3 with the parking's dekker
//
// Sources   ours; the pattern is Dekker's, as in parking.hpp.
#pragma once

#include <cstdint>
#include <utility>

#include <pilfer/ext/immovable.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct watch_orders {
  static constexpr auto dekker = std::memory_order_seq_cst;
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders = watch_orders>
class watch : ext::immovable {
 public:
  // What one worker keeps of it.
  class duty {
    friend class watch;
    bool owes_ = false;
  };

  // S4, after S1 to S3 by the same worker. `watches`: S3 has found events of others, and sleep() returns after a while.
  template <class F>
  void sleep(duty& mine, bool watches, F&& sleep) noexcept {
    if (watches) watchers_.fetch_add(1, Orders::relaxed);  // own entry; a reader that comes before it calls in vain
    sleep();
    if (watches) watchers_.fetch_add(0U - 1, Orders::relaxed);  // ordered by dekker
    mine.owes_ = true;
  }

  // B2 and B3, or L2 and L3. Called before a worker begins a job, blocks or retires. Returns true if a sleeper was called.
  //   `own`     Does this worker have events outstanding?
  //   `others`  Are events outstanding of workers that may not look at them?
  template <class Parking, class Own, class Others>
  bool begin(duty& mine, Parking& parking, Own&& own, Others&& others) noexcept {
    const bool owes = std::exchange(mine.owes_, false);
    const bool waits = own();
    if (!owes && !waits) return false;
    Sync::fence(Orders::dekker);
    if (watchers_.load(Orders::relaxed) != 0 || !parking.anyone_sleeps()) return false;  // ordered by dekker
    return (waits || others()) && parking.notify_after_fence();
  }

 private:
  typename Sync::template atomic<std::uint32_t> watchers_{0, "watchers"};
};

}  // namespace pilfer::detail
