#include <gtest/gtest.h>

#include "claim_by_id.hpp"
#include "lab/forkjoin/claims.hpp"

namespace pilfer::lab::forkjoin {
namespace {

struct given {
  std::string scheduler;
  std::size_t workers;
  double seconds;
};

// The first is serial code.
program_result result_of(const workload& what, const std::vector<given>& all, std::size_t processors = 2) {
  program_result result{.what = what, .forks = 100'000, .times = {.processors = processors, .entries = {}}};
  for (const given& one : all) {
    const std::vector<double> seconds(3, one.seconds);
    const double ratio = one.seconds / all.front().seconds;
    result.times.entries.push_back({.name = one.scheduler,
                                    .workers = one.workers,
                                    .seconds = seconds,
                                    .time_ratio = estimate{ratio, ratio, ratio}});
  }
  return result;
}

const workload fib_30{program::fib, 30};
const workload late_40{program::late_leaf, 40};

counted_result counted_with(std::uint64_t variant_fences, std::uint64_t variant_cas) {
  counted_result result{.workers = 2, .programs = {fib_30}, .entries = {}};
  for (const char* base : {"ws-abp", "ws-chase-lev"}) {
    result.entries.push_back({base, {{.fences = 100'000, .cas = base[3] == 'a' ? 1000U : 500U}}});
  }
  for (const char* variant : {"lcws-user", "lcws-signal", "lcws-conservative"}) {
    result.entries.push_back({variant, {{.fences = 1, .cas = 1}}});
  }
  result.entries.push_back({"lcws-half", {{.fences = variant_fences, .cas = variant_cas}}});
  return result;
}

TEST(fork_join_claims, all_ids_are_there_even_when_nothing_was_measured) {
  std::vector<std::string> ids;
  for (const claim& c : fork_join_claims({}, nullptr, nullptr)) {
    ids.push_back(c.id);
    EXPECT_FALSE(c.measured) << c.id;
    EXPECT_FALSE(c.note.empty()) << c.id;
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"fib_t1", "fib_t1_context", "fib_extra_instructions", "fib_speedup2",
                                           "nqueens_t1", "quicksort_t1", "late_leaf_ms", "lcws_fences", "lcws_cas"}));
}

TEST(fork_join_claims, times_are_compared_with_serial_code) {
  const auto fib = result_of(
      fib_30, {{"serial", 0, 1.0}, {"default", 1, 2.8}, {"default-context", 1, 2.4}, {"default-throwing", 1, 4.5}});
  const auto claims = fork_join_claims({fib}, nullptr, nullptr);
  EXPECT_NEAR(by_id(claims, "fib_t1").measured->value, 2.8, 1e-9);
  EXPECT_EQ(by_id(claims, "fib_t1").met(), true);
  EXPECT_NE(by_id(claims, "fib_t1").note.find("4.50"), std::string::npos);
  EXPECT_EQ(by_id(claims, "fib_t1_context").met(), false);
  EXPECT_NE(by_id(claims, "nqueens_t1").note.find("nqueens"), std::string::npos);
}

TEST(fork_join_claims, a_speedup_needs_both_and_two_processors) {
  const std::vector<given> both = {{"serial", 0, 1.0}, {"default", 1, 2.0}, {"default", 2, 1.0}};
  EXPECT_NEAR(by_id(fork_join_claims({result_of(fib_30, both)}, nullptr, nullptr), "fib_speedup2").measured->value, 2.0,
              1e-9);
  EXPECT_FALSE(by_id(fork_join_claims({result_of(fib_30, both, 1)}, nullptr, nullptr), "fib_speedup2").measured);
  EXPECT_FALSE(
      by_id(fork_join_claims({result_of(fib_30, {both[0], both[1]})}, nullptr, nullptr), "fib_speedup2").measured);
}

TEST(fork_join_claims, the_late_leaf_is_in_milliseconds_and_of_full_length) {
  const std::vector<given> all = {{"serial", 0, 0.08}, {"default", 2, 0.0425}};
  EXPECT_NEAR(by_id(fork_join_claims({result_of(late_40, all)}, nullptr, nullptr), "late_leaf_ms").measured->value,
              42.5, 1e-9);
  EXPECT_FALSE(
      by_id(fork_join_claims({result_of({program::late_leaf, 4}, all)}, nullptr, nullptr), "late_leaf_ms").measured);
}

TEST(fork_join_claims, the_worst_variant_counts) {
  const counted_result good = counted_with(50, 200);
  const auto claims = fork_join_claims({}, nullptr, &good);
  EXPECT_NEAR(by_id(claims, "lcws_fences").measured->value, 0.0005, 1e-12);
  EXPECT_EQ(by_id(claims, "lcws_fences").met(), true);
  EXPECT_NEAR(by_id(claims, "lcws_cas").measured->value, 0.4, 1e-12);  // over Chase-Lev, not ABP
  EXPECT_EQ(by_id(claims, "lcws_cas").met(), true);
  EXPECT_NE(by_id(claims, "lcws_cas").note.find("lcws-half / ws-chase-lev"), std::string::npos);
  const counted_result bad = counted_with(200, 201);
  EXPECT_EQ(by_id(fork_join_claims({}, nullptr, &bad), "lcws_fences").met(), false);
  EXPECT_EQ(by_id(fork_join_claims({}, nullptr, &bad), "lcws_cas").met(), false);
}

TEST(fork_join_claims, instructions_or_why_not) {
  const counted_instructions none{{}, "valgrind is not installed"};
  EXPECT_EQ(by_id(fork_join_claims({}, &none, nullptr), "fib_extra_instructions").note, "valgrind is not installed");
  const counted_instructions some{instruction_counts{.serial = 19, .plain = 25, .context = 23, .throwing = 40}, {}};
  EXPECT_EQ(by_id(fork_join_claims({}, &some, nullptr), "fib_extra_instructions").met(), true);
}

TEST(fork_join_claims, what_callgrind_says) {
  EXPECT_EQ(collected("==1== Events    : Ir\n==1== Collected : 2373006\n==1==\n"), 2373006U);
  EXPECT_FALSE(collected("valgrind: no such file"));
  EXPECT_FALSE(collected("Collected : nothing"));
}

}  // namespace
}  // namespace pilfer::lab::forkjoin
