#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>

#include "suite.hpp"

namespace pilfer::test {
namespace {

using ::testing::Values;

using ext::counting_sync;
using ext::default_sync;
using queue::asymmetric_deque;
using queue::asymmetric_orders;
using queue::fencing;

template <class Queue, unsigned IndexBits = 64>
queue_case both_fencings(const char* label) {
  return power_of_two<Queue, IndexBits>(label, fencing::automatic, fencing::always);
}

template <class T, unsigned IndexBits>
using narrow_asymmetric_deque = asymmetric_deque<T, default_sync, asymmetric_orders, IndexBits>;

INSTANTIATE_TEST_SUITE_P(asymmetric_deque, queue_conformance,
                         Values(both_fencings<asymmetric_deque<item4>>("item4"),
                                both_fencings<asymmetric_deque<item8>>("item8"),
                                both_fencings<asymmetric_deque<item16>>("item16"),
                                both_fencings<narrow_asymmetric_deque<item8, 8>, 8>("item8_index8"),
                                both_fencings<narrow_asymmetric_deque<item4, 4>, 4>("item4_index4"),
                                both_fencings<asymmetric_deque<item8, counting_sync>>("counting")),
                         case_label());

}  // namespace
}  // namespace pilfer::test
