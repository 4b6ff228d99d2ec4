// How much a test does, and with which random numbers: from the environment and from how the test was built.
//
//   PILFER_STRESS   a factor for the amount and the time of stress, default 1
//   PILFER_SEED     the seed of all random choices; default: another one in each run. A failing test prints its own.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace pilfer::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool under_tsan = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = false;
#endif
#else
inline constexpr bool under_tsan = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_asan = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = false;
#endif
#else
inline constexpr bool under_asan = false;
#endif

// Small, fast, and the same on every machine (splitmix64).
class random_source {
 public:
  explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t operator()() noexcept {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // Uniform enough for a test; 0 when n is 0.
  std::uint64_t below(std::uint64_t n) noexcept { return n == 0 ? 0 : (*this)() % n; }
  bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

// One per process.
[[nodiscard]] inline std::uint64_t base_seed() {
  static const std::uint64_t seed = [] {
    if (const char* text = std::getenv("PILFER_SEED"))
      return static_cast<std::uint64_t>(std::strtoull(text, nullptr, 0));
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  }();
  return seed;
}

// For SCOPED_TRACE.
[[nodiscard]] inline std::string describe_seed() { return "to repeat: PILFER_SEED=" + std::to_string(base_seed()); }

[[nodiscard]] inline double stress_factor() {
  static const double factor = [] {
    const char* text = std::getenv("PILFER_STRESS");
    const double wanted = text != nullptr ? std::strtod(text, nullptr) : 1.0;
    return wanted > 0 ? wanted : 1.0;
  }();
  return factor;
}

// The part of `amount` that a stress test should do in this build and environment; at least 1.
[[nodiscard]] inline std::size_t stress_amount(std::size_t amount) {
  constexpr double slowness = under_tsan ? 10.0 : under_asan ? 3.0 : 1.0;
  return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(amount) * stress_factor() / slowness));
}

// The condition of a stress loop: `for (std::size_t round = 0; more_stress(round, most); ++round)`.
// Returns true for the first round, then until `most` rounds or the loop's time are used up; PILFER_STRESS multiplies both.
// A loop that is the whole of a test may ask for several `shares` of time.
// Requires that the loop stays on its thread, and that no other such loop runs inside it.
[[nodiscard]] inline bool more_stress(std::size_t round, std::size_t most, unsigned shares = 1) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::duration<double, std::milli> one_loop_ms{50};
  thread_local clock::time_point begin;
  if (round == 0) {
    begin = clock::now();
    return true;
  }
  return static_cast<double>(round) < static_cast<double>(most) * stress_factor() &&
         clock::now() - begin < one_loop_ms * shares * stress_factor();
}

}  // namespace pilfer::test
