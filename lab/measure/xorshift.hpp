#pragma once

#include <cstdint>

namespace pilfer::lab {

// Marsaglia's generator: the same numbers everywhere, every time. A state of 0 stays 0.
class xorshift {
 public:
  explicit constexpr xorshift(std::uint64_t seed = 0x9e3779b97f4a7c15) noexcept : state_(seed) {}
  constexpr std::uint64_t next() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  std::uint64_t state_;
};

}  // namespace pilfer::lab
