#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>

#include "suite.hpp"

namespace pilfer::test {
namespace {

using ::testing::Values;

using ext::counting_sync;
using ext::default_sync;
using queue::bounded_chase_lev_deque;
using queue::chase_lev_deque;
using queue::chase_lev_orders;
using queue::growth;

template <class T, unsigned IndexBits>
using narrow_growing = chase_lev_deque<T, default_sync, chase_lev_orders, growth::growing, IndexBits>;

INSTANTIATE_TEST_SUITE_P(chase_lev_deque, queue_conformance,
                         Values(power_of_two<chase_lev_deque<item4>>("item4"),
                                power_of_two<chase_lev_deque<item8>>("item8"),
                                power_of_two<chase_lev_deque<item16>>("item16"),
                                power_of_two<narrow_growing<item8, 8>, 8>("item8_index8"),
                                power_of_two<narrow_growing<item4, 4>, 4>("item4_index4"),
                                power_of_two<chase_lev_deque<item8, counting_sync>>("counting")),
                         case_label());

template <class T, unsigned IndexBits>
using narrow_bounded = bounded_chase_lev_deque<T, default_sync, chase_lev_orders, IndexBits>;

INSTANTIATE_TEST_SUITE_P(bounded_chase_lev_deque, queue_conformance,
                         Values(power_of_two<bounded_chase_lev_deque<item4>>("item4"),
                                power_of_two<bounded_chase_lev_deque<item8>>("item8"),
                                power_of_two<bounded_chase_lev_deque<item16>>("item16"),
                                power_of_two<narrow_bounded<item8, 8>, 8>("item8_index8"),
                                power_of_two<narrow_bounded<item16, 4>, 4>("item16_index4"),
                                power_of_two<bounded_chase_lev_deque<item8, counting_sync>>("counting")),
                         case_label());

}  // namespace
}  // namespace pilfer::test
