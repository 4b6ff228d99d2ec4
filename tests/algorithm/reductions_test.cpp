// parallel_reduce and the scans, against serial loops: in order, each element once, the same sums in each run if asked.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/algorithm/reduce.hpp>
#include <pilfer/algorithm/scan.hpp>

#include "algorithm/in_pools.hpp"

namespace pilfer::test {
namespace {

std::vector<std::uint32_t> random_numbers(std::size_t n) {
  random_source random(base_seed() + n);
  std::vector<std::uint32_t> all(n);
  for (auto& x : all) x = static_cast<std::uint32_t>(random());
  return all;
}
std::vector<matrix> random_matrices(std::size_t n) {
  random_source random(base_seed() + n);
  std::vector<matrix> all(n);
  for (auto& x : all) {
    x = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
         static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
  }
  return all;
}
std::vector<std::string> words(std::size_t n) {
  std::vector<std::string> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = std::to_string(i % 1000) + ",";
  return all;
}

TEST(parallel_reduce, sums_of_all_sizes) {
  in_pools([] {
    for (const loop_options& options : reduction_kinds()) {
      SCOPED_TRACE(describe(options));
      for (const std::size_t n : loop_sizes()) {
        const auto v = random_numbers(n);
        const auto sum = std::accumulate(v.begin(), v.end(), std::uint32_t{5});
        EXPECT_EQ(parallel_reduce(v, std::uint32_t{5}, std::plus<>{}, options), sum);
        EXPECT_EQ(parallel_reduce(v.begin(), v.end(), std::uint32_t{5}, std::plus<>{}, options), sum);
        const auto twice = [](std::uint32_t x) noexcept { return 2 * std::uint64_t{x}; };
        const std::uint64_t doubled = 2 * std::accumulate(v.begin(), v.end(), std::uint64_t{0});
        EXPECT_EQ(parallel_reduce(v, std::uint64_t{0}, std::plus<>{}, twice, options), doubled);
        EXPECT_EQ(parallel_reduce(v.begin(), v.end(), std::uint64_t{0}, std::plus<>{}, twice, options), doubled);
        EXPECT_EQ(parallel_reduce(
                      std::size_t{0}, n, std::uint64_t{0}, std::plus<>{}, [&](std::size_t i) { return twice(v[i]); },
                      options),
                  doubled);
      }
    }
  });
}

TEST(parallel_reduce, keeps_the_order) {
  in_pools([] {
    for (const loop_options& options : reduction_kinds()) {
      SCOPED_TRACE(describe(options));
      for (const std::size_t n : loop_sizes()) {
        const auto m = random_matrices(n);
        EXPECT_EQ(parallel_reduce(m, matrix{}, std::multiplies<>{}, options),
                  std::accumulate(m.begin(), m.end(), matrix{}, std::multiplies<>{}));
        if (n > 5000) continue;
        const auto texts = words(n);
        EXPECT_EQ(parallel_reduce(texts, std::string("begin:"), std::plus<>{}, options),
                  std::accumulate(texts.begin(), texts.end(), std::string("begin:")));
      }
    }
  });
}

TEST(parallel_reduce, heavy_elements_and_nested_reductions) {
  in_pools([] {
    const auto row = [](int i) {
      if (i % 10 == 0) dawdle();
      return parallel_reduce(0, 100, std::string(), std::plus<>{}, [&](int j) { return std::to_string(i + j); },
                             {.grain = 9});
    };
    std::string expected;
    for (int i = 0; i < 60; ++i) {
      for (int j = 0; j < 100; ++j) expected += std::to_string(i + j);
    }
    EXPECT_EQ(parallel_reduce(0, 60, std::string(), std::plus<>{}, row), expected);
    EXPECT_EQ(parallel_reduce(0, 60, std::string(), std::plus<>{}, row, {.deterministic = true}), expected);
  });
}

TEST(parallel_reduce, values_that_only_move) {
  in_pools([] {
    for (const loop_options& options : reduction_kinds()) {
      const auto join = [](only_moved a, only_moved b) { return only_moved(a.text() + b.text()); };
      const only_moved all =
          parallel_reduce(0, 300, only_moved("<"), join, [](int i) { return only_moved(std::to_string(i)); }, options);
      std::string expected = "<";
      for (int i = 0; i < 300; ++i) expected += std::to_string(i);
      EXPECT_EQ(all.text(), expected);
    }
  });
}

TEST(parallel_reduce, sums_that_are_the_same_in_each_run) {
  const std::size_t n = under_tsan ? 30'000 : 200'000;
  std::vector<double> v(n);
  random_source random(base_seed());
  for (double& x : v) x = std::ldexp(static_cast<double>(random() >> 11U), -static_cast<int>(random.below(90)));
  for (loop_options options : option_kinds()) {
    options.deterministic = true;
    const double sum = parallel_reduce(v, 0.0, std::plus<>{}, options);
    std::vector<double> sums(n);
    parallel_inclusive_scan(v, sums.begin(), std::plus<>{}, options);
    in_pools([&] {
      std::vector<double> again(n);
      EXPECT_EQ(parallel_reduce(v, 0.0, std::plus<>{}, options), sum);
      parallel_inclusive_scan(v, again.begin(), std::plus<>{}, options);
      EXPECT_EQ(again, sums) << describe(options);
    });
  }
}

TEST(parallel_reduce, floating_point_as_exact_as_it_can_be) {
  in_pools([] {
    for (const std::size_t n : loop_sizes()) {
      std::vector<double> v(n);
      std::iota(v.begin(), v.end(), 1.0);  // integers: no rounding, in whatever order
      for (const loop_options& options : reduction_kinds()) {
        EXPECT_EQ(parallel_reduce(v, 0.5, std::plus<>{}, options),
                  0.5 + static_cast<double>(n) * static_cast<double>(n + 1) / 2);
      }
    }
  });
}

TEST(parallel_reduce, throws_and_leaks_nothing) {
  const long before = counted::alive.load();
  in_pools([] {
    for (const loop_options& options : reduction_kinds()) {
      for (const std::size_t at : {0U, 1U, 7U, 300U, 998U}) {
        bomb one(at);
        const auto add = [&](const counted& a, const counted& b) {
          one.tick();
          return counted(a.value() + b.value());
        };
        EXPECT_THROW(static_cast<void>(parallel_reduce(
                         0, 1000, counted(0), add, [](int i) { return counted(i); }, options)),
                     thrown);
        bomb other(at);
        const auto make = [&](int i) {
          other.tick();
          return counted(i);
        };
        const auto sum = [](const counted& a, const counted& b) { return counted(a.value() + b.value()); };
        EXPECT_THROW(static_cast<void>(parallel_reduce(0, 1000, counted(0), sum, make, options)), thrown);
      }
    }
  });
  EXPECT_EQ(counted::alive.load(), before);
}

template <class T, class Op>
void expect_scans(const std::vector<T>& in, Op op, T init, const loop_options& options) {
  std::vector<T> expected(in.size());
  std::vector<T> out(in.size());
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), op);
  EXPECT_EQ(parallel_inclusive_scan(in, out.begin(), op, options), out.end());
  EXPECT_TRUE(out == expected) << in.size();
  out = in;
  EXPECT_EQ(parallel_scan(out, out.begin(), op, options), out.end());
  EXPECT_TRUE(out == expected) << in.size();
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), op, init);
  EXPECT_EQ(parallel_inclusive_scan(in.begin(), in.end(), out.begin(), op, init, options), out.end());
  EXPECT_TRUE(out == expected) << in.size();
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), init, op);
  EXPECT_EQ(parallel_exclusive_scan(in, out.begin(), init, op, options), out.end());
  EXPECT_TRUE(out == expected) << in.size();
  out = in;
  EXPECT_EQ(parallel_exclusive_scan(out.begin(), out.end(), out.begin(), init, op, options), out.end());
  EXPECT_TRUE(out == expected) << in.size();
}

