// parallel_filter, parallel_find, the minima and maxima, counts and histograms, against the standard library.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/algorithm/filter.hpp>
#include <pilfer/algorithm/find.hpp>
#include <pilfer/algorithm/histogram.hpp>
#include <pilfer/algorithm/minmax.hpp>

#include "algorithm/in_pools.hpp"

namespace pilfer::test {
namespace {

// Random, with many duplicates, sorted, reversed, all the same.
std::vector<std::vector<int>> inputs() {
  random_source random(base_seed());
  std::vector<std::vector<int>> all;
  for (const std::size_t n : loop_sizes()) {
    std::vector<int> v(n);
    for (int& x : v) x = static_cast<int>(random.below(1U << 30U));
    all.push_back(v);
    for (int& x : v) x %= 5;
    all.push_back(v);
    std::iota(v.begin(), v.end(), 0);
    all.push_back(v);
    std::reverse(v.begin(), v.end());
    all.push_back(v);
    std::fill(v.begin(), v.end(), 4);
    all.push_back(v);
  }
  return all;
}

TEST(parallel_filter, keeps_what_passes_in_order) {
  const auto all = inputs();
  in_pools([&] {
    for (const loop_options& options : option_kinds()) {
      SCOPED_TRACE(describe(options));
      for (const auto& in : all) {
        const auto passes = [](int x) { return x % 3 != 1; };
        std::vector<int> expected;
        std::copy_if(in.begin(), in.end(), std::back_inserter(expected), passes);
        std::vector<int> out(in.size() + 1, -7);
        const auto end = parallel_filter(in, out.begin(), passes, options);
        ASSERT_EQ(static_cast<std::size_t>(end - out.begin()), expected.size());
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
        EXPECT_TRUE(std::all_of(end, out.end(), [](int x) { return x == -7; }));

        std::vector<char> flags(in.size());
        std::transform(in.begin(), in.end(), flags.begin(), passes);
        std::fill(out.begin(), out.end(), -7);
        EXPECT_EQ(parallel_pack(in, flags, out.begin(), options), end);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
      }
    }
  });
}

TEST(parallel_filter, asks_once_for_each_element) {
  in_pools([] {
    for (const loop_options& options : option_kinds()) {
      std::vector<std::size_t> in(5000);
      std::iota(in.begin(), in.end(), std::size_t{0});
      std::vector<std::atomic<int>> asked(in.size());
      std::vector<std::size_t> out(in.size());
      const auto end = parallel_filter(
          in.begin(), in.end(), out.begin(),
          [&](std::size_t x) {
            asked[x]++;
            if (x % 700 == 0) dawdle();
            return x % 2 == 0;
          },
          options);
      EXPECT_EQ(end - out.begin(), 2500);
      for (std::size_t i = 0; i < 2500; ++i) ASSERT_EQ(out[i], 2 * i);
      for (const auto& each : asked) ASSERT_EQ(each.load(), 1);
    }
  });
}

TEST(parallel_filter, throws_and_leaks_nothing) {
  const long before = counted::alive.load();
  in_pools([] {
    for (const loop_options& options : option_kinds()) {
      for (const std::size_t at : {0U, 1U, 64U, 500U, 999U}) {
        const std::vector<counted> in(1000, counted(3));
        std::vector<counted> out(1000);
        bomb one(at);
        const auto passes = [&](const counted& x) {
          one.tick();
          return x.value() == 3;
        };
        EXPECT_THROW(parallel_filter(in, out.begin(), passes, options), thrown);
      }
    }
  });
  EXPECT_EQ(counted::alive.load(), before);
}

TEST(parallel_find, the_first_match) {
  const auto all = inputs();
  in_pools([&] {
    for (const loop_options& options : option_kinds()) {
      SCOPED_TRACE(describe(options));
      for (const auto& in : all) {
        for (const int value : {0, 1, 4, 77, 1000, -1}) {
          const auto at = std::find(in.begin(), in.end(), value);
          EXPECT_EQ(parallel_find(in, value, options), at);
          EXPECT_EQ(parallel_find(in.begin(), in.end(), value, options), at);
          const auto is_it = [&](int x) { return x == value; };
          EXPECT_EQ(parallel_find_if(in, is_it, options), at);
          EXPECT_EQ(parallel_any_of(in, is_it, options), at != in.end());
          EXPECT_EQ(parallel_none_of(in, is_it, options), at == in.end());
          EXPECT_EQ(parallel_all_of(in, is_it, options), std::all_of(in.begin(), in.end(), is_it));
          EXPECT_EQ(parallel_count(in, value, options),
                    static_cast<std::size_t>(std::count(in.begin(), in.end(), value)));
          EXPECT_EQ(parallel_count_if(in, std::not_fn(is_it), options),
                    in.size() - static_cast<std::size_t>(std::count(in.begin(), in.end(), value)));
        }
      }
    }
  });
}

TEST(parallel_find, ends_early_and_finds_the_first_of_many) {
  in_pools([] {
    std::vector<int> in(4000);
    std::iota(in.begin(), in.end(), 0);
    for (const loop_options& options : option_kinds()) {
      for (const int first : {0, 3, 1999, 3999}) {
        std::atomic<int> calls{0};
        const auto at = parallel_find_if(
            in,
            [&](int x) {
              ++calls;
              if (x % 256 == 0) dawdle();
              return x >= first;
            },
            options);
        EXPECT_EQ(*at, first);
        EXPECT_LE(calls.load(), 4000);
      }
    }
  });
}

TEST(parallel_find, throws_what_was_thrown) {
  in_pools([] {
    const std::vector<int> in(1000);
    for (const loop_options& options : option_kinds()) {
      bomb one(500);
      EXPECT_THROW(static_cast<void>(parallel_find_if(
                       in,
                       [&](int x) {
                         one.tick();
                         return x == 1;
                       },
                       options)),
                   thrown);
    }
  });
}

TEST(parallel_minmax_element, the_elements_that_the_standard_library_picks) {
  const auto all = inputs();
  in_pools([&] {
    for (const loop_options& options : option_kinds()) {
      SCOPED_TRACE(describe(options));
      for (const auto& in : all) {
        EXPECT_EQ(parallel_min_element(in, {}, {}, options), std::min_element(in.begin(), in.end()));
        EXPECT_EQ(parallel_max_element(in, {}, {}, options), std::max_element(in.begin(), in.end()));
        EXPECT_EQ(parallel_max_element(in, std::greater<>{}, {}, options),
                  std::max_element(in.begin(), in.end(), std::greater<>{}));
        const auto [least, most] = parallel_minmax_element(in, {}, {}, options);
        EXPECT_EQ(std::pair(least, most), std::minmax_element(in.begin(), in.end()));
        const auto remainder = [](int x) { return x % 7; };
        EXPECT_EQ(parallel_min_element(in, std::less<>{}, remainder, options),
                  std::ranges::min_element(in, {}, remainder));
      }
    }
    const std::vector<std::string> texts{"b", "a", "c", "a"};
    EXPECT_EQ(parallel_min_element(texts), texts.begin() + 1);
    EXPECT_EQ(parallel_max_element(texts, std::less<>{}, &std::string::size), texts.begin());
    EXPECT_EQ(*parallel_max_element(std::span(texts)), "c");
  });
}

TEST(parallel_minmax_element, throws_what_was_thrown) {
  in_pools([] {
    const std::vector<int> in(1000);
    for (const loop_options& options : option_kinds()) {
      bomb one(300);
      const auto less = [&](int a, int b) {
        one.tick();
        return a < b;
      };
      EXPECT_THROW(static_cast<void>(parallel_min_element(in, less, std::identity{}, options)), thrown);
    }
  });
}

TEST(histogram, counts_each_element_once) {
  const auto all = inputs();
  in_pools([&] {
    for (const loop_options& options : option_kinds()) {
      SCOPED_TRACE(describe(options));
      for (const auto& in : all) {
        for (const std::size_t bins : {std::size_t{1}, std::size_t{7}, std::size_t{256}, std::size_t{2000}}) {
          std::vector<std::size_t> expected(bins);
          const auto key = [&](int x) { return static_cast<std::size_t>(x) % bins; };
          for (const int x : in) ++expected[key(x)];
          if (options.grain == std::size_t{1} && bins * in.size() > 1'000'000) continue;  // as many counts as elements
          EXPECT_EQ(parallel_histogram(in, bins, key, options), expected);
        }
      }
    }
  });
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(histogram, has_its_old_name_for_one_version) {
  const std::vector<int> in{0, 1, 2, 1};
  EXPECT_EQ(histogram(in, 3, [](int x) { return x; }), (std::vector<std::size_t>{1, 2, 1}));
}
#pragma GCC diagnostic pop

TEST(histogram, throws_what_was_thrown) {
  in_pools([] {
    const std::vector<int> in(1000);
    for (const loop_options& options : option_kinds()) {
      bomb one(300);
      EXPECT_THROW(static_cast<void>(parallel_histogram(
                       in, 3,
                       [&](int x) {
                         one.tick();
                         return x;
                       },
                       options)),
                   thrown);
    }
  });
}

}  // namespace
}  // namespace pilfer::test
