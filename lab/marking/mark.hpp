// Marking: who takes an object from its queue marks what it refers to, and queues what was not marked before. Directly on
// the queues, as HotSpot's G1 does it (001 section 6.3.1): a queue per thread; what a bounded one has no room for goes to an
// overflow stack of its owner's; who has nothing steals; and all stop when all have nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/sync.hpp>

#include "lab/marking/heap.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::marking {

// An object to be scanned, and from which reference on: a wide array is scanned in pieces, so that others can help.
using reference = std::uint64_t;
inline constexpr unsigned from_shift = 32;
inline constexpr std::size_t piece = 512;
[[nodiscard]] constexpr reference reference_to(object one, std::size_t from = 0) noexcept {
  return one | static_cast<reference>(from) << from_shift;
}

struct mark_counts {
  scanned objects;
  std::uint64_t steals = 0;      // that took something
  std::uint64_t stolen = 0;      // references taken by them
  std::uint64_t failed = 0;      // attempts that took nothing
  std::uint64_t overflowed = 0;  // pushes that found no room in the queue

  mark_counts& operator+=(const mark_counts& other) noexcept {
    objects += other.objects;
    steals += other.steals;
    stolen += other.stolen;
    failed += other.failed;
    overflowed += other.overflowed;
    return *this;
  }
};

// Scans one piece; `mark` says whether an object is new, `push` gets what is to be scanned later.
template <class Mark, class Push>
[[gnu::always_inline]] inline void scan(const heap& objects, reference what, scanned& tally, Mark mark, Push push) {
  const auto one = static_cast<object>(what);
  const auto from = static_cast<std::size_t>(what >> from_shift);
  const auto all = objects.references_of(one);
  if (from == 0) tally.add(one);
  const std::size_t end = std::min(from + piece, all.size());
  if (end < all.size()) push(reference_to(one, end));
  for (const object next : all.subspan(from, end - from)) {
    if (mark(next)) push(reference_to(next));
  }
}

// One thread, a plain stack. Shared: with the marks that several threads would need.
template <bool Shared>
[[nodiscard]] mark_counts mark_with_stack(heap& objects, std::vector<reference>& stack) {
  mark_counts counts;
  const auto mark = [&](object one) { return Shared ? objects.mark(one) : objects.mark_alone(one); };
  if (mark(objects.root())) stack.push_back(reference_to(objects.root()));
  while (!stack.empty()) {
    const reference next = stack.back();
    stack.pop_back();
    scan(objects, next, counts.objects, mark, [&](reference one) { stack.push_back(one); });
  }
  return counts;
}

// When all threads have nothing, there is nothing: a thread offers to stop only with an empty queue, and nobody else fills it.
class terminator {
 public:
  explicit terminator(std::size_t threads) noexcept : threads_(threads) {}

  // True: all have offered. False: look for work again. `seen` is a cheap look at the others; as some queues show what they have
  // only to who tries to steal, this says "look" now and then in any case.
  template <class Seen>
  [[nodiscard]] bool offer(Seen seen) noexcept {
    idle_.fetch_add(1, std::memory_order_acq_rel);
    for (unsigned look = 0; look < looks_before_trying; ++look) {
      if (idle_.load(std::memory_order_acquire) == threads_) return true;
      if (seen()) break;
      ext::native_sync::pause();
    }
    std::this_thread::yield();  // before the offer is withdrawn: others may need this processor to make theirs
    if (idle_.load(std::memory_order_acquire) == threads_) return true;
    idle_.fetch_sub(1, std::memory_order_acq_rel);
    return false;
  }

 private:
  static constexpr unsigned looks_before_trying = 32;
  const std::size_t threads_;
  alignas(ext::isolation_bytes) std::atomic<std::size_t> idle_{0};
};

// A queue and a thread for each; those but the caller's are bound to the given processors, one after the other.
//   Whole  a thief takes as much as the queue gives at once.
template <class Queue, bool Whole = false>
class crew {
 public:
  template <class... Arguments>
  explicit crew(std::size_t threads, std::vector<int> processors, Arguments... arguments)
      : processors_(std::move(processors)) {
    for (std::size_t i = 0; i < threads; ++i) members_.push_back(std::make_unique<member>(i, arguments...));
  }

