#include <gtest/gtest.h>

#include <pilfer/queue/chase_lev_deque.hpp>

#include "stress.hpp"

namespace pilfer::test {
namespace {

using queue::bounded_chase_lev_deque;
using queue::chase_lev_deque;

template <class Queue>
std::vector<stress_size<Queue>> chase_lev_deque_sizes() {
  return {sized<Queue>(0, std::size_t{1}), sized<Queue>(0, std::size_t{4}), sized<Queue>(0, std::size_t{1024})};
}

TEST(chase_lev_deque_stress, item4) { stress<chase_lev_deque<item4>>(chase_lev_deque_sizes<chase_lev_deque<item4>>()); }
TEST(chase_lev_deque_stress, item8) { stress<chase_lev_deque<item8>>(chase_lev_deque_sizes<chase_lev_deque<item8>>()); }
TEST(chase_lev_deque_stress, item16) {
  stress<chase_lev_deque<item16>>(chase_lev_deque_sizes<chase_lev_deque<item16>>());
}
TEST(chase_lev_deque_stress, oversubscribed) {
  stress_oversubscribed(sized<chase_lev_deque<item8>>(0, std::size_t{1}));
}

TEST(bounded_chase_lev_deque_stress, item4) {
  stress<bounded_chase_lev_deque<item4>>(chase_lev_deque_sizes<bounded_chase_lev_deque<item4>>());
}
TEST(bounded_chase_lev_deque_stress, item8) {
  stress<bounded_chase_lev_deque<item8>>(chase_lev_deque_sizes<bounded_chase_lev_deque<item8>>());
}
TEST(bounded_chase_lev_deque_stress, item16) {
  stress<bounded_chase_lev_deque<item16>>(chase_lev_deque_sizes<bounded_chase_lev_deque<item16>>());
}
TEST(bounded_chase_lev_deque_stress, oversubscribed) {
  stress_oversubscribed(sized<bounded_chase_lev_deque<item8>>(0, std::size_t{64}));
}

}  // namespace
}  // namespace pilfer::test