TEST(parallel_scan, sums_of_all_sizes) {
  in_pools([] {
    for (const loop_options& options : reduction_kinds()) {
      SCOPED_TRACE(describe(options));
      for (const std::size_t n : loop_sizes())
        expect_scans(random_numbers(n), std::plus<>{}, std::uint32_t{7}, options);
    }
  });
}

TEST(parallel_scan, keeps_the_order) {
  in_pools([] {
    for (const loop_options& options : reduction_kinds()) {
      SCOPED_TRACE(describe(options));
      for (const std::size_t n : loop_sizes())
        expect_scans(random_matrices(n), std::multiplies<>{}, matrix{1, 1, 0, 1}, options);
      expect_scans(words(60), std::plus<>{}, std::string("begin:"), options);
    }
  });
}

TEST(parallel_scan, without_an_operator) {
  in_pools([] {
    const std::vector<int> in{1, 2, 3, 4};
    std::vector<int> out(4);
    parallel_inclusive_scan(in, out.begin());
    EXPECT_EQ(out, (std::vector<int>{1, 3, 6, 10}));
    parallel_exclusive_scan(in, out.begin(), 0);
    EXPECT_EQ(out, (std::vector<int>{0, 1, 3, 6}));
    parallel_scan(std::span(in), out.begin(), {.grain = 1});
    EXPECT_EQ(out, (std::vector<int>{1, 3, 6, 10}));
    parallel_exclusive_scan(in.begin(), in.end(), out.begin(), 10, {.deterministic = true});
    EXPECT_EQ(out, (std::vector<int>{10, 11, 13, 16}));
  });
}

TEST(parallel_scan, heavy_operators) {
  in_pools([] {
    const auto in = random_matrices(1500);
    const auto slow = [](const matrix& a, const matrix& b) {
      if (b.a % 16 == 0) dawdle();
      return a * b;
    };
    std::vector<matrix> expected(in.size());
    std::inclusive_scan(in.begin(), in.end(), expected.begin(), std::multiplies<>{});
    std::vector<matrix> out(in.size());
    parallel_inclusive_scan(in, out.begin(), slow);
    EXPECT_TRUE(out == expected);
  });
}

TEST(parallel_scan, throws_and_leaks_nothing) {
  const long before = counted::alive.load();
  in_pools([] {
    for (const loop_options& options : reduction_kinds()) {
      for (const std::size_t at : {0U, 1U, 7U, 300U, 998U}) {
        const std::vector<counted> in(1000, counted(1));
        std::vector<counted> out(1000);
        bomb one(at);
        const auto add = [&](const counted& a, const counted& b) {
          one.tick();
          return counted(a.value() + b.value());
        };
        EXPECT_THROW(parallel_inclusive_scan(in, out.begin(), add, options), thrown);
        bomb other(at);
        const auto add_too = [&](const counted& a, const counted& b) {
          other.tick();
          return counted(a.value() + b.value());
        };
        EXPECT_THROW(parallel_exclusive_scan(in, out.begin(), counted(0), add_too, options), thrown);
      }
    }
  });
  EXPECT_EQ(counted::alive.load(), before);
}

}  // namespace
}  // namespace pilfer::test
