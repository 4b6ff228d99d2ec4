// What algorithms say to bad arguments: std::invalid_argument before anything runs; and empty ranges, which are no error.
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/algorithm/filter.hpp>
#include <pilfer/algorithm/find.hpp>
#include <pilfer/algorithm/for.hpp>
#include <pilfer/algorithm/for_2d.hpp>
#include <pilfer/algorithm/histogram.hpp>
#include <pilfer/algorithm/invoke.hpp>
#include <pilfer/algorithm/minmax.hpp>
#include <pilfer/algorithm/reduce.hpp>
#include <pilfer/algorithm/scan.hpp>
#include <pilfer/algorithm/transform.hpp>

#include "algorithm/in_pools.hpp"

namespace pilfer::test {
namespace {

// Calls f, which should throw an Error, and returns what it says.
template <class Error, class F>
std::string complaint(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(bad_input, an_end_before_the_begin) {
  in_pools([] {
    const auto never = [](auto&&...) { ADD_FAILURE(); };
    EXPECT_EQ(complaint<std::invalid_argument>([&] { parallel_for(5, 3, never); }), "pilfer: parallel_for from 5 to 3");
    EXPECT_EQ(complaint<std::invalid_argument>([&] { parallel_for(-1, std::size_t{3}, never); }),
              "pilfer: parallel_for from -1 to 3");
    EXPECT_EQ(complaint<std::invalid_argument>([&] { parallel_for(0U, -3, never); }),
              "pilfer: parallel_for from 0 to -3");
    EXPECT_EQ(complaint<std::invalid_argument>([&] { parallel_for(blocked_range(5, 3), never); }),
              "pilfer: blocked_range from 5 to 3");
    EXPECT_THROW(parallel_for(blocked_range2d(0, 1, 5, 3), never), std::invalid_argument);
    EXPECT_EQ(complaint<std::invalid_argument>(
                  [&] { static_cast<void>(parallel_reduce(5, 3, 0, std::plus<>{}, [](int i) { return i; })); }),
              "pilfer: parallel_reduce from 5 to 3");
    const std::vector<int> v(3);
    EXPECT_EQ(complaint<std::invalid_argument>([&] { parallel_for_each(v.end(), v.begin(), never); }),
              "pilfer: a range that ends before it begins");
  });
}

TEST(bad_input, a_grain_of_0) {
  std::vector<int> v(3);
  const loop_options none{.grain = 0};
  const auto never = [](auto&&...) {
    ADD_FAILURE();
    return 0;
  };
  EXPECT_EQ(complaint<std::invalid_argument>([&] { parallel_for(0, 3, never, none); }), "pilfer: a grain of 0");
  EXPECT_THROW(parallel_for(0, 0, never, none), std::invalid_argument);
  EXPECT_THROW(parallel_for(blocked_range(0, 3, 0), never), std::invalid_argument);
  EXPECT_THROW(parallel_for(blocked_range(0, 3), never, none), std::invalid_argument);
  EXPECT_THROW(parallel_for(blocked_range2d(0, 3, 0, 3, 0, 1), never), std::invalid_argument);
  EXPECT_THROW(parallel_for(blocked_range2d(0, 3, 0, 3, 1, 0), never), std::invalid_argument);
  EXPECT_THROW(parallel_for(blocked_range2d(0, 3, 0, 3), never, none), std::invalid_argument);
  EXPECT_THROW(parallel_for(blocked_range2d(0, 0, 0, 3), never, none), std::invalid_argument);
  EXPECT_THROW(parallel_for_each(v, never, none), std::invalid_argument);
  EXPECT_THROW(parallel_transform(v, v.begin(), never, none), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_reduce(v, 0, never, none)), std::invalid_argument);
  EXPECT_THROW(parallel_inclusive_scan(v, v.begin(), never, none), std::invalid_argument);
  EXPECT_THROW(parallel_filter(v, v.begin(), never, none), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_find_if(v, never, none)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_histogram(v, 3, never, none)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_min_element(v, std::less<>{}, never, none)), std::invalid_argument);
  EXPECT_THROW(parallel_fill(v, 1, none), std::invalid_argument);
}

TEST(bad_input, callables_that_are_null) {
  std::vector<int> v(3);
  const std::function<int(int)> one;
  const std::function<int(int, int)> two;
  const std::function<bool(int)> pred;
  int (*const pointer)(int) = nullptr;
  void (*const task)() = nullptr;
  EXPECT_EQ(complaint<std::invalid_argument>([&] { parallel_for(0, 3, one); }), "pilfer: a callable is null");
  EXPECT_THROW(parallel_for(0, 3, pointer), std::invalid_argument);
  EXPECT_THROW(parallel_for(0, 0, pointer), std::invalid_argument);
  EXPECT_THROW(parallel_for(blocked_range(0, 3), std::function<void(const blocked_range<int>&)>()),
               std::invalid_argument);
  EXPECT_THROW(parallel_for(blocked_range2d(0, 3, 0, 3), std::function<void(const blocked_range2d&)>()),
               std::invalid_argument);
  EXPECT_THROW(parallel_for_each(v, one), std::invalid_argument);
  EXPECT_THROW(parallel_transform(v, v.begin(), one), std::invalid_argument);
  EXPECT_THROW(parallel_transform(v, v, v.begin(), two), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_reduce(v, 0, two)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_reduce(v, 0, std::plus<>{}, one)), std::invalid_argument);
  EXPECT_THROW(parallel_inclusive_scan(v, v.begin(), two), std::invalid_argument);
  EXPECT_THROW(parallel_exclusive_scan(v, v.begin(), 0, two), std::invalid_argument);
  EXPECT_THROW(parallel_filter(v, v.begin(), pred), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_find_if(v, pred)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_all_of(v, pred)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_count_if(v, pred)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_min_element(v, std::function<bool(int, int)>())), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parallel_histogram(v, 3, one)), std::invalid_argument);
  EXPECT_THROW(parallel_generate(v, std::function<int()>()), std::invalid_argument);
  bool called = false;
  EXPECT_THROW(parallel_invoke([&] { called = true; }, task), std::invalid_argument);
  EXPECT_FALSE(called);
}

