// parallel_for, parallel_for_each, parallel_transform, parallel_invoke and their like: each element exactly once.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/algorithm/for.hpp>
#include <pilfer/algorithm/for_2d.hpp>
#include <pilfer/algorithm/invoke.hpp>
#include <pilfer/algorithm/transform.hpp>
#include <pilfer/statistics.hpp>

#include "algorithm/in_pools.hpp"

namespace pilfer::test {
namespace {

using marks = std::vector<std::atomic<int>>;
void expect_each_once(const marks& all) {
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i].load(), 1) << "element " << i << " of " << all.size();
}

TEST(parallel_for, calls_each_index_once) {
  in_pools([] {
    for (const loop_options& options : option_kinds()) {
      SCOPED_TRACE(describe(options));
      for (const std::size_t n : loop_sizes()) {
        marks seen(n);
        parallel_for(std::size_t{0}, n, [&](std::size_t i) { seen[i].fetch_add(1); }, options);
        expect_each_once(seen);
      }
    }
  });
}

TEST(parallel_for, counts_from_anywhere_in_any_type) {
  in_pools([] {
    marks seen(200);
    parallel_for(-100, 100, [&](int i) { seen[static_cast<std::size_t>(i + 100)].fetch_add(1); });
    expect_each_once(seen);
    marks bytes(256);
    parallel_for(std::int8_t{-128}, std::int8_t{127},
                 [&](std::int8_t i) { bytes[static_cast<std::size_t>(i + 128)].fetch_add(1); });
    bytes.back() = 1;
    expect_each_once(bytes);
    std::atomic<int> calls{0};
    parallel_for(UINT64_MAX - 3, UINT64_MAX, [&](std::uint64_t) { ++calls; });
    parallel_for(INT64_MAX - 3, INT64_MAX, [&](std::int64_t) { ++calls; }, {.grain = 1});
    EXPECT_EQ(calls.load(), 6);
    parallel_for(0, std::size_t{4}, [](auto i) { static_assert(std::is_same_v<decltype(i), std::size_t>); });
    parallel_for('a', 'd', [&](char) { ++calls; });
    EXPECT_EQ(calls.load(), 9);
  });
}

TEST(parallel_for, heavy_and_skewed_iterations) {
  in_pools([] {
    marks seen(3000);
    parallel_for(std::size_t{0}, seen.size(), [&](std::size_t i) {
      seen[i].fetch_add(1);
      if (i % 500 == 3 || i < 20) dawdle();
    });
    expect_each_once(seen);
  });
}

TEST(parallel_for, nested) {
  in_pools([] {
    for (const loop_options& options : option_kinds()) {
      marks seen(37 * 301);
      parallel_for(
          0, 37,
          [&](int i) {
            parallel_for(
                0, 301,
                [&](int j) {
                  if (j == 5) dawdle();
                  seen[static_cast<std::size_t>(i * 301 + j)].fetch_add(1);
                },
                options);
          },
          options);
      expect_each_once(seen);
    }
  });
}

TEST(parallel_for, blocks) {
  in_pools([] {
    for (const std::size_t n : loop_sizes()) {
      for (const std::size_t grain : {std::size_t{1}, std::size_t{10}, std::size_t{300}}) {
        marks seen(n);
        std::atomic<bool> small{false};
        parallel_for(blocked_range<long>(-5, static_cast<long>(n) - 5, grain), [&](const blocked_range<long>& block) {
          if (block.size() < std::min(grain, n)) small = true;
          for (long i = block.begin(); i != block.end(); ++i) seen[static_cast<std::size_t>(i + 5)].fetch_add(1);
        });
        expect_each_once(seen);
        EXPECT_FALSE(small.load()) << n << " with grain " << grain;
      }
    }
    std::atomic<int> calls{0};
    parallel_for(blocked_range(0, 10), [&](const auto&) { ++calls; }, {.grain = 10});
    EXPECT_EQ(calls.load(), 1);
  });
}

