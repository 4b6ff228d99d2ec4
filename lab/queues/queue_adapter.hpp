// Any queue type as a measured_queue, and the measured loops themselves.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <pilfer/ext/queue_concept.hpp>

#include "lab/measure/compiler_barrier.hpp"
#include "lab/queues/measured_queue.hpp"

// Out of line, and for g++ also closed to what it knows of the callers: no copy specialized for an argument.
#if defined(__clang__)
#define PILFER_LAB_MEASURED [[gnu::noinline]]
#else
#define PILFER_LAB_MEASURED [[gnu::noipa]]
#endif

namespace pilfer::lab::queues {

// The measured loops: one copy of each per queue, easy to find in the assembly, aligned by the build. After each operation
// of an owner, the sequential structures' included, stands a barrier: the compiler must believe that somebody else looks at
// the queue here, so positions live in memory and no two operations merge.

// Pushes first, first + 1, … until `end` or until the queue says no; returns the first item that was not pushed.
template <class Queue>
PILFER_LAB_MEASURED typename Queue::item_type fill(Queue& queue, typename Queue::item_type first,
                                                   typename Queue::item_type end) {
  auto owner = queue.owner();
  while (first != end && owner.push(first)) {
    ++first;
    compiler_barrier();
  }
  return first;
}

// Pops until the queue says "empty"; returns the sum of the items.
template <class Queue>
PILFER_LAB_MEASURED std::uint64_t empty(Queue& queue) {
  auto owner = queue.owner();
  std::uint64_t sum = 0;
  while (const auto popped = owner.pop()) {
    sum += *popped;
    compiler_barrier();
  }
  return sum;
}

template <class Queue>
class queue_adapter final : public measured_queue {
 public:
  static std::unique_ptr<measured_queue> make(const geometry& shape) {
    if constexpr (std::is_constructible_v<Queue, geometry>) {
      return std::make_unique<queue_adapter>(shape, shape);
    } else {
      return std::make_unique<queue_adapter>(shape, capacity_of(shape));
    }
  }

  template <class... Arguments>
  explicit queue_adapter(const geometry& shape, Arguments... arguments) : shape_(shape), queue_(arguments...) {
    if (capacity_of(shape) > most_items<item>) throw std::invalid_argument("queue_adapter: too many items to count");
  }

  void run_alone(std::size_t rounds, owner_totals& totals) override {
    for (std::size_t i = 0; i < rounds; ++i) {
      fill_once(totals);
      empty_once(totals);
    }
  }

  void run_round(traffic& with, owner_totals& totals) override {
    fill_once(totals);
    with.pushed.store(totals.pushed.count, std::memory_order_relaxed);
    if constexpr (exposes_by_signal) expose_if_asked(with);
    empty_once(totals);
  }

  void check_round(traffic& with, owner_totals& totals) override {
    const std::uint64_t before = totals.pushed.count;
    fill_once(totals);
    for (std::uint64_t i = 0; i < totals.pushed.count - before; ++i)
      totals.pushed.scattered_sum += scattered(first + i);
    with.pushed.store(totals.pushed.count, std::memory_order_relaxed);
    if constexpr (exposes_by_signal) expose_if_asked(with);
    totals.popped += take_all();
  }

  thief_totals run_thief(traffic& with, const steal_plan& plan) override {
    thief_totals totals;
    if constexpr (has_thieves) {
      if (plan.hz > 0) {
        steal_by_frequency(with, plan, totals);
      } else {
        steal_by_share(with, plan, totals);
      }
    } else {
      while (!stopped(with)) rest();
    }
    return totals;
  }

  tally drain() override {
    tally left = take_all();
    if constexpr (has_thieves) {
      auto thief = queue_.thief();
      while (const auto stolen = thief.steal()) left += one(*stolen);
    }
    return left;
  }

 private:
  using item = typename Queue::item_type;
  static constexpr item first = first_item<item>;
  static constexpr ext::queue_traits traits = Queue::traits;
  static constexpr bool has_thieves = requires(Queue& queue) { queue.thief(); };
  // A split deque whose owner cannot be asked: in a scheduler a signal handler would expose. Here the owner looks once a
  // round, which stands in for the handler without the cost of a signal.
  static constexpr bool exposes_by_signal = traits.split && !traits.requests;

  static tally counted(std::uint64_t sum) noexcept { return {sum >> item_count_shift<item>, sum}; }
  static tally one(std::uint64_t taken) noexcept { return {1, taken, scattered(taken)}; }
  static bool stopped(const traffic& with) noexcept { return with.stop.load(std::memory_order_relaxed) != 0; }
  static void rest() noexcept {
    for (int i = 0; i < pauses_between_looks; ++i) ext::native_sync::pause();
  }
  static std::uint64_t clock_ns() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }

