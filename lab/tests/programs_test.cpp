// The programs of the lab: their serial versions against what is known, the forking ones against the serial ones.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "lab/programs/run_program.hpp"
#include "lab/programs/sha1.hpp"

namespace pilfer::lab::programs {
namespace {

// Forks that are calls; the second callable goes first, which nobody may notice.
struct backwards {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    auto b = g();
    auto a = f();
    return std::tuple(a, b);
  }
};

double forked(const workload& what) {
  return run_program<backwards>(what, [](auto f) { return f(); }).answer;
}

TEST(programs, fib_and_its_forks) {
  EXPECT_EQ(serial_fib(0), 0);
  EXPECT_EQ(serial_fib(1), 1);
  EXPECT_EQ(serial_fib(20), 6765);
  EXPECT_EQ(fib_forks(1), 0U);
  EXPECT_EQ(fib_forks(2), 1U);
  EXPECT_EQ(fib_forks(25), 121392U);
  EXPECT_EQ(fib_throwing<backwards>(20), 6765);
}

TEST(programs, nqueens_counts_what_is_known) {
  EXPECT_EQ(serial_nqueens(1), 1);
  EXPECT_EQ(serial_nqueens(3), 0);
  EXPECT_EQ(serial_nqueens(6), 4);
  EXPECT_EQ(serial_nqueens(8), 92);
  EXPECT_EQ(serial_nqueens(10), 724);
}

TEST(programs, integrate_finds_the_area) {
  EXPECT_NEAR(serial_integrate(20), integral_up_to(20), 1e-4);
  EXPECT_EQ(serial_integrate(0), 0);
}

TEST(programs, sha1_of_abc) {
  const sha1_digest digest = sha1_of_block({0x61626380, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24});
  EXPECT_EQ(digest, (sha1_digest{0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c, 0x9cd0d89d}));
}

TEST(programs, trees_have_the_published_number_of_nodes) {
#if defined(NDEBUG) && defined(__OPTIMIZE__)  // a second in a release build, many elsewhere
  EXPECT_EQ(serial_uts(t1_tree), t1_nodes);
  EXPECT_EQ(serial_uts(t3_tree), t3_nodes);
#endif
  EXPECT_EQ(serial_uts({uts_kind::geometric, 7}), 63914);  // T1 down to depth 7: counted by these very rules
  EXPECT_EQ(serial_uts({uts_kind::binomial, 100}), 6797);
  EXPECT_EQ(serial_uts({uts_kind::geometric, 0}), 1);
}

TEST(programs, quicksort_sorts_whatever_comes) {
  for (const std::size_t count : {0U, 1U, 2U, 32U, 33U, 100U, 10'000U}) {
    std::vector<std::int64_t> numbers = numbers_to_sort(count);
    std::vector<std::int64_t> few_values = numbers;
    for (std::int64_t& number : few_values) number &= 3;
    std::vector<std::int64_t> falling(count);
    for (std::size_t i = 0; i < count; ++i) falling[i] = -static_cast<std::int64_t>(i);
    for (auto* input : {&numbers, &few_values, &falling}) {
      std::vector<std::int64_t> right = *input;
      std::ranges::sort(right);
      EXPECT_GE(serial_quicksort(input->data(), input->data() + input->size()), 1);
      EXPECT_EQ(*input, right);
    }
  }
}

TEST(programs, work_takes_the_processor_time_that_was_asked_for) {
  const std::int64_t before = thread_cpu_ns();
  EXPECT_EQ(work_for_ns(2 * ns_per_ms), 1);
  EXPECT_GE(thread_cpu_ns() - before, 2 * ns_per_ms);
}

TEST(programs, forked_and_serial_versions_agree) {
  for (const program one : all_programs()) {
    const workload what = scaled(one, scale::tiny);
    EXPECT_EQ(forked(what), run_serially(what).answer) << name_of(one);
    EXPECT_EQ(answer_of(what), run_serially(what).answer) << name_of(one);
    EXPECT_GT(forks_of(what), 0U) << name_of(one);
    EXPECT_NO_THROW(check_answer(what, answer_of(what), "test"));
    EXPECT_THROW(check_answer(what, answer_of(what) + 1, "test"), std::runtime_error);
    EXPECT_THROW(check_answer(what, std::numeric_limits<double>::quiet_NaN(), "test"), std::runtime_error);
  }
}

TEST(programs, numbers_of_forks) {
  EXPECT_EQ(forks_of({program::fib, 16}), fib_forks(16));
  EXPECT_EQ(forks_of({program::skewed_left, 1000}), 999U);
  EXPECT_EQ(forks_of({program::skewed_right, 1000}), 999U);
  EXPECT_EQ(forks_of({program::late_leaf, 1}), 8U);
  EXPECT_EQ(forks_of({program::nqueens, 8}), 735U);
}

TEST(programs, a_smaller_tree_says_so) {
  EXPECT_EQ(text_of({program::uts_t1, 10}), "UTS T1 (geometric)");
  EXPECT_NE(text_of({program::uts_t1, 7}).find("cut at depth 7"), std::string::npos);
}

}  // namespace
}  // namespace pilfer::lab::programs