  // Seconds from the start of the threads' work to its end; the calling thread is one of them.
  double mark(heap& objects, mark_counts& total) {
    terminator end(members_.size());
    std::latch ready(static_cast<std::ptrdiff_t>(members_.size()));
    double seconds = 0;
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < members_.size(); ++i) {
        others.emplace_back([&, i] {
          pin_this_thread(processors_[i % processors_.size()]);
          ready.arrive_and_wait();
          work(*members_[i], objects, end);
        });
      }
      ready.arrive_and_wait();
      seconds = seconds_taken_by([&] {
        member& first = *members_.front();
        if (objects.mark(objects.root())) push(first, reference_to(objects.root()));
        work(first, objects, end);
      });
    }
    for (auto& one : members_) total += std::exchange(one->counts, {});
    return seconds;
  }

 private:
  struct alignas(ext::isolation_bytes) member {
    template <class... Arguments>
    explicit member(std::size_t number, Arguments... arguments)
        : queue(arguments...), random(0x9e3779b97f4a7c15 + number), loot(Whole ? queue.capacity() : 0), index(number) {}
    Queue queue;
    std::vector<reference> overflow;
    mark_counts counts;
    xorshift random;
    std::vector<reference> loot;
    std::size_t index;
  };

  static void push(member& self, reference what) {
    if (self.queue.owner().push(what)) [[likely]]
      return;
    ++self.counts.overflowed;
    self.overflow.push_back(what);
  }

  void work(member& self, heap& objects, terminator& end) {
    do {
      do {
        drain(self, objects);
      } while (steal(self, objects));
    } while (!end.offer([&] { return somebody_has_work(self); }));
  }

  // As G1: the overflow first, back into the queue where there is room again, because thieves do not see it.
  static void drain(member& self, heap& objects) {
    for (;;) {
      while (!self.overflow.empty()) {
        const reference next = self.overflow.back();
        self.overflow.pop_back();
        if (!self.queue.owner().push(next)) scan_one(self, objects, next);
      }
      while (const auto next = self.queue.owner().pop()) scan_one(self, objects, *next);
      if constexpr (Queue::traits.split) {
        if (const auto next = self.queue.owner().pop_public()) {
          scan_one(self, objects, *next);
          continue;
        }
      }
      if (self.overflow.empty()) return;
    }
  }

  static void scan_one(member& self, heap& objects, reference what) {
    scan(
        objects, what, self.counts.objects, [&](object one) { return objects.mark(one); },
        [&](reference one) { push(self, one); });
  }

  // Twice as many attempts as there are threads, as in G1.
  bool steal(member& self, heap& objects) {
    const std::size_t threads = members_.size();
    if (threads == 1) return false;
    for (std::size_t attempt = 0; attempt < 2 * threads; ++attempt) {
      const std::size_t other = (self.index + 1 + self.random.next() % (threads - 1)) % threads;
      if (steal_from(self, members_[other]->queue, objects)) return true;
      ++self.counts.failed;
      ext::native_sync::pause();
    }
    return false;
  }

  static bool steal_from(member& self, Queue& victim, heap& objects) {
    auto thief = victim.thief();
    if constexpr (Whole) {
      const ext::batch_result result = thief.steal_batch(self.loot);
      if (!result) return false;
      for (std::size_t i = 1; i < result.count; ++i) push(self, self.loot[i]);
      ++self.counts.steals;
      self.counts.stolen += result.count;
      scan_one(self, objects, self.loot.front());
    } else {
      const auto result = thief.steal();
      if constexpr (Queue::traits.requests) {
        if (result.status() == ext::steal_status::private_work) thief.request();
      }
      if (!result) return false;
      ++self.counts.steals;
      ++self.counts.stolen;
      scan_one(self, objects, *result);
    }
    return true;
  }

  bool somebody_has_work(member& self) {
    return std::ranges::any_of(
        members_, [&](const auto& one) { return one.get() != &self && one->queue.thief().sample(self.random.next()); });
  }

  std::vector<int> processors_;
  std::vector<std::unique_ptr<member>> members_;
};

}  // namespace pilfer::lab::marking
