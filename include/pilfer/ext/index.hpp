// Indices that only grow. 64 bits never wrap in practice; fewer bits make wrap-around and ABA reachable in a test.
#pragma once

#include <cstdint>
#include <type_traits>

namespace pilfer::ext {

// Unsigned arithmetic modulo 2^Bits. Values are kept normalized: below 2^Bits.
template <unsigned Bits>
struct index_math {
  static_assert(Bits >= 2 && Bits <= 64);
  using type =
      std::conditional_t<(Bits <= 8), std::uint8_t, std::conditional_t<(Bits <= 32), std::uint32_t, std::uint64_t>>;
  static constexpr std::uint64_t mask = Bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (Bits % 64)) - 1;

  [[nodiscard]] static constexpr type wrap(std::uint64_t value) noexcept { return static_cast<type>(value & mask); }
  [[nodiscard]] static constexpr type plus(type a, std::uint64_t n) noexcept { return wrap(a + n); }
  [[nodiscard]] static constexpr type minus(type a, std::uint64_t n) noexcept { return wrap(a - n); }
  // How far b is ahead of a; negative if behind. Sound while the true distance is below 2^(Bits-1).
  [[nodiscard]] static constexpr std::int64_t distance(type a, type b) noexcept {
    constexpr unsigned unused = 64 - Bits;
    return static_cast<std::int64_t>((std::uint64_t{b} - std::uint64_t{a}) << unused) >> unused;
  }
  [[nodiscard]] static constexpr bool before(type a, type b) noexcept {
    if constexpr (Bits == 64) {
      return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    } else {
      return distance(a, b) > 0;
    }
  }
  // Distances run from -1 to the capacity; a power of two up to this keeps them apart.
  static constexpr std::uint64_t max_capacity = std::uint64_t{1} << (Bits - 2 < 40 ? Bits - 2 : 40);
};

}  // namespace pilfer::ext
