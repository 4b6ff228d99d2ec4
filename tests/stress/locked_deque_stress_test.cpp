#include <gtest/gtest.h>

#include <pilfer/queue/locked_deque.hpp>

#include "stress.hpp"

namespace pilfer::test {
namespace {

using queue::locked_deque;

template <class Queue>
std::vector<stress_size<Queue>> locked_deque_sizes() {
  return {sized<Queue>(0, std::size_t{1}), sized<Queue>(0, std::size_t{1024})};
}

TEST(locked_deque_stress, item4) { stress<locked_deque<item4>>(locked_deque_sizes<locked_deque<item4>>()); }
TEST(locked_deque_stress, item8) { stress<locked_deque<item8>>(locked_deque_sizes<locked_deque<item8>>()); }
TEST(locked_deque_stress, item16) { stress<locked_deque<item16>>(locked_deque_sizes<locked_deque<item16>>()); }
TEST(locked_deque_stress, oversubscribed) { stress_oversubscribed(sized<locked_deque<item8>>(0, std::size_t{64})); }

}  // namespace
}  // namespace pilfer::test
