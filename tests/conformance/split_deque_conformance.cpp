#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/queue/split_deque.hpp>

#include "suite.hpp"

namespace pilfer::test {
namespace {

using ::testing::Values;

using ext::counting_sync;
using ext::default_sync;
using queue::exposure_rule;
using queue::signal_safe_split_deque;
using queue::split_deque;
using queue::split_form;
using queue::split_orders;

template <class Queue, unsigned IndexBits = 64>
queue_case every_rule(const char* label) {
  return power_of_two<Queue, IndexBits>(label, exposure_rule::one, exposure_rule::conservative, exposure_rule::half);
}
template <class Queue, unsigned IndexBits = 64>
queue_case with_lace(const char* label) {
  queue_case kind = power_of_two<Queue, IndexBits>(label, exposure_rule::lace);
  kind.takes_back_half = true;
  return kind;
}

template <class T, unsigned IndexBits>
using narrow_polled = split_deque<T, default_sync, split_orders, split_form::polled, IndexBits>;

INSTANTIATE_TEST_SUITE_P(
    split_deque, queue_conformance,
    Values(every_rule<split_deque<item4>>("item4"), every_rule<split_deque<item8>>("item8"),
           every_rule<split_deque<item16>>("item16"), every_rule<narrow_polled<item8, 8>, 8>("item8_index8"),
           every_rule<narrow_polled<item4, 4>, 4>("item4_index4"),
           every_rule<split_deque<item8, counting_sync>>("counting"), with_lace<split_deque<item8>>("item8_lace"),
           with_lace<split_deque<item16>>("item16_lace"), with_lace<narrow_polled<item4, 4>, 4>("item4_index4_lace")),
    case_label());

template <class T, unsigned IndexBits>
using narrow_signal_safe = signal_safe_split_deque<T, default_sync, split_orders, IndexBits>;

INSTANTIATE_TEST_SUITE_P(signal_safe_split_deque, queue_conformance,
                         Values(power_of_two<signal_safe_split_deque<item4>>("item4"),
                                power_of_two<signal_safe_split_deque<item8>>("item8"),
                                power_of_two<signal_safe_split_deque<item16>>("item16"),
                                power_of_two<narrow_signal_safe<item8, 8>, 8>("item8_index8"),
                                power_of_two<narrow_signal_safe<item16, 4>, 4>("item16_index4"),
                                power_of_two<signal_safe_split_deque<item8, counting_sync>>("counting")),
                         case_label());

}  // namespace
}  // namespace pilfer::test
