// What must not be lost when comparisons throw, make no sense, or memory is refused.
//
// This program links support/refusals.cpp.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/algorithm/inside.hpp>
#include <pilfer/algorithm/partition.hpp>
#include <pilfer/algorithm/sort.hpp>
#include <pilfer/algorithm/stable_sort.hpp>
#include <pilfer/pool.hpp>

#include "algorithm/sorting_values.hpp"
#include "support/environment.hpp"
#include "support/refusals.hpp"

namespace pilfer::test {
namespace {

class sorting_faults : public sorting {};

std::uint64_t refusals = 0;

struct refused_memory {
  refused_memory() { memory_refused.fail_at(1, true); }
  refused_memory(const refused_memory&) = delete;
  refused_memory& operator=(const refused_memory&) = delete;
  ~refused_memory() { refusals += memory_refused.stop(); }
};

// --- Comparators that throw.

struct comparison_failed {};

template <class Container, class Sort>
void check_throwing(const place& at, std::size_t n, std::size_t most_rounds, Sort sort) {
  random_source random(base_seed() + n);
  for (const input& in : inputs_of(n, random)) {
    if (most_rounds < n && !in.name.starts_with("random") && !in.name.starts_with("few")) continue;
    SCOPED_TRACE(in.name + ", " + std::to_string(n));
    std::uint64_t all = 0;
    for (std::size_t round = 0; round <= most_rounds; ++round) {
      const std::uint64_t k = round == 0           ? std::numeric_limits<std::uint64_t>::max()
                              : all <= most_rounds ? round
                                                   : random.below(all) + 1;
      std::atomic<std::uint64_t> calls = 0;
      auto values = made_of<Container>(in.keys);
      bool thrown = false;
      try {
        at.run([&] {
          sort(values, [&](const auto& a, const auto& b) {
            if (++calls == k) throw comparison_failed{};
            return key_of(a) < key_of(b);
          });
        });
      } catch (const comparison_failed&) {
        thrown = true;
      }
      SCOPED_TRACE("comparison " + std::to_string(k) + " throws");
      EXPECT_EQ(thrown, calls >= k);
      expect_all_there(values, in.keys);
      if (::testing::Test::HasFailure()) return;
      if (round == 0) all = calls;
    }
  }
}

template <class Container>
void check_throwing_everywhere(const place& at) {
  const auto sort = [](auto& values, auto less) { parallel_sort(values, less); };
  const auto stable_sort = [](auto& values, auto less) { parallel_stable_sort(values, less); };
  // In ./test --full each comparison of 70 elements throws once; otherwise some do.
  const bool quick = under_tsan || stress_factor() <= 1;
  for (const auto& [n, rounds] : {std::pair<std::size_t, std::size_t>{3, 10},
                                  {20, 60},
                                  {33, quick ? 40 : 150},
                                  {70, quick ? 40 : 600},
                                  {600, quick ? 10 : 100},
                                  {5000, quick ? 5 : 30},
                                  {150'000, quick ? 1 : 4}}) {
    check_throwing<Container>(at, n, rounds, sort);
    check_throwing<Container>(at, n, rounds, stable_sort);
  }
}
TEST_F(sorting_faults, no_value_is_lost_when_a_comparison_throws) {
  everywhere([](const place& at) {
    check_throwing_everywhere<std::vector<record>>(at);
    check_throwing_everywhere<std::vector<tracked_key<4>>>(at);
  });
  EXPECT_EQ(tracked_key<4>::alive, 0);
}

// As above, without a buffer.
TEST_F(sorting_faults, no_value_is_lost_in_place) {
  const place at{"2 workers", std::make_shared<pool>(2)};
  const auto sort = [](auto& values, auto less) {
    detail::inside([&](context here) {
      std::identity as_it_is;
      detail::stable_sort_in_place(here, values.begin(), values.end(),
                                   detail::sort_order<decltype(less), std::identity>(less, as_it_is));
    });
  };
  for (const std::size_t n : {3U, 20U, 70U, 600U, 5000U}) {
    check_throwing<std::vector<tracked_key<4>>>(at, n, n < 100 ? 200 : 20, sort);
  }
  EXPECT_EQ(tracked_key<4>::alive, 0);
}

// --- Comparators that are no order.

TEST_F(sorting_faults, nonsense_gives_a_permutation) {
  static const unsigned largest = under_tsan ? 20'000 : stress_factor() > 1 ? 200'000 : 50'000;
  everywhere([](const place& at) {
    for (const std::size_t n : {2U, 10U, 33U, 100U, 1000U, 5000U, largest}) {
      random_source random(base_seed() + n);
      const input in = inputs_of(n, random)[1];
      // Of keys, by one type: the sorts are compiled once.
      const auto check = [&](const char* name, const std::function<bool(int, int)>& of_keys) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(n));
        const auto nonsense = [&](const auto& x, const auto& y) { return of_keys(key_of(x), key_of(y)); };
        auto a = made_of<std::vector<record>>(in.keys);
        auto b = made_of<std::vector<record>>(in.keys);
        auto c = made_of<std::vector<tracked_key<4>>>(in.keys);
        auto d = made_of<std::vector<tracked_key<4>>>(in.keys);
        at.run([&] {
          parallel_sort(a, nonsense);
          parallel_stable_sort(b, nonsense);
          parallel_sort(c, nonsense);
          parallel_stable_sort(d, nonsense);
        });
        expect_all_there(a, in.keys);
        expect_all_there(b, in.keys);
        expect_all_there(c, in.keys);
        expect_all_there(d, in.keys);
      };
      std::atomic<std::uint64_t> state = random();
      check("random", [&](int, int) { return (random_source(++state)() & 1) != 0; });
      check("mostly true", [&](int, int) { return random_source(++state)() % 16 != 0; });
      check("mostly false", [&](int, int) { return random_source(++state)() % 16 == 0; });
      check("true", [](int, int) { return true; });
      check("not greater", [](int x, int y) { return x <= y; });
      check("different", [](int x, int y) { return x != y; });
      check("in a circle", [](int x, int y) { return (y - x + 9) % 3 == 1; });
    }
    std::vector<double> numbers(50'000);
    random_source random(base_seed());
    for (double& x : numbers) x = random.one_in(10) ? std::nan("") : static_cast<double>(random.below(100));
    at.run([&] { parallel_sort(numbers); });
    at.run([&] { parallel_stable_sort(numbers); });
  });
  EXPECT_EQ(tracked_key<4>::alive, 0);
}

TEST_F(sorting_faults, null_callables) {
  std::vector<int> values = {3, 1, 2};
  const std::function<bool(int, int)> no_order;
  bool (*const no_function)(int, int) = nullptr;
  EXPECT_THROW(parallel_sort(values, no_order), std::invalid_argument);
  EXPECT_THROW(parallel_sort(values, no_function), std::invalid_argument);
  EXPECT_THROW(parallel_stable_sort(values, no_order), std::invalid_argument);
  EXPECT_THROW(parallel_sort(values, {}, std::function<int(int)>()), std::invalid_argument);
  EXPECT_THROW(parallel_sort(values.end(), values.begin()), std::invalid_argument);
  EXPECT_EQ(values, (std::vector<int>{3, 1, 2}));
}

// --- No memory.

TEST_F(sorting_faults, without_memory) {
  for (const std::size_t workers : {1U, 4U}) {
    pool some(workers);
    for (const std::size_t n : {17U, 600U, 3000U, under_tsan ? 10'000U : 50'000U}) {
      random_source random(base_seed());
      const std::vector<int> keys = inputs_of(n, random)[1].keys;
      std::vector<std::string> names(n);
      for (std::string& name : names) name = "name " + std::to_string(random.below(n));
      std::vector<std::string> expected = names;
      std::sort(expected.begin(), expected.end());
      std::vector<named> stable_names(n);
      for (std::size_t i = 0; i < n; ++i) stable_names[i] = {names[i], static_cast<int>(i)};
      auto a = made_of<std::vector<tracked_key<4>>>(keys);
      auto b = made_of<std::vector<tracked_key<4>>>(keys);
      auto c = made_of<std::vector<record>>(keys);
      auto d = made_of<std::vector<record>>(keys);
      std::ptrdiff_t split = 0;
      const std::uint64_t before = refusals;
      some.run([&] {
        const refused_memory none;
        EXPECT_NO_THROW(parallel_sort(a));
        EXPECT_NO_THROW(parallel_stable_sort(b));
        EXPECT_NO_THROW(parallel_stable_sort(c, key_less{}));
        EXPECT_NO_THROW(parallel_sort(names));
        EXPECT_NO_THROW(parallel_stable_sort(stable_names, {}, &named::name));
        EXPECT_NO_THROW(split =
                            parallel_stable_partition(d, [](const record& x) { return x.key % 2 == 0; }) - d.begin());
      });
      EXPECT_GT(refusals, before) << "this test tests nothing";
      expect_sorted(a, keys, false);
      expect_sorted(b, keys, true);
      expect_sorted(c, keys, true);
      EXPECT_EQ(names, expected);
      for (std::size_t i = 1; i < n; ++i) {
        ASSERT_LE(stable_names[i - 1].name, stable_names[i].name);
        if (stable_names[i - 1].name == stable_names[i].name) {
          ASSERT_LT(stable_names[i - 1].id, stable_names[i].id);
        }
      }
      expect_all_there(d, keys);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(d[i].key % 2 == 0, i < static_cast<std::size_t>(split));
        if (i > 0 && i != static_cast<std::size_t>(split)) {
          ASSERT_LT(d[i - 1].id, d[i].id);
        }
      }
    }
  }
  EXPECT_EQ(tracked_key<4>::alive, 0);
}

// The array of keys is there, the buffer for the strings is not.
TEST_F(sorting_faults, strings_cycle_by_cycle) {
  pool two(2);
  random_source random(base_seed());
  std::vector<std::string> names(20'000);
  for (std::string& name : names) name = std::to_string(random.below(5000));
  std::vector<std::string> expected = names;
  std::sort(expected.begin(), expected.end());
  std::vector<detail::string_entry> entries(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) entries[i].position = i;
  std::sort(entries.begin(), entries.end(),
            [&](const auto& a, const auto& b) { return names[a.position] < names[b.position]; });
  two.run([&](context here) {
    const refused_memory none;
    detail::move_to_places(here, names.begin(), static_cast<std::ptrdiff_t>(names.size()), entries.data());
  });
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace pilfer::test
