#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "litmus/differential.hpp"
#include "litmus/oracle.hpp"
#include "litmus/random_program.hpp"
#include "litmus/run.hpp"
#include "litmus/table.hpp"
#include "support/environment.hpp"

namespace pilfer::model::litmus {

// For messages of GoogleTest.
void PrintTo(const answer& what, std::ostream* out) {
  *out << (what.outcome == verdict::allowed ? "allowed, " : "forbidden, ") << what.graphs << " graphs";
}

namespace {

answer answer_from(const litmus_test& test, const program& what, const outcome_set& outcomes, std::uint64_t graphs) {
  const bool seen = condition(test.outcome, what).holds_somewhere(outcomes);
  return {seen ? verdict::allowed : verdict::forbidden, graphs};
}

answer ask_checker(const litmus_test& test, const options& how) {
  const program what = parse(test.program);
  const run_result found = check_outcomes(what, how);
  EXPECT_TRUE(found.search.exhausted) << test.name << ": " << found.search.bound_hit;
  return answer_from(test, what, found.outcomes, found.search.graphs);
}

const answer& expected_from_checker(const litmus_test& test, const options& how) {
  return answer_of(test, how.sc == sc_mode::axiomatic ? memory_model::rc11 : memory_model::sc_execution);
}

void expect_table(const options& how) {
  for (const litmus_test& test : litmus_table())
    EXPECT_EQ(ask_checker(test, how), expected_from_checker(test, how)) << test.name << ": " << test.program;
}

TEST(litmus_program, text_is_read_back_as_written) {
  for (const litmus_test& test : litmus_table()) {
    const std::string text = to_text(parse(test.program));
    EXPECT_EQ(to_text(parse(text)), text) << test.name;
  }
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = to_text(random_program(seed));
    EXPECT_EQ(to_text(parse(text)), text);
  }
}

TEST(litmus_program, bad_text_is_refused) {
  for (const char* text : {"", "x=", "x=1 |", "x=1;", "x=1 relaxed", "r0=x; r0=y", "r0=x | y=r0", "if r0==1", "1=x",
                           "r0=r1", "r0=cas(x,1)", "r0=swap(x)", "r0=mul(x,1)", "x=1 & y=2", "a=1; b=1; c=1; d=1; e=1",
                           "x=1|x=1|x=1|x=1|x=1", "r0=cas(x,0,1) ar/"})
    EXPECT_THROW((void)parse(text), bad_program) << text;
  const program fine = parse("x=1; r0=x");
  for (const char* text : {"", "r0", "r0=", "r0=1 |", "y=1"})
    EXPECT_THROW((void)condition(text, fine), bad_program) << text;
}

TEST(litmus_oracle, has_the_known_answers) {
  for (const litmus_test& test : litmus_table()) {
    const program what = parse(test.program);
    for (const memory_model model : {memory_model::rc11, memory_model::sc_execution, memory_model::load_buffering}) {
      const oracle_result found = run_oracle(what, model);
      EXPECT_EQ(answer_from(test, what, found.outcomes, found.graphs), answer_of(test, model))
          << test.name << " in model " << static_cast<int>(model) << ": " << test.program;
    }
  }
}

// A program that uses seq_cst in fences only.
bool has_seq_cst_access(const program& what) {
  for (const auto& thread : what.threads)
    for (const instruction& i : thread) {
      const bool cas = i.kind == operation::cas || i.kind == operation::weak_cas;
      if (i.kind != operation::fence && i.order == std::memory_order_seq_cst) return true;
      if (cas && i.failure == std::memory_order_seq_cst) return true;
    }
  return false;
}

TEST(litmus_oracle, models_are_ordered) {
  std::size_t weaker_sc = 0;
  std::size_t buffered = 0;
  for (std::uint64_t seed = 0; seed < test::stress_amount(4000); ++seed) {
    const program what = random_program(seed);
    const oracle_result executed = run_oracle(what, memory_model::sc_execution);
    const oracle_result rc11 = run_oracle(what, memory_model::rc11);
    const oracle_result weakest = run_oracle(what, memory_model::load_buffering);
    for (const outcome& each : executed.outcomes) EXPECT_TRUE(rc11.outcomes.contains(each)) << to_text(what);
    for (const outcome& each : rc11.outcomes) EXPECT_TRUE(weakest.outcomes.contains(each)) << to_text(what);
    EXPECT_LE(executed.graphs, rc11.graphs) << to_text(what);
    EXPECT_LE(rc11.graphs, weakest.graphs) << to_text(what);
    // What the checker does by default loses nothing if seq_cst is used in fences only.
    if (!has_seq_cst_access(what)) {
      EXPECT_EQ(executed.graphs, rc11.graphs) << to_text(what);
    }
    if (executed.graphs < rc11.graphs) ++weaker_sc;
    if (rc11.graphs < weakest.graphs) ++buffered;
  }
  // The random programs are worth something.
  EXPECT_GT(weaker_sc, 0U);
  EXPECT_GT(buffered, 0U);
}

TEST(litmus_checker, exhaustive) { expect_table({}); }

TEST(litmus_checker, exhaustive_with_axiomatic_seq_cst) {
  options how;
  how.sc = sc_mode::axiomatic;
  expect_table(how);
}

TEST(litmus_checker, interleaving) {
  options how;
  how.mode = exploration::interleaving;
  expect_table(how);
}

TEST(litmus_checker, interleaving_with_axiomatic_seq_cst) {
  options how;
  how.mode = exploration::interleaving;
  how.sc = sc_mode::axiomatic;
  expect_table(how);
}

TEST(litmus_checker, interleaving_without_deduplication) {
  options how;
  how.mode = exploration::interleaving;
  how.deduplicate = false;
  expect_table(how);
}

TEST(litmus_checker, exhaustive_without_deduplication) {
  options how;
  how.deduplicate = false;
  expect_table(how);
}

TEST(litmus_checker, random_mode_finds_nothing_forbidden) {
  options how;
  how.mode = exploration::random;
  how.max_executions = 200;
  for (const litmus_test& test : litmus_table()) {
    const program what = parse(test.program);
    const outcome_set allowed = run_oracle(what, memory_model::rc11).outcomes;
    for (const outcome& each : check_outcomes(what, how).outcomes)
      EXPECT_TRUE(allowed.contains(each)) << test.name << ": " << to_text(each, what);
  }
}

TEST(litmus_checker, agrees_with_the_oracle_on_random_programs) {
  const differential_result found = differential(test::stress_amount(2000), test::base_seed());
  EXPECT_EQ(found.mismatches, 0U) << test::describe_seed() << "\n" << found.smallest_mismatch;
}

// Each way of breaking the checker, and a row of the table that must notice.
struct planted {
  checker_mutant mutant;
  const char* name;
  std::string_view noticed_by;
};

class unplant_at_end {
 public:
  explicit unplant_at_end(checker_mutant mutant) { plant(mutant); }
  ~unplant_at_end() { plant(checker_mutant::none); }
  unplant_at_end(const unplant_at_end&) = delete;
  unplant_at_end& operator=(const unplant_at_end&) = delete;
};

void expect_noticed(const options& how) {
  const std::vector<planted> all{
      {checker_mutant::no_acquire_join, "no_acquire_join", "MP+rel+acq"},
      {checker_mutant::no_release_fence, "no_release_fence", "MP+relf+acq"},
      {checker_mutant::no_acquire_fence, "no_acquire_fence", "MP+rel+acqf"},
      {checker_mutant::no_sc_fence_join, "no_sc_fence_join", "SB+scfs"},
      {checker_mutant::no_rmw_chain, "no_rmw_chain", "relseq+rmw"},
      {checker_mutant::store_continues_chain, "store_continues_chain", "relseq+store"},
      {checker_mutant::append_only, "append_only", "2+2W"},
      {checker_mutant::short_history, "short_history", "MP+two-behind"},
      {checker_mutant::no_coherence, "no_coherence", "CoRR"},
      {checker_mutant::sc_is_acq_rel, "sc_is_acq_rel", "SB+sc"},
      {checker_mutant::split_rmw, "split_rmw", "RMW"},
  };
  for (const planted& each : all) {
    const unplant_at_end broken(each.mutant);
    std::vector<std::string_view> failed;
    bool noticed = false;
    for (const litmus_test& test : litmus_table()) {
      if (ask_checker(test, how) == expected_from_checker(test, how)) continue;
      failed.push_back(test.name);
      noticed = noticed || test.name == each.noticed_by;
    }
    EXPECT_TRUE(noticed) << each.name << " is not noticed by " << each.noticed_by;
    ::testing::Test::RecordProperty(each.name, static_cast<int>(failed.size()));
  }
}

TEST(litmus_checker, a_broken_checker_is_noticed) { expect_noticed({}); }

TEST(litmus_checker, a_broken_checker_is_noticed_interleaving) {
  options how;
  how.mode = exploration::interleaving;
  expect_noticed(how);
}

}  // namespace
}  // namespace pilfer::model::litmus
