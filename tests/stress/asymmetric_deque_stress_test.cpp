#include <gtest/gtest.h>

#include <pilfer/queue/asymmetric_deque.hpp>

#include "stress.hpp"

namespace pilfer::test {
namespace {

using queue::asymmetric_deque;
using queue::fencing;

template <class Queue>
std::vector<stress_size<Queue>> asymmetric_deque_sizes() {
  return {sized<Queue>(0, std::size_t{1}, fencing::automatic), sized<Queue>(0, std::size_t{1024}, fencing::automatic),
          sized<Queue>(0, std::size_t{4}, fencing::always)};
}

TEST(asymmetric_deque_stress, item4) {
  stress<asymmetric_deque<item4>>(asymmetric_deque_sizes<asymmetric_deque<item4>>());
}
TEST(asymmetric_deque_stress, item8) {
  stress<asymmetric_deque<item8>>(asymmetric_deque_sizes<asymmetric_deque<item8>>());
}
TEST(asymmetric_deque_stress, item16) {
  stress<asymmetric_deque<item16>>(asymmetric_deque_sizes<asymmetric_deque<item16>>());
}
TEST(asymmetric_deque_stress, oversubscribed) {
  stress_oversubscribed(sized<asymmetric_deque<item8>>(0, std::size_t{1}, fencing::automatic));
}

// Promises a barrier, and then refuses it: the owner has to notice, and to change over to fences while thieves wait.
struct withdrawing_sync : ext::default_sync {
  [[nodiscard]] static bool asymmetric_fences() noexcept { return true; }
  [[nodiscard]] static bool heavy_fence() noexcept { return false; }
};
TEST(asymmetric_deque_stress, barrier_withdrawn) {
  using queue = asymmetric_deque<item8, withdrawing_sync>;
  stress<queue>({sized<queue>(0, std::size_t{1}), sized<queue>(0, std::size_t{64})});
}

}  // namespace
}  // namespace pilfer::test
