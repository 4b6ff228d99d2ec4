#include "lab/details/disturbed_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/split_deque.hpp>

#include "lab/details/owner_loops.hpp"
#include "lab/details/pacer.hpp"
#include "lab/measure/interrupt.hpp"

namespace pilfer::lab::details {
namespace {

using clock = std::chrono::steady_clock;
using queues::payload;
using queues::tally;

constexpr int pauses_between_looks = 8;
void rest() noexcept {
  for (int i = 0; i < pauses_between_looks; ++i) ext::native_sync::pause();
}

// Flags and counts that only steer: relaxed.
bool stopped(const stop_flag& stop) noexcept { return stop.load(std::memory_order_relaxed); }
std::uint64_t read(const progress_word& word) noexcept { return word.count.load(std::memory_order_relaxed); }

template <class Queue>
class disturbed final : public disturbed_queue {
 public:
  template <class... Arguments>
  explicit disturbed(const queues::geometry& shape, Arguments... arguments)
      : capacity_(queues::capacity_of(shape)), queue_(arguments...) {}

  void run_round(progress_word& pushed, queues::owner_totals& totals) override {
    totals.pushed += fill_queue(queue_, capacity_);
    pushed.count.store(totals.pushed.count, std::memory_order_relaxed);  // steers only
    totals.popped += empty_queue(queue_);
  }

  tally drain() override { return drain_queue(queue_); }

  std::uint64_t ask_sizes(const progress_word& pushed, double share, const stop_flag& stop) override {
    const auto thief = queue_.thief();
    pacer pace(2 * share);  // an item that is pushed is popped: two operations
    std::uint64_t asked = 0;
    while (!stopped(stop)) {
      if (!pace.due(read(pushed), asked)) continue;
      std::size_t size = thief.size_hint();
      __asm__ volatile("" : "+r"(size));  // the answer counts as used
      ++asked;
    }
    return asked;
  }

  queues::thief_totals steal(const progress_word& pushed, double share, std::size_t batch,
                             const stop_flag& stop) override {
    queues::thief_totals totals;
    std::vector<payload> loot(batch);
    while (!stopped(stop)) {
      if (static_cast<double>(totals.taken.count) >= share * static_cast<double>(read(pushed))) {
        rest();
        continue;
      }
      const ext::steal_status status = attempt(loot, totals);
      if (status == ext::steal_status::taken) continue;
      if (status == ext::steal_status::lost) {
        ext::native_sync::pause();
        continue;
      }
      if constexpr (Queue::traits.requests) {
        if (status == ext::steal_status::private_work) queue_.thief().request();
      }
      rest();
    }
    return totals;
  }

 private:
  ext::steal_status attempt(std::span<payload> loot, queues::thief_totals& totals) {
    ext::batch_result result;
    if constexpr (Queue::traits.batch) {
      result = queue_.thief().steal_batch(loot);
    } else {
      const auto one = queue_.thief().steal();
      result = {.status = one.status(), .count = one ? std::size_t{1} : 0};
      if (one) loot[0] = *one;
    }
    for (const payload item : loot.first(result.count)) totals.taken += {1, item};
    switch (result.status) {
      case ext::steal_status::taken: ++totals.steals; break;
      case ext::steal_status::empty: ++totals.empty; break;
      case ext::steal_status::lost: ++totals.lost; break;
      case ext::steal_status::private_work: ++totals.private_work; break;
    }
    return result.status;
  }

  std::size_t capacity_;
  Queue queue_;
};

template <class Queue, class... Arguments>
disturbed_kind make_disturbed_kind(const char* name, Arguments... arguments) {
  return {.name = name, .batches = Queue::traits.batch, .make = [arguments...](const queues::geometry& shape) {
            std::unique_ptr<disturbed_queue> made;
            if constexpr (std::is_constructible_v<Queue, queues::geometry>) {
              made = std::make_unique<disturbed<Queue>>(shape, shape);
            } else {
              made = std::make_unique<disturbed<Queue>>(shape, queues::capacity_of(shape), arguments...);
            }
            return made;
          }};
}

}  // namespace

const std::vector<disturbed_kind>& disturbed_kinds() {
  static const std::vector<disturbed_kind> kinds = {
      make_disturbed_kind<queue::abp_deque<payload>>("abp"),
      make_disturbed_kind<queue::chase_lev_deque<payload>>("chase-lev"),
      make_disturbed_kind<queue::bwos_lifo<payload>>("bwos-lifo"),
      make_disturbed_kind<queue::bwos_fifo<payload>>("bwos-fifo"),
      make_disturbed_kind<queue::split_deque<payload>>("split", queue::exposure_rule::half),
  };
  return kinds;
}

void check_items(const std::string& name, const tally& pushed, const tally& popped, const tally& stolen,
                 const tally& left) {
  const tally found = popped + stolen + left;
  if (found == pushed) return;
  throw std::runtime_error(fmt::format("{}: {} items pushed, but {} popped + {} stolen + {} left{}", name, pushed.count,
                                       popped.count, stolen.count, left.count,
                                       found.count == pushed.count ? ": not the same items" : ""));
}

owner_sample sample_owner(const std::string& name, disturbed_queue& queue, crew& other,
                          std::chrono::microseconds length, const disturber& what) {
  owner_sample result;
  progress_word nobody;
  queues::owner_totals warm_up;
  queue.run_round(nobody, warm_up);
  check_items(name, warm_up.pushed, warm_up.popped, {}, queue.drain());

  progress_word pushed;
  tally stolen;
  other.begin([&](std::size_t /*member*/, const stop_flag& stop) { stolen = what(pushed, stop); });
  const auto start = clock::now();
  auto now = start;
  while (now - start < length && interrupt_signal() == 0) {
    queue.run_round(pushed, result.owner);
    now = clock::now();
  }
  other.finish();
  throw_if_interrupted();
  check_items(name, result.owner.pushed, result.owner.popped, stolen, queue.drain());
  const auto operations = static_cast<double>(std::max<std::uint64_t>(result.owner.operations(), 1));
  result.ns = std::chrono::duration<double, std::nano>(now - start).count() / operations;
  return result;
}

}  // namespace pilfer::lab::details
