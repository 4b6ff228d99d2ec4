#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/queue/locked_deque.hpp>

#include "suite.hpp"

namespace pilfer::test {
namespace {

using ::testing::Values;

using ext::counting_sync;
using queue::locked_deque;

INSTANTIATE_TEST_SUITE_P(locked_deque, queue_conformance,
                         Values(any_capacity<locked_deque<item4>>("item4"), any_capacity<locked_deque<item8>>("item8"),
                                any_capacity<locked_deque<item16>>("item16"),
                                any_capacity<locked_deque<item8, counting_sync>>("counting")),
                         case_label());

}  // namespace
}  // namespace pilfer::test
