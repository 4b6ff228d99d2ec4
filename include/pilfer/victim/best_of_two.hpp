// Two different workers at random, and of these the one with more. The second look is what balances: most of the gain of
// looking at everybody, for the price of disturbing two.
// Sources: 001, 6.2.3, `best_of_two`; Mitzenmacher, "The power of two choices in randomized load balancing".
#pragma once

#include <cstddef>
#include <string_view>

#include <pilfer/ext/victim_policy.hpp>

namespace pilfer::victim {

class best_of_two : public ext::random_policy {
 public:
  static constexpr std::string_view name = "best_of_two";

  explicit best_of_two(const victim_setup& setup) noexcept : random_policy(setup) {}

  template <class View>
  [[nodiscard]] std::size_t choose(View&& view) {
    const std::size_t count = others_.count();
    if (count < 2) return others_.pick(random_);  // nothing to compare: nobody is asked
    const std::size_t a = random_.below(count);
    const std::size_t b = random_.below(count - 1);
    const std::size_t first = others_.at(a);
    const std::size_t second = others_.at(b < a ? b : b + 1);
    // Equal ones: either came first with the same chance.
    return view.size_hint(second) > view.size_hint(first) ? second : first;
  }
};

}  // namespace pilfer::victim
