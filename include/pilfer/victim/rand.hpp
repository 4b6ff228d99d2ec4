// Any other worker, all with equal chance. Knows nothing, disturbs nobody, and is what others are compared with.
// Sources: 001 (BWoS, OSDI 2023), 6.2.3, `rand`.
#pragma once

#include <cstddef>
#include <string_view>

#include <pilfer/ext/victim_policy.hpp>

namespace pilfer::victim {

class rand_victim : public ext::random_policy {
 public:
  static constexpr std::string_view name = "rand";

  explicit rand_victim(const victim_setup& setup) noexcept : random_policy(setup) {}

  template <class View>
  [[nodiscard]] std::size_t choose(View&& /*view*/) noexcept {
    return others_.pick(random_);
  }
};

}  // namespace pilfer::victim
