#include <gtest/gtest.h>

#include <pilfer/queue/global_queue.hpp>

#include "stress.hpp"

namespace pilfer::test {
namespace {

using queue::global_queue;

template <class Queue>
std::vector<stress_size<Queue>> global_queue_sizes() {
  return {sized<Queue>(0, std::size_t{1}), sized<Queue>(0, std::size_t{1024})};
}

TEST(global_queue_stress, item4) { stress<global_queue<item4>>(global_queue_sizes<global_queue<item4>>()); }
TEST(global_queue_stress, item8) { stress<global_queue<item8>>(global_queue_sizes<global_queue<item8>>()); }
TEST(global_queue_stress, item16) { stress<global_queue<item16>>(global_queue_sizes<global_queue<item16>>()); }
TEST(global_queue_stress, oversubscribed) { stress_oversubscribed(sized<global_queue<item8>>(0, std::size_t{64})); }

}  // namespace
}  // namespace pilfer::test
