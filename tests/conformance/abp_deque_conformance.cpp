#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/queue/abp_deque.hpp>

#include "suite.hpp"

namespace pilfer::test {
namespace {

using ::testing::Values;

using ext::counting_sync;
using ext::default_sync;
using queue::abp_deque;
using queue::abp_orders;

template <class T, unsigned TagBits>
using narrow_abp_deque = abp_deque<T, default_sync, abp_orders, TagBits>;

INSTANTIATE_TEST_SUITE_P(abp_deque, queue_conformance,
                         Values(any_capacity<abp_deque<item4>>("item4"), any_capacity<abp_deque<item8>>("item8"),
                                any_capacity<abp_deque<item16>>("item16"),
                                any_capacity<narrow_abp_deque<item8, 3>>("item8_tag3"),
                                any_capacity<narrow_abp_deque<item16, 1>>("item16_tag1"),
                                any_capacity<abp_deque<item8, counting_sync>>("counting")),
                         case_label());

}  // namespace
}  // namespace pilfer::test
