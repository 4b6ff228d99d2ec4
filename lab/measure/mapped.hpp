#pragma once

#include <functional>
#include <ranges>
#include <type_traits>
#include <vector>

namespace pilfer::lab {

// f of each element, in order; f may be a member.
template <class Range, class F>
[[nodiscard]] auto mapped(const Range& from, F f) {
  using value = std::decay_t<std::invoke_result_t<F, std::ranges::range_reference_t<const Range>>>;
  std::vector<value> to;
  to.reserve(std::ranges::size(from));
  for (const auto& each : from) to.push_back(std::invoke(f, each));
  return to;
}

}  // namespace pilfer::lab
