// Items that know who they are. A test numbers its items 0, 1, 2, …; an item carries its number in disguise, so that zeroed,
// stale or torn memory does not pass for a low number.
#pragma once

#include <bit>
#include <cstdint>

namespace pilfer::test {

using item4 = std::uint32_t;
using item8 = std::uint64_t;
struct item16 {
  std::uint64_t value;
  std::uint64_t check;
};

// What id_of says of memory that no test wrote.
inline constexpr std::uint64_t not_an_item = ~std::uint64_t{0};

namespace item_code {
// Odd factors, and their inverses modulo 2^32 and 2^64.
inline constexpr std::uint32_t factor4 = 0x9E3779B1U;
inline constexpr std::uint64_t factor8 = 0x9E3779B97F4A7C15ULL;

template <class Word>
[[nodiscard]] constexpr Word inverse(Word odd) noexcept {
  Word x = odd;  // right in the lowest 3 bits; each step doubles that
  for (int i = 0; i < 5; ++i) x = static_cast<Word>(x * (2 - odd * x));
  return x;
}
static_assert(static_cast<std::uint32_t>(inverse(factor4) * factor4) == 1);
static_assert(inverse(factor8) * factor8 == 1);

[[nodiscard]] constexpr std::uint64_t checksum(std::uint64_t value) noexcept { return std::rotl(~value * factor8, 23); }
}  // namespace item_code

template <class T>
[[nodiscard]] constexpr T make_item(std::uint64_t id) noexcept {
  if constexpr (sizeof(T) == 4) {
    return static_cast<std::uint32_t>((static_cast<std::uint32_t>(id) + 1) * item_code::factor4);
  } else if constexpr (sizeof(T) == 8) {
    return (id + 1) * item_code::factor8;
  } else {
    const std::uint64_t value = (id + 1) * item_code::factor8;
    return {value, item_code::checksum(value)};
  }
}

// The number that make_item was given; an absurdly high one if the item is garbage, not_an_item if it is seen to be torn.
template <class T>
[[nodiscard]] constexpr std::uint64_t id_of(const T& item) noexcept {
  if constexpr (sizeof(T) == 4) {
    return static_cast<std::uint32_t>(item * item_code::inverse(item_code::factor4) - 1);
  } else if constexpr (sizeof(T) == 8) {
    return item * item_code::inverse(item_code::factor8) - 1;
  } else {
    if (item.check != item_code::checksum(item.value)) return not_an_item;
    return item.value * item_code::inverse(item_code::factor8) - 1;
  }
}

static_assert(sizeof(item16) == 16);
static_assert(id_of(make_item<item4>(12345)) == 12345 && id_of(make_item<item8>(12345)) == 12345 &&
              id_of(make_item<item16>(12345)) == 12345);
static_assert(id_of(item16{make_item<item16>(1).value, make_item<item16>(2).check}) == not_an_item);

}  // namespace pilfer::test
