#include <gtest/gtest.h>

#include <pilfer/queue/bwos_fifo.hpp>

#include "stress.hpp"

namespace pilfer::test {
namespace {

using queue::bwos_fifo;

template <class Queue>
std::vector<stress_size<Queue>> bwos_fifo_sizes() {
  return {sized<Queue>(1, ext::block_geometry{.blocks = 2, .entries = 1}),
          sized<Queue>(2, ext::block_geometry{.blocks = 2, .entries = 2}),
          sized<Queue>(7, ext::block_geometry{.blocks = 4, .entries = 7}),
          sized<Queue>(128, ext::block_geometry{.blocks = 8, .entries = 128})};
}

TEST(bwos_fifo_stress, item4) { stress<bwos_fifo<item4>>(bwos_fifo_sizes<bwos_fifo<item4>>()); }
TEST(bwos_fifo_stress, item8) { stress<bwos_fifo<item8>>(bwos_fifo_sizes<bwos_fifo<item8>>()); }
TEST(bwos_fifo_stress, item16) { stress<bwos_fifo<item16>>(bwos_fifo_sizes<bwos_fifo<item16>>()); }
TEST(bwos_fifo_stress, oversubscribed) {
  stress_oversubscribed(sized<bwos_fifo<item8>>(4, ext::block_geometry{.blocks = 4, .entries = 4}));
}

}  // namespace
}  // namespace pilfer::test
