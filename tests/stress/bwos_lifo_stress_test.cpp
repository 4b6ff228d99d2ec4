#include <gtest/gtest.h>

#include <pilfer/queue/bwos_lifo.hpp>

#include "stress.hpp"

namespace pilfer::test {
namespace {

using queue::bwos_lifo;

template <class Queue>
std::vector<stress_size<Queue>> bwos_lifo_sizes() {
  return {sized<Queue>(1, ext::block_geometry{.blocks = 2, .entries = 1}),
          sized<Queue>(2, ext::block_geometry{.blocks = 2, .entries = 2}),
          sized<Queue>(7, ext::block_geometry{.blocks = 4, .entries = 7}),
          sized<Queue>(128, ext::block_geometry{.blocks = 8, .entries = 128})};
}

TEST(bwos_lifo_stress, item4) { stress<bwos_lifo<item4>>(bwos_lifo_sizes<bwos_lifo<item4>>()); }
TEST(bwos_lifo_stress, item8) { stress<bwos_lifo<item8>>(bwos_lifo_sizes<bwos_lifo<item8>>()); }
TEST(bwos_lifo_stress, item16) { stress<bwos_lifo<item16>>(bwos_lifo_sizes<bwos_lifo<item16>>()); }
TEST(bwos_lifo_stress, oversubscribed) {
  stress_oversubscribed(sized<bwos_lifo<item8>>(4, ext::block_geometry{.blocks = 4, .entries = 4}));
}

}  // namespace
}  // namespace pilfer::test