TEST(parallel_for, rectangles) {
  in_pools([] {
    struct shape {
      std::size_t rows, cols, grain_rows, grain_cols;
    };
    for (const shape& s :
         {shape{0, 5, 1, 1}, shape{5, 0, 1, 1}, shape{1, 1, 1, 1}, shape{1, 1000, 1, 1}, shape{1000, 1, 1, 1},
          shape{37, 53, 1, 1}, shape{100, 100, 8, 16}, shape{3, 700, 5, 10}, shape{300, 200, 1, 200}}) {
      marks seen(s.rows * s.cols);
      std::atomic<bool> small{false};
      parallel_for(blocked_range2d(7, 7 + s.rows, 9, 9 + s.cols, s.grain_rows, s.grain_cols),
                   [&](const blocked_range2d& block) {
                     if (block.rows().size() < std::min(s.rows, s.grain_rows) ||
                         block.cols().size() < std::min(s.cols, s.grain_cols)) {
                       small = true;
                     }
                     for (std::size_t r = block.rows().begin(); r != block.rows().end(); ++r) {
                       if (r % 50 == 0) dawdle();
                       for (std::size_t c = block.cols().begin(); c != block.cols().end(); ++c)
                         seen[(r - 7) * s.cols + c - 9].fetch_add(1);
                     }
                   });
      expect_each_once(seen);
      EXPECT_FALSE(small.load()) << s.rows << " x " << s.cols;
    }
  });
}

// With a grain in the options the blocks' sizes are known, whoever runs them.
TEST(parallel_for, rectangles_with_options) {
  in_pools([] {
    struct shape {
      std::size_t rows, cols, grain_rows, grain_cols;
    };
    for (const shape& s : {shape{1, 1, 1, 1}, shape{1, 300, 1, 1}, shape{300, 1, 1, 1}, shape{37, 53, 1, 1},
                           shape{60, 40, 4, 10}, shape{3, 200, 5, 10}}) {
      const std::size_t cells = s.rows * s.cols;
      for (const std::size_t grain : {std::size_t{1}, std::size_t{7}, std::size_t{100}, cells, 2 * cells}) {
        marks seen(cells);
        std::atomic<bool> small{false};
        std::atomic<bool> large{false};
        parallel_for(blocked_range2d(0, s.rows, 0, s.cols, s.grain_rows, s.grain_cols),
                     [&](const blocked_range2d& block) {
                       const std::size_t rows = block.rows().size();
                       const std::size_t cols = block.cols().size();
                       if (rows * cols < std::min(cells, grain) || rows < std::min(s.rows, s.grain_rows) ||
                           cols < std::min(s.cols, s.grain_cols)) {
                         small = true;
                       }
                       if (rows * cols >= 3 * std::max(grain, 4 * s.grain_rows * s.grain_cols)) large = true;
                       for (std::size_t r = block.rows().begin(); r != block.rows().end(); ++r) {
                         if (r % 50 == 0) dawdle();
                         for (std::size_t c = block.cols().begin(); c != block.cols().end(); ++c)
                           seen[r * s.cols + c].fetch_add(1);
                       }
                     },
                     {.grain = grain});
        expect_each_once(seen);
        EXPECT_FALSE(small.load()) << s.rows << " x " << s.cols << " with grain " << grain;
        EXPECT_FALSE(large.load()) << s.rows << " x " << s.cols << " with grain " << grain;
      }
      for (const loop_options& options : option_kinds()) {
        marks seen(cells);
        parallel_for(
            blocked_range2d(0, s.rows, 0, s.cols),
            [&](const blocked_range2d& block) {
              for (std::size_t r = block.rows().begin(); r != block.rows().end(); ++r)
                for (std::size_t c = block.cols().begin(); c != block.cols().end(); ++c)
                  seen[r * s.cols + c].fetch_add(1);
            },
            options);
        expect_each_once(seen);
      }
    }
    std::atomic<int> calls{0};
    parallel_for(blocked_range2d(0, 6, 0, 7), [&](const auto&) { ++calls; }, {.grain = 1});
    EXPECT_EQ(calls.load(), 42);
    calls = 0;
    parallel_for(blocked_range2d(0, 6, 0, 7), [&](const auto&) { ++calls; }, {.grain = 42});
    EXPECT_EQ(calls.load(), 1);
  });
}

TEST(parallel_for, throws_what_was_thrown) {
  in_pools([] {
    for (const loop_options& options : option_kinds()) {
      for (const std::size_t at : {0U, 1U, 5U, 100U, 999U}) {
        bomb one(at);
        EXPECT_THROW(parallel_for(0, 1000, [&](int) { one.tick(); }, options), thrown);
        bomb never(1000);
        EXPECT_NO_THROW(parallel_for(0, 1000, [&](int) { never.tick(); }, options));
      }
    }
    const auto throws_at_the_end = [](const blocked_range2d& block) {
      if (block.rows().end() == 30 && block.cols().end() == 30) throw thrown();
    };
    for (const loop_options& options : option_kinds()) {
      EXPECT_THROW(parallel_for(blocked_range2d(0, 30, 0, 30), throws_at_the_end, options), thrown);
    }
  });
}

