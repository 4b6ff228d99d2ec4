// Any other worker, all with equal chance. Knows nothing, disturbs nobody, and is what others are compared with.
// Sources: 001 (BWoS, OSDI 2023), 6.2.3, `rand`.
#pragma once

#include <cstddef>
#include <string_view>

#include <pilfer/ext/victim_policy.hpp>

namespace pilfer::victim {

class rand_victim {
 public:
  static constexpr std::string_view name = "rand";

  explicit rand_victim(const victim_setup& setup) noexcept
      : others_(setup.self, setup.workers), random_(setup.seed, setup.self) {}

  template <class View>
  [[nodiscard]] std::size_t choose(View&& /*view*/) noexcept {
    return others_.pick(random_);
  }
  void stole(std::size_t /*victim*/) noexcept {}
  void failed(std::size_t /*victim*/) noexcept {}
  void resize(std::size_t workers) noexcept { others_.resize(workers); }

 private:
  ext::other_workers others_;
  ext::random_source random_;
};

}  // namespace pilfer::victim
