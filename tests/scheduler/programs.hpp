// Programs that every pool must get right.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/any_pool.hpp"
#include "scheduler/result_checks.hpp"
#include "support/environment.hpp"

namespace pilfer::test {

inline long fib(any_pool& pool, int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  pool.fork([&] { a = fib(pool, n - 1); }, [&] { b = fib(pool, n - 2); });
  return a + b;
}

// Solutions from this row on. Bits: columns, and both diagonals as seen from the row.
inline long queens(any_pool& pool, unsigned all, unsigned columns, unsigned left, unsigned right, unsigned open) {
  if (columns == all) return 1;
  if (open == 0) return 0;
  const unsigned here = open & (0U - open);
  long with = 0;
  long without = 0;
  const auto place = [&] {
    const unsigned c = columns | here;
    const unsigned l = (left | here) << 1U;
    const unsigned r = (right | here) >> 1U;
    with = queens(pool, all, c, l, r, all & ~(c | l | r));
  };
  if ((open & ~here) == 0) {
    place();
    return with;
  }
  pool.fork(place, [&] { without = queens(pool, all, columns, left, right, open & ~here); });
  return with + without;
}
inline long queens(any_pool& pool, unsigned n) {
  const unsigned all = (1U << n) - 1;
  return queens(pool, all, 0, 0, 0, all);
}

enum class shape : std::uint8_t { even, left_heavy, right_heavy, random };
[[nodiscard]] constexpr const char* to_string(shape s) {
  constexpr const char* names[] = {"even", "left-heavy", "right-heavy", "random"};
  return names[static_cast<std::size_t>(s)];
}

// A tree of forks whose leaves have numbers. Each must run once; some of them may throw.
class numbered_tree {
 public:
  explicit numbered_tree(std::size_t leaves, std::uint64_t seed = 0) : runs_(leaves), throwing_(leaves), seed_(seed) {}
  void let_throw(std::size_t leaf) { throwing_[leaf] = 1; }

  void run(any_pool& pool, shape form) { grow(pool, form, 0, runs_.size()); }

  void expect_each_once() const {
    std::size_t bad = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i] == 1) continue;
      if (++bad <= 3) ADD_FAILURE() << "leaf " << i << " ran " << runs_[i] << " times";
    }
    EXPECT_EQ(bad, 0U);
  }
  // Second halves that ran on another thread than the one that forked them.
  [[nodiscard]] std::uint64_t moved() const { return moved_; }
  [[nodiscard]] std::uint64_t forks() const { return runs_.size() - 1; }

 private:
  void grow(any_pool& pool, shape form, std::size_t from, std::size_t to) {
    if (to - from == 1) {
      ++runs_[from];
      if (throwing_[from] != 0) throw test_error(static_cast<int>(from));
      return;
    }
    const std::size_t at = split(form, from, to);
    const std::thread::id here = std::this_thread::get_id();
    pool.fork([&] { grow(pool, form, from, at); },
              [&] {
                if (std::this_thread::get_id() != here) ++moved_;
                grow(pool, form, at, to);
              });
  }
  [[nodiscard]] std::size_t split(shape form, std::size_t from, std::size_t to) const {
    switch (form) {
      case shape::left_heavy: return to - 1;
      case shape::right_heavy: return from + 1;
      case shape::random: return from + 1 + random_source(seed_ ^ (from << 32U) ^ to).below(to - from - 1);
      case shape::even: break;
    }
    return from + (to - from) / 2;
  }

  std::vector<std::atomic<std::uint32_t>> runs_;
  std::vector<char> throwing_;
  std::uint64_t seed_;
  std::atomic<std::uint64_t> moved_ = 0;
};

}  // namespace pilfer::test
