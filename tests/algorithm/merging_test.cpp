// parallel_merge, parallel_partition and parallel_stable_partition, against the standard's; each value once, whatever throws.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/algorithm/merge.hpp>
#include <pilfer/algorithm/partition.hpp>
#include <pilfer/pool.hpp>

#include "algorithm/sorting_values.hpp"
#include "support/environment.hpp"

namespace pilfer::test {
namespace {

using merging = sorting;
using partitioning = sorting;

// --- Merge.

// Sorted; ids from `first_id` on.
[[nodiscard]] std::vector<record> sorted_records(std::size_t n, int different, int first_id, random_source& random) {
  std::vector<record> values(n);
  for (record& x : values) x.key = static_cast<int>(random.below(static_cast<std::uint64_t>(different)));
  std::sort(values.begin(), values.end(), key_less{});
  for (std::size_t i = 0; i < n; ++i) values[i].id = first_id + static_cast<int>(i);
  return values;
}

TEST_F(merging, as_the_standard_does) {
  everywhere([](const place& at) {
    random_source random(base_seed());
    const std::vector<std::size_t> lengths = {0, 1, 2, 33, 1000, 40'000};
    for (const std::size_t n : lengths) {
      for (const std::size_t m : lengths) {
        for (const int different : {1, 7, 1'000'000}) {
          SCOPED_TRACE(std::to_string(n) + " and " + std::to_string(m) + ", " + std::to_string(different) + " keys");
          const auto a = sorted_records(n, different, 0, random);
          const auto b = sorted_records(m, different, 1'000'000, random);
          std::vector<record> expected(n + m);
          std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), key_less{});
          std::vector<record> merged(n + m);
          std::vector<record> merged_deques(n + m);
          const std::deque<record> a_deque(a.begin(), a.end());
          at.run([&] {
            const auto end = parallel_merge(a, b, merged.begin(), key_less{});
            EXPECT_EQ(end, merged.end());
            const auto end_of_deques =
                parallel_merge(a_deque.begin(), a_deque.end(), b.begin(), b.end(), merged_deques.begin(), key_less{});
            EXPECT_EQ(end_of_deques, merged_deques.end());
          });
          ASSERT_TRUE(merged == expected);
          ASSERT_TRUE(merged_deques == expected);
        }
      }
    }
  });
}

TEST_F(merging, all_of_one_before_all_of_the_other) {
  pool two(2);
  std::vector<int> low(50'000, 1);
  std::vector<int> high(70'000, 2);
  std::vector<int> out(low.size() + high.size());
  for (const bool swapped : {false, true}) {
    two.run([&] { parallel_merge(swapped ? high : low, swapped ? low : high, out.begin()); });
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
    EXPECT_EQ(std::count(out.begin(), out.end(), 1), 50'000);
  }
}

TEST_F(merging, strings_are_copied) {
  pool two(2);
  random_source random(base_seed());
  std::vector<std::string> a(20'000);
  std::vector<std::string> b(10'000);
  for (auto* list : {&a, &b}) {
    for (std::string& s : *list) s = std::to_string(random.below(1'000'000'000)) + " and some more";
    std::sort(list->begin(), list->end(), std::greater<>{});
  }
  const auto a_before = a;
  std::vector<std::string> expected(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), std::greater<>{});
  std::vector<std::string> out(expected.size());
  two.run([&] { parallel_merge(a, b, out.begin(), std::greater<>{}); });
  EXPECT_EQ(out, expected);
  EXPECT_EQ(a, a_before);
}

struct call_failed {};

TEST_F(merging, comparisons_that_throw_and_null_ones) {
  pool two(2);
  random_source random(base_seed());
  const auto a = sorted_records(30'000, 1000, 0, random);
  const auto b = sorted_records(30'000, 1000, 1'000'000, random);
  std::vector<record> out(60'000);
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t k = random.below(40'000) + 1;
    std::atomic<std::uint64_t> calls = 0;
    const auto less = [&](const record& x, const record& y) {
      if (++calls == k) throw call_failed{};
      return x.key < y.key;
    };
    EXPECT_THROW(two.run([&] { parallel_merge(a, b, out.begin(), less); }), call_failed);
  }
  const std::function<bool(const record&, const record&)> none;
  EXPECT_THROW(parallel_merge(a, b, out.begin(), none), std::invalid_argument);
  EXPECT_THROW(parallel_merge(a.end(), a.begin(), b.begin(), b.end(), out.begin(), key_less{}), std::invalid_argument);
}

// --- Partition.

// What to ask about a key: from nothing to everything.
struct question {
  const char* name;
  bool (*holds)(int key);
};
constexpr question questions[] = {
    // NOLINT(modernize-avoid-c-arrays)
    {"no", [](int) { return false; }},
    {"yes", [](int) { return true; }},
    {"odd", [](int key) { return key % 2 == 1; }},
    {"rare", [](int key) { return key % 97 == 0; }},
    {"small", [](int key) { return key < 3000; }},
};

template <class Container>
void check_partitions(const place& at) {
  random_source random(base_seed());
  for (const std::size_t n : {0U, 1U, 2U, 3U, 10U, 100U, 1000U, 4096U, 4097U, 12'345U, 70'000U, 300'000U}) {
    if (n > 100'000 && under_tsan) continue;
    for (const input& in : inputs_of(n, random)) {
      for (const question& q : questions) {
        if (n > 10'000 && !in.name.starts_with("random") && !in.name.starts_with("sorted")) continue;
        SCOPED_TRACE(in.name + ", " + q.name + ", " + std::to_string(n));
        auto a = made_of<Container>(in.keys);
        auto b = made_of<Container>(in.keys);
        std::vector<std::atomic<int>> asked(n);
        const auto holds = [&](const auto& x) {
          asked[static_cast<std::size_t>(id_of(x))].fetch_add(1, std::memory_order_relaxed);
          return q.holds(key_of(x));
        };
        std::ptrdiff_t split = 0;
        std::ptrdiff_t stable_split = 0;
        at.run([&] {
          split = parallel_partition(a, holds) - a.begin();
          stable_split = parallel_stable_partition(b.begin(), b.end(), holds) - b.begin();
        });
        for (const auto& times : asked) ASSERT_EQ(times, 2) << "once by each";
        const std::ptrdiff_t expected = std::count_if(in.keys.begin(), in.keys.end(), q.holds);
        ASSERT_EQ(split, expected);
        ASSERT_EQ(stable_split, expected);
        expect_all_there(a, in.keys);
        expect_all_there(b, in.keys);
        if (::testing::Test::HasFatalFailure()) return;
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(q.holds(key_of(a[i])), i < static_cast<std::size_t>(expected));
          ASSERT_EQ(q.holds(key_of(b[i])), i < static_cast<std::size_t>(expected));
          if (i > 0 && i != static_cast<std::size_t>(expected)) {
            ASSERT_LT(id_of(b[i - 1]), id_of(b[i]));
          }
        }
      }
    }
  }
}

TEST_F(partitioning, plain_records) { everywhere(check_partitions<std::vector<record>>); }
TEST_F(partitioning, values_that_can_only_be_moved) {
  const place two{"2 workers", std::make_shared<pool>(2)};
  const place one{"1 worker", std::make_shared<pool>(1)};
  check_partitions<std::vector<tracked_key<4>>>(two);
  check_partitions<std::vector<tracked_key<4>>>(one);
  check_partitions<std::vector<tracked_key<64>>>(two);
  check_partitions<std::deque<tracked_key<4>>>(two);
  EXPECT_EQ(tracked_key<4>::alive, 0);
  EXPECT_EQ(tracked_key<64>::alive, 0);
}

template <class Container>
void check_throwing_predicates(const place& at, std::size_t n, std::size_t rounds) {
  random_source random(base_seed() + n);
  const std::vector<int> keys = inputs_of(n, random)[0].keys;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const int kind : {0, 1, 2}) {
      const std::uint64_t k = rounds > n ? round % n + 1 : random.below(n) + 1;
      SCOPED_TRACE("call " + std::to_string(k) + " of " + std::to_string(n) + " throws, kind " + std::to_string(kind));
      std::atomic<std::uint64_t> calls = 0;
      const auto holds = [&](const auto& x) {
        if (++calls == k) throw call_failed{};
        return key_of(x) % 2 == 0;
      };
      auto values = made_of<Container>(keys);
      const auto partition = [&] {
        if (kind == 0) parallel_partition(values, holds);
        if (kind == 1) parallel_stable_partition(values, holds);
        if (kind == 2) {
          detail::inside([&](context here) {
            return detail::stable_partition_in_place(here, values.begin(), values.end(), holds) - values.begin();
          });
        }
      };
      EXPECT_THROW(at.run(partition), call_failed);
      expect_all_there(values, keys);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST_F(partitioning, no_value_is_lost_when_the_predicate_throws) {
  everywhere([](const place& at) {
    for (const auto& [n, rounds] : {std::pair<std::size_t, std::size_t>{1, 2},
                                    {20, 40},
                                    {4096, 10},
                                    {20'000, under_tsan ? 3 : 30},
                                    {300'000, under_tsan ? 1 : 3}}) {
      check_throwing_predicates<std::vector<record>>(at, n, rounds);
      check_throwing_predicates<std::vector<tracked_key<4>>>(at, n, rounds);
    }
  });
  EXPECT_EQ(tracked_key<4>::alive, 0);
}

TEST_F(partitioning, spans_members_and_null_predicates) {
  std::vector<int> values = {1, 2, 3, 4, 5};
  const std::span<int> all(values);
  EXPECT_EQ(parallel_stable_partition(all, [](int x) { return x % 2 == 0; }) - all.begin(), 2);
  EXPECT_EQ(values, (std::vector<int>{2, 4, 1, 3, 5}));
  const std::function<bool(int)> none;
  bool (*const no_function)(int) = nullptr;
  EXPECT_THROW(parallel_partition(values, none), std::invalid_argument);
  EXPECT_THROW(parallel_stable_partition(values, no_function), std::invalid_argument);
  EXPECT_THROW(parallel_partition(values.end(), values.begin(), [](int) { return true; }), std::invalid_argument);
  struct flag {
    bool on;
  };
  std::vector<flag> flags = {{false}, {true}, {false}, {true}};
  EXPECT_EQ(parallel_partition(flags, &flag::on) - flags.begin(), 2);
}

}  // namespace
}  // namespace pilfer::test
