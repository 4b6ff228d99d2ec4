// `pilfer bench fork-join` in very short runs: what it prints, what it writes, and how it fails.
#include <gtest/gtest.h>

#include <set>

#include "json_values.hpp"
#include "lab/measure/report.hpp"
#include "run_tool.hpp"

namespace pilfer::test {
namespace {

using lab::json;

std::vector<std::string> short_fork_join_run(const std::vector<std::string>& more) {
  return shortest_bench("fork-join", more);
}

TEST(bench_fork_join, every_program_in_one_document_that_follows_the_schema) {
  const scratch_folder folder;
  const outcome o = run_tool(short_fork_join_run({"--json", folder.file("result.json")}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  const json document = json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  EXPECT_EQ(values(document["claims"], "id"),
            (std::set<std::string>{"fib_t1", "fib_t1_context", "fib_extra_instructions", "fib_speedup2", "nqueens_t1",
                                   "quicksort_t1", "late_leaf_ms", "lcws_fences", "lcws_cas"}));
  const std::set<std::string> names = values(document["rows"], "name");
  for (const char* program : {"fib", "nqueens", "integrate", "uts-t1", "uts-t3", "quicksort", "late-leaf"}) {
    EXPECT_TRUE(names.contains(program)) << program;
    EXPECT_TRUE(names.contains(std::string("synchronization/") + program)) << program;
  }
  const std::set<std::string> impls = values(document["rows"], "impl");
  for (const char* scheduler : {"serial", "default", "default-context", "default-throwing"}) {
    EXPECT_TRUE(impls.contains(scheduler)) << scheduler;
    EXPECT_TRUE(has(o.out, scheduler)) << scheduler;
  }
  for (const char* peer : {"onetbb", "openmp", "rayon"}) EXPECT_TRUE(has(o.out, std::string(peer) + ":")) << peer;
  EXPECT_TRUE(has(o.out, "extra ns/fork"));
  EXPECT_TRUE(has(o.out, "Figures to reach"));
}

TEST(bench_fork_join, schedulers_programs_and_workers_can_be_chosen) {
  const outcome o = run_tool(short_fork_join_run(
      {"--scheduler", "ws-chase-lev,switched/lace", "--programs", "fib,nqueens", "--workers", "3,1,3", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json rows = json::parse(o.out)["rows"];
  EXPECT_EQ(values(rows, "impl"), (std::set<std::string>{"serial", "ws-chase-lev", "switched/lace"}));
  EXPECT_EQ(values(rows, "name"), (std::set<std::string>{"fib", "nqueens"}));
  EXPECT_EQ(rows.size(), 2U * (1 + 2 * 2));
  for (const json& row : rows) {
    EXPECT_EQ(row["samples"].size(), 2U);
    EXPECT_EQ(row["unit"], "ms");
    const int workers = row["params"]["workers"];
    EXPECT_EQ(workers == 0, row["impl"] == "serial");
    EXPECT_TRUE(workers == 0 || workers == 1 || workers == 3) << workers;
  }
}

TEST(bench_fork_join, claims_of_what_was_not_run_are_null_and_say_why) {
  const outcome o = run_tool(short_fork_join_run({"--scheduler", "lace", "--programs", "nqueens", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json document = json::parse(o.out);
  for (const json& claim : document["claims"]) {
    EXPECT_TRUE(claim["measured"].is_null()) << claim;
    EXPECT_FALSE(claim["note"].get<std::string>().empty()) << claim;
  }
}

TEST(bench_fork_join, unknown_names_are_refused_with_the_known_ones) {
  const outcome scheduler = run_tool({"bench", "fork-join", "--scheduler", "lace,cilk"});
  EXPECT_EQ(scheduler.exit_code, 2);
  EXPECT_EQ(scheduler.out, "");
  EXPECT_TRUE(has(scheduler.err, "there is no scheduler 'cilk'")) << scheduler.err;
  EXPECT_TRUE(has(scheduler.err, "ws-chase-lev")) << scheduler.err;
  const outcome program = run_tool({"bench", "fork-join", "--programs", "mergesort"});
  EXPECT_EQ(program.exit_code, 2);
  EXPECT_TRUE(has(program.err, "there is no program 'mergesort'")) << program.err;
  EXPECT_TRUE(has(program.err, "late-leaf")) << program.err;
  for (const char* workers : {"0", "two", "1,-2", "100000"}) {
    const outcome number = run_tool({"bench", "fork-join", "--workers", workers});
    EXPECT_EQ(number.exit_code, 2) << workers;
    EXPECT_TRUE(has(number.err, "--workers")) << number.err;
  }
}

TEST(bench_fork_join, one_form_alone_for_callgrind) {
  for (const char* form : {"serial", "plain", "context", "throwing"}) {
    const outcome o = run_tool({"bench", "fork-join", "--instructions", form, "10"});
    EXPECT_EQ(o.exit_code, 0) << form << o.err;
    EXPECT_EQ(o.out + o.err, "") << form;
  }
  EXPECT_EQ(run_tool({"bench", "fork-join", "--instructions", "parallel", "10"}).exit_code, 2);
}

}  // namespace
}  // namespace pilfer::test