TEST(parallel_for_each, elements_of_all_kinds_of_ranges) {
  in_pools([] {
    for (const loop_options& options : option_kinds()) {
      for (const std::size_t n : loop_sizes()) {
        std::vector<int> v(n);
        parallel_for_each(v, [](int& x) { ++x; }, options);
        parallel_for_each(v.begin(), v.end(), [](int& x) noexcept { ++x; }, options);
        parallel_for_each(std::span(v), [](int& x) { ++x; }, options);
        EXPECT_EQ(v, std::vector<int>(n, 3));
      }
    }
    std::vector<std::unique_ptr<int>> owners(500);
    parallel_for_each(owners, [](std::unique_ptr<int>& p) { p = std::make_unique<int>(1); });
    for (const auto& p : owners) ASSERT_NE(p, nullptr);
    std::vector<std::string> texts(100, "text");
    parallel_for_each(texts, &std::string::clear);
    EXPECT_EQ(texts, std::vector<std::string>(100));
  });
}

// A callable with a state of its own is not copied.
TEST(parallel_for_each, calls_the_object_that_was_given) {
  struct counting {
    std::atomic<int> calls{0};
    void operator()(int) { ++calls; }
  };
  counting f;
  const std::vector<int> v(1000);
  parallel_for_each(v, f);
  EXPECT_EQ(f.calls.load(), 1000);
}

TEST(parallel_transform, one_and_two_inputs) {
  in_pools([] {
    for (const loop_options& options : option_kinds()) {
      for (const std::size_t n : loop_sizes()) {
        std::vector<int> a(n);
        std::vector<long> b(n + 3);
        for (std::size_t i = 0; i < n; ++i) {
          a[i] = static_cast<int>(i);
          b[i] = 2 * static_cast<long>(i);
        }
        std::vector<long> out(n, -1);
        EXPECT_EQ(parallel_transform(a, out.begin(), [](int x) { return 3L * x; }, options), out.end());
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], 3 * static_cast<long>(i));
        EXPECT_EQ(parallel_transform(a, b, out.begin(), std::plus<>{}, options), out.end());
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], 3 * static_cast<long>(i));
        EXPECT_EQ(parallel_transform(out.begin(), out.end(), out.begin(), std::negate<>{}, options), out.end());
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], -3 * static_cast<long>(i));
      }
    }
    const std::vector<int> in(300);
    std::vector<std::unique_ptr<int>> out(300);
    parallel_transform(in, out.begin(), [](int x) { return std::make_unique<int>(x); }, {.grain = 1});
    for (const auto& p : out) ASSERT_NE(p, nullptr);
  });
}

TEST(parallel_copy, and_fill_and_generate) {
  in_pools([] {
    for (const loop_options& options : option_kinds()) {
      for (const std::size_t n : loop_sizes()) {
        std::vector<std::string> in(n);
        std::vector<std::string> out(n);
        std::atomic<int> next{0};
        parallel_generate(in, [&] { return std::to_string(next++); }, options);
        EXPECT_EQ(next.load(), static_cast<int>(n));
        EXPECT_EQ(parallel_copy(in, out.begin(), options), out.end());
        EXPECT_EQ(in, out);
        parallel_fill(out, "x", options);
        EXPECT_EQ(out, std::vector<std::string>(n, "x"));
      }
    }
  });
}

TEST(parallel_invoke, calls_each_once_and_drops_results) {
  in_pools([] {
    marks seen(4);
    parallel_invoke([&] { seen[0]++; }, [&](context) { return seen[1]++; },
                    [&] {
                      seen[2]++;
                      return std::make_unique<int>(3);
                    },
                    [&]() noexcept { seen[3]++; });
    expect_each_once(seen);
    parallel_invoke([] {});
    EXPECT_THROW(parallel_invoke([] {}, [] { throw thrown(); }, [] {}), thrown);
  });
}

// Tiny loops fork nothing, so nobody is woken for them.
TEST(parallel_for, a_tiny_loop_forks_nothing) {
  pool two(2);
  two.run([&] {
    std::vector<int> v(100);
    for (int round = 0; round < 100; ++round) parallel_for_each(v, [](int& x) { ++x; });
  });
  EXPECT_LT(two.statistics().total().steals_taken, 50U);  // a round that is interrupted may be split
}

}  // namespace
}  // namespace pilfer::test
