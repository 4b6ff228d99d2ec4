// fork_deque by positions, as fork_join uses it: what was pushed is popped in reverse order, or was stolen. Its handles alone
// are no queue to run for long: a stolen item keeps its place until its join.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/queue/fork_deque.hpp>

#include "support/environment.hpp"

namespace pilfer::test {
namespace {

using deque = queue::fork_deque<std::uint64_t, ext::default_sync, queue::fork_orders, std::size_t{1} << 16>;

struct fork_stress {
  fork_stress(std::size_t capacity, bool asymmetric, std::size_t items)
      : queue(std::make_unique<deque>(capacity, asymmetric)), taken(items) {}

  void steal_until_over(unsigned thief) {
    for (std::uint64_t round = thief; !over.load(std::memory_order_relaxed); ++round) {
      const auto got = queue->thief().steal();
      if (got) {
        taken[*got].fetch_add(1, std::memory_order_relaxed);
      } else if (got.status() == ext::steal_status::private_work) {
        round % 3 == 0 ? static_cast<void>(queue->seize()) : queue->request();
      }
    }
  }
  // A tree of forks, `depth` deep; every level joins what it forked. A fork that finds no room runs in place.
  void fork_and_join(unsigned depth) {
    if (depth == 0 || next == taken.size()) return;
    const std::uint64_t item = next++;
    auto* const at = queue->cursor();
    const bool pushed = queue->push_at(at, item) || queue->look_up_after_push(at).next != at;
    fork_and_join(depth - 1);
    const bool mine =
        !pushed || queue->pop_at(at) || queue->look_up_before_pop(at).outcome != deque::pop_outcome::stolen;
    if (mine) {
      taken[item].fetch_add(1, std::memory_order_relaxed);
      ++kept;
    }
    fork_and_join(depth - 1);
  }

  std::unique_ptr<deque> queue;
  std::vector<std::atomic<int>> taken;
  std::atomic<bool> over{false};
  std::uint64_t next = 0;
  std::uint64_t kept = 0;
};

void stress_forks(std::size_t capacity, bool asymmetric, unsigned thieves) {
  fork_stress all(capacity, asymmetric, stress_amount(60000));
  std::vector<std::thread> crew;
  for (unsigned t = 0; t < thieves; ++t) crew.emplace_back([&all, t] { all.steal_until_over(t); });
  for (std::size_t round = 0; all.next != all.taken.size() && more_stress(round, all.taken.size()); ++round) {
    all.fork_and_join(10);
  }
  all.over = true;
  for (std::thread& each : crew) each.join();
  for (std::size_t i = 0; i < all.next; ++i) {
    ASSERT_EQ(all.taken[i].load(), 1) << "item " << i << " of " << all.next << ", capacity " << capacity;
  }
}

TEST(fork_deque_stress, each_fork_runs_once) {
  for (const unsigned thieves : {1U, 2U, 5U}) {
    for (const std::size_t capacity : {std::size_t{1}, std::size_t{3}, std::size_t{1000}})
      stress_forks(capacity, true, thieves);
  }
}
TEST(fork_deque_stress, without_membarrier) { stress_forks(1000, false, 3); }

}  // namespace
}  // namespace pilfer::test