TEST(bad_input, ranges_that_do_not_fit) {
  const std::vector<int> three(3);
  const std::vector<int> two(2);
  std::vector<int> out(3);
  EXPECT_EQ(complaint<std::invalid_argument>([&] { parallel_transform(three, two, out.begin(), std::plus<>{}); }),
            "pilfer: parallel_transform of 3 elements and 2");
  EXPECT_EQ(complaint<std::invalid_argument>([&] { parallel_pack(three, two, out.begin()); }),
            "pilfer: parallel_pack of 3 elements with 2 flags");
}

TEST(bad_input, keys_outside_of_a_histogram) {
  in_pools([] {
    const std::vector<int> v{0, 1, 2, 3};
    const auto key = [](int x) { return x; };
    EXPECT_EQ(complaint<std::out_of_range>([&] { static_cast<void>(parallel_histogram(v, 3, key)); }),
              "pilfer: parallel_histogram with 3 bins got the key 3");
    EXPECT_EQ(
        complaint<std::out_of_range>([&] { static_cast<void>(parallel_histogram(v, 4, [](int x) { return x - 1; })); }),
        "pilfer: parallel_histogram with 4 bins got the key -1");
    EXPECT_THROW(static_cast<void>(parallel_histogram(v, 0, key)), std::out_of_range);
    EXPECT_TRUE(parallel_histogram(std::vector<int>(), 0, key).empty());
  });
}

// Options of the caller's own, not only in braces.
TEST(bad_input, options_are_never_taken_for_callables) {
  const std::vector<int> v(100, 1);
  std::vector<int> out(100);
  loop_options options{.grain = 3};
  EXPECT_EQ(parallel_reduce(v, 0, std::plus<>{}, options), 100);
  EXPECT_EQ(parallel_inclusive_scan(v, out.begin(), options), out.end());
  EXPECT_EQ(parallel_inclusive_scan(v, out.begin(), std::plus<>{}, options), out.end());
  EXPECT_EQ(parallel_exclusive_scan(v, out.begin(), 0, options), out.end());
  EXPECT_EQ(out.back(), 99);
}

}  // namespace
}  // namespace pilfer::test
