#include <gtest/gtest.h>

#include <pilfer/queue/split_deque.hpp>

#include "stress.hpp"

namespace pilfer::test {
namespace {

using queue::exposure_rule;
using queue::signal_safe_split_deque;
using queue::split_deque;

template <class Queue>
std::vector<stress_size<Queue>> split_deque_sizes() {
  if constexpr (Queue::traits.requests) {
    return {sized<Queue>(0, std::size_t{1}, exposure_rule::one),
            sized<Queue>(0, std::size_t{4}, exposure_rule::conservative),
            sized<Queue>(0, std::size_t{1024}, exposure_rule::half),
            sized<Queue>(0, std::size_t{16}, exposure_rule::lace)};
  } else {
    return {sized<Queue>(0, std::size_t{1}), sized<Queue>(0, std::size_t{4}), sized<Queue>(0, std::size_t{1024})};
  }
}

TEST(split_deque_stress, item4) { stress<split_deque<item4>>(split_deque_sizes<split_deque<item4>>()); }
TEST(split_deque_stress, item8) { stress<split_deque<item8>>(split_deque_sizes<split_deque<item8>>()); }
TEST(split_deque_stress, item16) { stress<split_deque<item16>>(split_deque_sizes<split_deque<item16>>()); }
TEST(split_deque_stress, oversubscribed) {
  stress_oversubscribed(sized<split_deque<item8>>(0, std::size_t{1}, exposure_rule::half));
}
TEST(split_deque_stress, oversubscribed_lace) {
  stress_oversubscribed(sized<split_deque<item8>>(0, std::size_t{1}, exposure_rule::lace));
}

TEST(signal_safe_split_deque_stress, item4) {
  stress<signal_safe_split_deque<item4>>(split_deque_sizes<signal_safe_split_deque<item4>>());
}
TEST(signal_safe_split_deque_stress, item8) {
  stress<signal_safe_split_deque<item8>>(split_deque_sizes<signal_safe_split_deque<item8>>());
}
TEST(signal_safe_split_deque_stress, item16) {
  stress<signal_safe_split_deque<item16>>(split_deque_sizes<signal_safe_split_deque<item16>>());
}
TEST(signal_safe_split_deque_stress, oversubscribed) {
  stress_oversubscribed(sized<signal_safe_split_deque<item8>>(0, std::size_t{1}));
}

}  // namespace
}  // namespace pilfer::test
