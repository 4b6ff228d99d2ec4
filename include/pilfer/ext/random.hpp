// Random numbers for policies: one word of state, the same sequence on every machine, so that a seed repeats a run.
// Not for statistics that matter, nor for secrets.
// Sources: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (SplitMix64).
#pragma once

#include <cstddef>
#include <cstdint>

namespace pilfer::ext {

class random_source {
 public:
  // Streams of one seed are independent in practice: a worker's index is a good stream.
  constexpr explicit random_source(std::uint64_t seed, std::uint64_t stream = 0) noexcept
      : state_(scramble(seed ^ scramble(stream + step))) {}

  constexpr std::uint64_t operator()() noexcept {
    state_ += step;
    return scramble(state_);
  }
  // Uniform but for less than one part in a million while n stays below 4096; 0 when n is 0. Requires n < 2^32.
  constexpr std::size_t below(std::size_t n) noexcept { return ((*this)() >> 32) * n >> 32; }
  constexpr bool one_in(std::size_t n) noexcept { return below(n) == 0; }

 private:
  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15;

  static constexpr std::uint64_t scramble(std::uint64_t bits) noexcept {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
  }

  std::uint64_t state_;
};

}  // namespace pilfer::ext
