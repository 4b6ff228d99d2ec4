#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/queue/bwos_lifo.hpp>

#include "suite.hpp"

namespace pilfer::test {
namespace {

using ::testing::Values;

using ext::counting_sync;
using ext::default_sync;
using queue::bwos_lifo;
using queue::bwos_lifo_orders;

template <class T, unsigned TagBits>
using narrow_bwos_lifo = bwos_lifo<T, default_sync, bwos_lifo_orders, TagBits>;

INSTANTIATE_TEST_SUITE_P(bwos_lifo, queue_conformance,
                         Values(blocks<bwos_lifo<item4>>("item4"), blocks<bwos_lifo<item8>>("item8"),
                                blocks<bwos_lifo<item16>>("item16"), blocks<narrow_bwos_lifo<item8, 3>>("item8_tag3"),
                                blocks<narrow_bwos_lifo<item16, 4>>("item16_tag4"),
                                blocks<bwos_lifo<item8, counting_sync>>("counting")),
                         case_label());

}  // namespace
}  // namespace pilfer::test
