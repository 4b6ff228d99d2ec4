// parallel_sort and parallel_stable_sort, against the standard's.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/algorithm/sort.hpp>
#include <pilfer/algorithm/sort_serial.hpp>
#include <pilfer/algorithm/stable_sort.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>

#include "algorithm/sorting_values.hpp"
#include "support/environment.hpp"

namespace pilfer::test {
namespace {

// --- Right results.

TEST_F(sorting, integers_as_the_standard_does) {
  everywhere([](const place& at) {
    random_source random(base_seed());
    for (const std::size_t n : sorting_sizes()) {
      for (const input& in : inputs_of(n, random)) {
        SCOPED_TRACE(in.name + ", " + std::to_string(n));
        std::vector<std::int64_t> expected(in.keys.begin(), in.keys.end());
        std::vector<std::int64_t> up = expected;
        std::vector<std::int64_t> down = expected;
        std::vector<std::int64_t> stable = expected;
        std::sort(expected.begin(), expected.end());
        at.run([&] {
          parallel_sort(up);
          parallel_sort(down.begin(), down.end(), std::greater<>{});
          parallel_stable_sort(std::span(stable));
        });
        ASSERT_EQ(up, expected);
        ASSERT_EQ(stable, expected);
        std::reverse(down.begin(), down.end());
        ASSERT_EQ(down, expected);
      }
    }
  });
}

template <class Container>
void check_values(const place& at) {
  random_source random(base_seed() + 1);
  for (const std::size_t n : sorting_sizes()) {
    for (const input& in : inputs_of(n, random)) {
      SCOPED_TRACE(in.name + ", " + std::to_string(n));
      auto a = made_of<Container>(in.keys);
      auto b = made_of<Container>(in.keys);
      at.run([&] {
        parallel_sort(a, key_less{});
        parallel_stable_sort(b, std::ranges::less{}, [](const auto& x) { return key_of(x); });
      });
      expect_sorted(a, in.keys, false);
      expect_sorted(b, in.keys, true);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}
TEST_F(sorting, plain_records) { everywhere(check_values<std::vector<record>>); }
TEST_F(sorting, values_that_can_only_be_moved) {
  everywhere(check_values<std::vector<tracked_key<4>>>);
  EXPECT_EQ(tracked_key<4>::alive, 0);
}
TEST_F(sorting, values_that_are_aligned) {
  const place at{"2 workers", std::make_shared<pool>(2)};
  check_values<std::vector<tracked_key<128>>>(at);
  EXPECT_EQ(tracked_key<128>::alive, 0);
}
TEST_F(sorting, iterators_that_are_no_pointers) {
  const place at{"2 workers", std::make_shared<pool>(2)};
  check_values<std::deque<record>>(at);
  check_values<std::deque<tracked_key<4>>>(at);
  EXPECT_EQ(tracked_key<4>::alive, 0);
}

TEST_F(sorting, members_and_arrays_and_small_types) {
  std::vector<record> records = {{3, 0, 0}, {1, 1, 0}, {2, 2, 0}};
  parallel_sort(records, {}, &record::key);
  EXPECT_EQ(records[0].id, 1);
  parallel_stable_sort(records, std::greater<>{}, &record::key);
  EXPECT_EQ(records[0].id, 0);
  int array[] = {5, 3, 4};  // NOLINT(modernize-avoid-c-arrays)
  parallel_sort(array);
  EXPECT_TRUE(std::is_sorted(std::begin(array), std::end(array)));
  parallel_sort(array, array + 3, [](int a, int b) { return a > b; });
  EXPECT_EQ(array[0], 5);
  random_source random(base_seed());
  std::vector<std::uint8_t> bytes(100'000);
  for (auto& x : bytes) x = static_cast<std::uint8_t>(random());
  std::vector<float> floats(bytes.begin(), bytes.end());
  parallel_sort(bytes);
  parallel_sort(floats);
  EXPECT_TRUE(std::is_sorted(bytes.begin(), bytes.end()));
  EXPECT_TRUE(std::equal(floats.begin(), floats.end(), bytes.begin()));
}

TEST_F(sorting, inside_of_tasks) {
  pool four(4);
  random_source random(base_seed());
  std::array<std::vector<std::int64_t>, 4> all;
  for (auto& values : all) {
    values.resize(50'000);
    for (std::int64_t& x : values) x = static_cast<std::int64_t>(random.below(1'000'000));
  }
  four.run([&] {
    fork_join([&] { parallel_sort(all[0]); }, [&] { parallel_stable_sort(std::span(all[1])); },
              [&] { parallel_sort(all[2].begin(), all[2].end(), std::greater<>{}); },
              [&] { parallel_stable_sort(std::span(all[3])); });
  });
  EXPECT_TRUE(std::is_sorted(all[0].begin(), all[0].end()));
  EXPECT_TRUE(std::is_sorted(all[1].begin(), all[1].end()));
  EXPECT_TRUE(std::is_sorted(all[2].begin(), all[2].end(), std::greater<>{}));
  EXPECT_TRUE(std::is_sorted(all[3].begin(), all[3].end()));
}

// --- Strings: sorted by parts of them.

[[nodiscard]] std::vector<std::vector<std::string>> lists_of_strings(std::size_t n, random_source& random) {
  const auto text = [&](std::size_t most, unsigned letters, unsigned char from) {
    std::string s(random.below(most + 1), ' ');
    for (char& c : s) c = static_cast<char>(from + random.below(letters));
    return s;
  };
  std::vector<std::vector<std::string>> lists(6, std::vector<std::string>(n));
  for (std::size_t i = 0; i < n; ++i) {
    lists[0][i] = text(24, 26, 'a');
    lists[1][i] = text(20, 2, 0);    // zeros, which are characters too
    lists[2][i] = text(12, 3, 126);  // either side of the sign
    lists[3][i] = "/a/common/prefix/of/some/length/" + std::to_string(random.below(n));
    lists[4][i] = std::string(100 + random.below(3), 'x') + text(2, 2, 'a');
    lists[5][i] = std::to_string(random.below(50));
  }
  return lists;
}

TEST_F(sorting, strings) {
  everywhere([](const place& at) {
    random_source random(base_seed());
    for (const std::size_t n : {0U, 1U, 2U, 100U, 512U, 513U, 3000U, under_tsan ? 5000U : 40'000U}) {
      for (const auto& list : lists_of_strings(n, random)) {
        SCOPED_TRACE(n == 0 ? "none" : list[0] + ", " + std::to_string(n));
        std::vector<std::string> expected = list;
        std::sort(expected.begin(), expected.end());
        std::vector<std::string> up = list;
        std::vector<std::string> down = list;
        std::vector<std::string_view> views(list.begin(), list.end());
        std::vector<named> up_named(n);
        for (std::size_t i = 0; i < n; ++i) up_named[i] = {list[i], static_cast<int>(i)};
        std::vector<named> down_named = up_named;
        std::vector<named> expected_down = up_named;
        at.run([&] {
          parallel_sort(up);
          parallel_sort(down, std::ranges::greater{});
          parallel_sort(views, std::less<>{});
          parallel_stable_sort(up_named, {}, &named::name);
          parallel_stable_sort(down_named, std::greater<>{}, &named::name);
        });
        ASSERT_EQ(up, expected);
        ASSERT_TRUE(std::equal(down.rbegin(), down.rend(), expected.begin(), expected.end()));
        ASSERT_TRUE(std::equal(views.begin(), views.end(), expected.begin(), expected.end()));
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(up_named[i].name, expected[i]);
          if (i > 0 && expected[i] == expected[i - 1]) {
            ASSERT_LT(up_named[i - 1].id, up_named[i].id);
          }
        }
        std::sort(expected_down.begin(), expected_down.end(),
                  [](const named& a, const named& b) { return a.name != b.name ? a.name > b.name : a.id < b.id; });
        ASSERT_TRUE(std::equal(down_named.begin(), down_named.end(), expected_down.begin(), expected_down.end(),
                               [](const named& a, const named& b) { return a.name == b.name && a.id == b.id; }));
      }
    }
  });
}

// --- Few comparisons, even if the comparator is the enemy (McIlroy, "A Killer Adversary for Quicksort", 1999).

class adversary {
 public:
  explicit adversary(int n) : values_(static_cast<std::size_t>(n), gas), items_(static_cast<std::size_t>(n)) {
    std::iota(items_.begin(), items_.end(), 0);
  }
  bool operator()(int a, int b) {
    ++comparisons_;
    if (value(a) == gas && value(b) == gas) value(a == candidate_ ? a : b) = solid_++;
    if (value(a) == gas) candidate_ = a;
    if (value(b) == gas) candidate_ = b;
    return value(a) < value(b);
  }
  [[nodiscard]] std::vector<int>& items() { return items_; }
  [[nodiscard]] std::uint64_t comparisons() const { return comparisons_; }
  [[nodiscard]] int value_of(int item) { return value(item); }

 private:
  static constexpr int gas = std::numeric_limits<int>::max();
  int& value(int item) { return values_[static_cast<std::size_t>(item)]; }
  std::vector<int> values_;
  std::vector<int> items_;
  int candidate_ = 0;
  int solid_ = 0;
  std::uint64_t comparisons_ = 0;
};

TEST_F(sorting, comparisons_are_few_in_the_worst_case) {
  pool alone(1);
  for (const int n : {1000, 10'000, under_tsan ? 20'000 : 100'000}) {
    const double bound = 8 * n * std::log2(n);
    adversary enemy(n);
    alone.run([&] { parallel_sort(enemy.items(), std::ref(enemy)); });
    EXPECT_LT(static_cast<double>(enemy.comparisons()), bound) << n;
    adversary moved(n);  // other code for values that are not plain
    std::vector<std::unique_ptr<int>> items;
    for (int i = 0; i < n; ++i) items.push_back(std::make_unique<int>(i));
    alone.run([&] { parallel_sort(items, std::ref(moved), [](const auto& x) { return *x; }); });
    EXPECT_LT(static_cast<double>(moved.comparisons()), bound) << n;
    adversary stable(n);
    alone.run([&] { parallel_stable_sort(stable.items(), std::ref(stable)); });
    EXPECT_LT(static_cast<double>(stable.comparisons()), 3 * n * std::log2(n)) << n;
  }
}

// What bad pivots lead to: after so many partitions the rest is sorted by heapsort.
TEST_F(sorting, with_a_low_limit) {
  random_source random(base_seed());
  std::identity as_it_is;
  key_less by_key;
  const detail::sort_order<key_less, std::identity> less(by_key, as_it_is);
  const auto check = [&]<class Container>(Container values, const input& in, int limit) {
    using iterator = typename Container::iterator;
    detail::quicksort(detail::unsorted<iterator>{values.begin(), values.end(), limit, false}, less);
    expect_sorted(values, in.keys, false);
  };
  for (const std::size_t n : {33U, 64U, 65U, 500U, 5000U}) {
    for (const input& in : inputs_of(n, random)) {
      for (const int limit : {0, 1, 3}) {
        SCOPED_TRACE(in.name + ", " + std::to_string(n) + ", limit " + std::to_string(limit));
        check(made_of<std::vector<record>>(in.keys), in, limit);
        check(made_of<std::deque<tracked_key<4>>>(in.keys), in, limit);
      }
    }
  }
}

TEST_F(sorting, comparisons_of_usual_inputs) {
  random_source random(base_seed());
  pool two(2);
  const std::size_t n = 200'000;
  for (const input& in : inputs_of(n, random)) {
    for (const bool stable : {false, true}) {
      std::atomic<std::uint64_t> comparisons = 0;
      std::vector<int> keys = in.keys;
      const auto less = [&](int a, int b) {
        comparisons.fetch_add(1, std::memory_order_relaxed);
        return a < b;
      };
      two.run([&] { stable ? parallel_stable_sort(keys, less) : parallel_sort(keys, less); });
      EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
      EXPECT_LT(static_cast<double>(comparisons), 2 * n * std::log2(n)) << in.name << (stable ? ", stable" : "");
    }
  }
}

}  // namespace
}  // namespace pilfer::test
