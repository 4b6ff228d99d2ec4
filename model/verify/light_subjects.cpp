// The deques whose owner synchronizes little: split and asymmetric.
#include "runtime_orders.hpp"

namespace pilfer::model::verify {
namespace {

using item = std::uint32_t;

struct asymmetric_tag {
  static constexpr bool growing = true;
  static constexpr bool asymmetric = true;
};
struct polled_tag {};
struct signal_tag {};

template <unsigned Bits>
result check_split_of(const run& what, const options& how) {
  using queue_type = queue::split_deque<item, model_sync, split_variable<polled_tag>, queue::split_form::polled, Bits>;
  const auto rule = what.lace   ? queue::exposure_rule::lace
                    : what.half ? queue::exposure_rule::half
                                : queue::exposure_rule::one;
  return check_queue<queue_type, promises{}>(what, how, [&] { return queue_type(what.size, rule); });
}
result check_split(const run& what, const options& how) {
  return what.narrow ? check_split_of<3>(what, how) : check_split_of<64>(what, how);
}

template <unsigned Bits>
result check_signal_of(const run& what, const options& how) {
  using queue_type =
      queue::split_deque<item, model_sync, split_variable<signal_tag>, queue::split_form::signal_safe, Bits>;
  return check_queue<queue_type, promises{}>(what, how, [&] { return queue_type(what.size); });
}
result check_signal(const run& what, const options& how) {
  return what.narrow ? check_signal_of<3>(what, how) : check_signal_of<64>(what, how);
}

template <unsigned Bits>
result check_asymmetric_of(const run& what, const options& how) {
  using queue_type = queue::asymmetric_deque<item, model_sync, chase_lev_variable<asymmetric_tag>, Bits>;
  return check_queue<queue_type, promises{}>(what, how, [&] { return queue_type(what.size); });
}
result check_asymmetric(const run& what, const options& how) {
  return what.narrow ? check_asymmetric_of<3>(what, how) : check_asymmetric_of<64>(what, how);
}

}  // namespace

void add_light(std::vector<subject>& to) {
  to.push_back({.name = "split",
                .traits = queue::split_deque<item, model_sync>::traits,
                .growing = true,
                .reuses_slots = true,
                .check = check_split,
                .orders = split_variable<polled_tag>::all});
  to.push_back({.name = "split-signal",
                .traits = queue::signal_safe_split_deque<item, model_sync>::traits,
                .growing = true,
                .signals = true,
                .reuses_slots = true,
                .check = check_signal,
                .orders = split_variable<signal_tag>::all});
  to.push_back({.name = "asymmetric",
                .traits = queue::asymmetric_deque<item, model_sync>::traits,
                .growing = true,
                .asymmetric = true,
                .reuses_slots = true,
                .check = check_asymmetric,
                .orders = chase_lev_variable<asymmetric_tag>::all});
}

}  // namespace pilfer::model::verify
