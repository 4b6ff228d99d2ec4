// What the problems are made of: elements, and the callables that a library is given.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/measure/xorshift.hpp"
#include "lab/programs/quicksort.hpp"

namespace pilfer::lab::algorithms {

// --- Callables. Types instead of lambdas, so that every library gets the very same.

struct triple_and_one {
  void operator()(std::size_t /*place*/, std::uint32_t& x) const noexcept { x = x * 3 + 1; }
};

// The number that so many rounds of xorshift lead to. Out of line, in serial code too: where it is inlined it is compiled in
// different ways, and takes up to twice as long.
[[nodiscard]] std::uint64_t churn(std::uint64_t seed, unsigned rounds) noexcept;

// The iterations before `heavy_end` take a hundred times as long as the others.
struct skewed_churn {
  static constexpr unsigned light_rounds = 150;  // some 300 ns
  static constexpr unsigned heavy_factor = 100;
  std::size_t heavy_end;
  void operator()(std::size_t place, std::uint64_t& x) const noexcept {
    x = churn(place + 1, place < heavy_end ? heavy_factor * light_rounds : light_rounds);
  }
};

struct polynomial {
  double operator()(double x) const noexcept { return (x * 0.5 + 1.0) * x + 2.0; }
};

struct is_odd {
  bool operator()(std::int64_t x) const noexcept { return (x & 1) != 0; }
};

struct is_needle {
  static constexpr std::int32_t needle = -1;
  bool operator()(std::int32_t x) const noexcept { return x == needle; }
};

struct low_byte {
  std::size_t operator()(std::uint32_t x) const noexcept { return x & 0xFF; }
};

// Sorted by key alone: `place` tells whether equal keys kept their order, the one that <=> has.
struct record {
  std::uint32_t key;
  std::uint32_t place;
  friend auto operator<=>(const record&, const record&) = default;
};

struct by_key {
  bool operator()(const record& a, const record& b) const noexcept { return a.key < b.key; }
};

// --- Values, the same every time.

using programs::numbers_to_sort;
// Whole numbers below 256: their sums are exact in whatever order they are added.
[[nodiscard]] std::vector<double> random_doubles(std::size_t count);
// 4 to 24 letters, so that some fit into the string object and some do not.
[[nodiscard]] std::vector<std::string> random_strings(std::size_t count);
// 65536 different keys.
[[nodiscard]] std::vector<record> random_records(std::size_t count);

}  // namespace pilfer::lab::algorithms