  void fill_once(owner_totals& totals) {
    const std::uint64_t n = fill(queue_, first, static_cast<item>(first + capacity_of(shape_))) - first;
    totals.pushed += {n, n * first + n * (n - 1) / 2};
  }
  void empty_once(owner_totals& totals) { totals.popped += counted(empty_all()); }

  // Private part and public part, where there are two.
  std::uint64_t empty_all() {
    std::uint64_t sum = empty(queue_);
    if constexpr (traits.split) {
      auto owner = queue_.owner();
      while (const auto popped = owner.pop_public()) {
        compiler_barrier();
        sum += *popped;
        sum += empty(queue_);  // the owner may have got hold of private items again
      }
    }
    return sum;
  }

  // As empty_all(), item by item.
  tally take_all() {
    tally all;
    auto owner = queue_.owner();
    while (const auto popped = owner.pop()) all += one(*popped);
    if constexpr (traits.split) {
      while (const auto popped = owner.pop_public()) {
        all += one(*popped);
        while (const auto more = owner.pop()) all += one(*more);
      }
    }
    return all;
  }

  void expose_if_asked(traffic& with) {
    if (with.asked.load(std::memory_order_relaxed) == 0) return;
    with.asked.store(0, std::memory_order_relaxed);
    auto owner = queue_.owner();
    owner.expose((owner.private_size() + 1) / 2);
  }

  void steal_by_share(traffic& with, const steal_plan& plan, thief_totals& totals) {
    std::vector<item> loot(traits.batch ? shape_.entries : 0);
    while (!stopped(with)) {
      const auto pushed = static_cast<double>(with.pushed.load(std::memory_order_relaxed));
      if (static_cast<double>(totals.taken.count) >= plan.share * pushed) {
        rest();
        continue;
      }
      if constexpr (traits.batch) {
        const ext::batch_result result = queue_.thief().steal_batch(loot);
        tally taken{result.count, 0};
        for (std::size_t i = 0; i < result.count; ++i) taken.sum += loot[i];
        for (std::size_t i = 0; plan.checks && i < result.count; ++i) taken.scattered_sum += scattered(loot[i]);
        note(result.status, taken, totals);
        if (!result) after_failure(with, result.status);
      } else {
        const ext::steal_status status = steal_one(plan, totals);
        if (status != ext::steal_status::taken) after_failure(with, status);
      }
    }
  }

  // 000's rule: an attempt every 1/hz seconds, busy-waiting in between; one item per attempt.
  void steal_by_frequency(traffic& with, const steal_plan& plan, thief_totals& totals) {
    const std::uint64_t interval_ns = 1'000'000'000 / plan.hz;
    while (!stopped(with)) {
      const std::uint64_t begin = clock_ns();
      const ext::steal_status status = steal_one(plan, totals);
      std::uint64_t now = clock_ns();
      totals.attempt_ns += now - begin;
      const bool success = status == ext::steal_status::taken;
      if (plan.times != nullptr) plan.times->note(success, now - begin);
      if (!success) after_failure(with, status);
      while (now - begin < interval_ns && !stopped(with)) {
        ext::native_sync::pause();
        now = clock_ns();
      }
    }
  }

  ext::steal_status steal_one(const steal_plan& plan, thief_totals& totals) {
    const auto result = queue_.thief().steal();
    note(result.status(), result ? tally{1, *result, plan.checks ? scattered(*result) : 0} : tally{}, totals);
    return result.status();
  }

  static void note(ext::steal_status status, const tally& taken, thief_totals& totals) noexcept {
    switch (status) {
      case ext::steal_status::taken: ++totals.steals; break;
      case ext::steal_status::empty: ++totals.empty; break;
      case ext::steal_status::lost: ++totals.lost; break;
      case ext::steal_status::private_work: ++totals.private_work; break;
    }
    totals.taken += taken;
  }

  void after_failure(traffic& with, ext::steal_status status) noexcept {
    if (status == ext::steal_status::lost) {
      ext::native_sync::pause();
      return;
    }
    if (status == ext::steal_status::private_work) ask(with);
    rest();
  }

  void ask([[maybe_unused]] traffic& with) noexcept {
    if constexpr (traits.requests) queue_.thief().request();
    if constexpr (exposes_by_signal) {
      if (with.asked.load(std::memory_order_relaxed) == 0) with.asked.store(1, std::memory_order_relaxed);
    }
  }

  static constexpr int pauses_between_looks = 8;

  geometry shape_;
  Queue queue_;
};

// An entry of the registry for a queue type.
template <class Queue>
implementation describe(const char* name, const char* baseline, const char* remark = "") {
  return {.name = name, .baseline = baseline, .remark = remark, .make = &queue_adapter<Queue>::make};
}

}  // namespace pilfer::lab::queues
