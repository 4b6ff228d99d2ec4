#include <gtest/gtest.h>

#include <pilfer/queue/abp_deque.hpp>

#include "stress.hpp"

namespace pilfer::test {
namespace {

using queue::abp_deque;

template <class Queue>
std::vector<stress_size<Queue>> abp_deque_sizes() {
  return {sized<Queue>(0, std::size_t{1}), sized<Queue>(0, std::size_t{3}), sized<Queue>(0, std::size_t{1000})};
}

TEST(abp_deque_stress, item4) { stress<abp_deque<item4>>(abp_deque_sizes<abp_deque<item4>>()); }
TEST(abp_deque_stress, item8) { stress<abp_deque<item8>>(abp_deque_sizes<abp_deque<item8>>()); }
TEST(abp_deque_stress, item16) { stress<abp_deque<item16>>(abp_deque_sizes<abp_deque<item16>>()); }
TEST(abp_deque_stress, oversubscribed) { stress_oversubscribed(sized<abp_deque<item8>>(0, std::size_t{64})); }

}  // namespace
}  // namespace pilfer::test
