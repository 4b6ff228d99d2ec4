// No library but the standard's serial algorithms, and loops: what the others are compared with.
#include <chrono>

#include "lab/algorithms/kit_session.hpp"
#include "lab/algorithms/std_algorithms.hpp"

namespace pilfer::lab::algorithms {
namespace {

struct serial_kit : std_algorithms<> {
  static constexpr std::chrono::milliseconds calms_down_in{0};
  explicit serial_kit(std::size_t /*workers*/) {}

  template <class Call>
  static void enter(Call&& call) {
    call();
  }
  template <class T, class F>
  static void loop(std::span<T> values, F f) {
    for (std::size_t i = 0; i < values.size(); ++i) f(i, values[i]);
  }
  template <class T, class F>
  static void uneven_loop(std::span<T> values, F f) {
    loop(values, f);
  }
  template <class T, class Key>
  static std::vector<std::size_t> histogram(std::span<const T> values, std::size_t bins, Key key) {
    std::vector<std::size_t> counts(bins);
    for (const T& x : values) ++counts[key(x)];
    return counts;
  }
};

}  // namespace

std::vector<library> serial_library() {
  library one = kit_library<serial_kit>(serial_name, "plain serial code, loops and std:: algorithms");
  one.serial = true;
  return {one};
}

}  // namespace pilfer::lab::algorithms
