#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/queue/global_queue.hpp>

#include "suite.hpp"

namespace pilfer::test {
namespace {

using ::testing::Values;

using ext::counting_sync;
using queue::global_queue;

INSTANTIATE_TEST_SUITE_P(global_queue, queue_conformance,
                         Values(any_capacity<global_queue<item4>>("item4"), any_capacity<global_queue<item8>>("item8"),
                                any_capacity<global_queue<item16>>("item16"),
                                any_capacity<global_queue<item8, counting_sync>>("counting")),
                         case_label());

}  // namespace
}  // namespace pilfer::test
