// The runner and its results, with experiments that are made up; and what every real one must have.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "claim_by_id.hpp"
#include "lab/experiments/folder.hpp"
#include "lab/experiments/priority_rows.hpp"
#include "lab/experiments/runner.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/nearest.hpp"
#include "lab/measure/output.hpp"
#include "lab/measure/progress.hpp"

namespace pilfer::lab::experiments {
namespace {

findings one_row(const std::string& name, double sample) {
  findings found;
  found.rows = {
      {.suite = "overwritten", .name = name, .impl = "somebody", .unit = "ms", .samples = {sample, sample + 1}}};
  found.rows.front().extra["shape"] = "round";
  found.claims = {{.id = "made_" + name, .text = "made up", .goal = 2, .measured = estimate{sample, sample, sample}}};
  found.notes = {"a peer was not there"};
  found.versions = {{"peer", "1.2"}};
  return found;
}

experiment made_up_experiment(const std::string& name, const std::vector<part>& parts) {
  return {.name = name, .title = name, .source = "nowhere", .summary = "", .parts = [parts](const settings&) {
            return parts;
          }};
}

results fresh() { return {.on = describe_machine(), .given = {.how = effort::tiny, .processors = 2}}; }

events quiet() {
  return {.save = [](const results&) {}, .tell = [](std::string_view) {}};
}

class scratch {
 public:
  scratch() : path_(std::filesystem::temp_directory_path() / fmt::format("pilfer-lab-{}-{}", ::getpid(), count_++)) {
    std::filesystem::create_directories(path_);
  }
  ~scratch() { std::filesystem::remove_all(path_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  [[nodiscard]] std::string path(const std::string& name = "") const { return (path_ / name).string(); }

 private:
  static inline int count_ = 0;
  std::filesystem::path path_;
};

TEST(runner, keeps_each_part_as_it_ends) {
  std::size_t saved = 0;
  const experiment one = made_up_experiment(
      "one", {{"a", [] { return one_row("x", 1); }}, {"b", [&saved] {
                                                        EXPECT_EQ(saved, 1U)
                                                            << "the first part was saved before the second began";
                                                        return one_row("y", 2);
                                                      }}});
  results all = fresh();
  events on = quiet();
  on.save = [&](const results&) { ++saved; };
  const outcome done = run_experiments({&one}, all, on);
  EXPECT_EQ(saved, 2U);
  EXPECT_EQ(done.measured, 2U);
  EXPECT_EQ(done.failed, 0U);
  ASSERT_TRUE(all.complete());
  EXPECT_EQ(all.experiments[0].rows()[0].suite, "one");
  EXPECT_EQ(all.experiments[0].notes(), std::vector<std::string>{"a peer was not there"}) << "said once";
  EXPECT_EQ(all.on.versions.at("peer"), "1.2");
}

TEST(runner, tells_figures_as_each_experiment_ends) {
  std::vector<std::string> told;
  const experiment first = made_up_experiment("first", {{"a", [] { return one_row("x", 1); }}});
  const experiment second = made_up_experiment("second", {{"a", [&told] {
                                                             EXPECT_EQ(told.size(), 2U) << "the first one's were told";
                                                             return one_row("y", 3);
                                                           }}});
  results all = fresh();
  events on = quiet();
  on.tell = [&](std::string_view line) { told.emplace_back(line); };
  run_experiments({&first, &second}, all, on);
  EXPECT_EQ(told, (std::vector<std::string>{"1/2 first: 0 s", "  made_x 1, goal 2: MISSED", "2/2 second: 0 s",
                                            "  made_y 3, goal 2: met"}));
}

TEST(runner, goes_on_where_it_was_interrupted) {
  bool interrupt = true;
  int first = 0;
  const experiment one = made_up_experiment("one", {{"a",
                                                     [&first] {
                                                       ++first;
                                                       return one_row("x", 1);
                                                     }},
                                                    {"b", [&interrupt] {
                                                       if (interrupt) throw interrupted(SIGINT);
                                                       return one_row("y", 2);
                                                     }}});
  results all = fresh();
  EXPECT_THROW(run_experiments({&one}, all, quiet()), interrupted);
  EXPECT_FALSE(all.complete());
  ASSERT_EQ(all.experiments[0].parts.size(), 1U);
  interrupt = false;
  const outcome done = run_experiments({&one}, all, quiet());
  EXPECT_EQ(done.kept, 1U);
  EXPECT_EQ(done.measured, 1U);
  EXPECT_EQ(first, 1) << "what was there was not measured again";
  EXPECT_TRUE(all.complete());
}

TEST(runner, a_wrong_result_is_told_and_the_others_go_on) {
  const experiment bad =
      made_up_experiment("bad", {{"a", []() -> findings { throw std::runtime_error("lost an item"); }}});
  const experiment good = made_up_experiment("good", {{"a", [] { return one_row("x", 1); }}});
  results all = fresh();
  std::string told;
  events on = quiet();
  on.tell = [&](std::string_view line) { told += line; };
  const outcome done = run_experiments({&bad, &good}, all, on);
  EXPECT_EQ(done.failed, 1U);
  EXPECT_NE(told.find("bad: FAILED: lost an item"), std::string::npos) << told;
  EXPECT_FALSE(all.find("bad")->complete());
  EXPECT_TRUE(all.find("good")->complete());
  EXPECT_FALSE(all.complete());
}

TEST(runner, a_disk_that_is_full_ends_it) {
  const experiment one = made_up_experiment("one", {{"a", [] { return one_row("x", 1); }}});
  results all = fresh();
  events on = quiet();
  on.save = [](const results&) { throw output_error("no space left"); };
  EXPECT_THROW(run_experiments({&one}, all, on), output_error);
}

results measured() {
  const experiment one =
      made_up_experiment("one", {{"a", [] { return one_row("x", 1.25); }}, {"b", [] { return one_row("y", 3); }}});
  results all = fresh();
  run_experiments({&one}, all, quiet());
  return all;
}

TEST(results, come_back_from_their_file) {
  const scratch place;
  const results all = measured();
  const folder kept(place.path("deep/er"));
  EXPECT_FALSE(kept.earlier().has_value());
  kept.save(all);
  const std::optional<results> back = kept.earlier();
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(json_text(*back), json_text(all));
  EXPECT_EQ(schema_errors(json::parse(json_text(all))), std::vector<std::string>{});
  EXPECT_TRUE(back->complete());
  ASSERT_EQ(back->experiments.size(), 1U);
  EXPECT_EQ(back->experiments[0].parts[1].rows[0].samples, (std::vector<double>{3, 4}));
  EXPECT_EQ(back->experiments[0].parts[1].rows[0].extra["shape"], "round");
  const std::vector<claim> claims = claims_of(*back);
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].id, "made_x");
  EXPECT_EQ(claims[0].met(), false);
  EXPECT_EQ(claims[1].met(), true);
}

TEST(results, of_another_build_or_effort_are_not_mixed) {
  const results all = measured();
  EXPECT_EQ(why_not_together(all, all), "");
  results other = all;
  other.on.commit = "elsewhere";
  EXPECT_NE(why_not_together(other, all).find("elsewhere"), std::string::npos);
  other = all;
  other.given.how = effort::full;
  EXPECT_NE(why_not_together(other, all).find("full"), std::string::npos);
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string complaint_about(const std::string& path) {
  try {
    (void)read_results(path);
  } catch (const damaged_results& error) {
    return error.what();
  }
  return "nothing";
}

TEST(results, say_which_file_is_damaged_and_where) {
  const scratch place;
  const std::string path = place.path("results.json");
  const std::string whole = json_text(measured());
  EXPECT_NE(complaint_about(path).find("cannot be read"), std::string::npos);
  write(path, "");
  EXPECT_NE(complaint_about(path).find("is empty"), std::string::npos);
  write(path, whole.substr(0, whole.size() / 2));
  EXPECT_NE(complaint_about(path).find("line "), std::string::npos) << complaint_about(path);
  write(path, "{\"schema\": \"pilfer.bench/1\", }");
  EXPECT_NE(complaint_about(path).find("line 1, column 30"), std::string::npos) << complaint_about(path);
  write(path, "[]");
  EXPECT_NE(complaint_about(path).find("document is not an object"), std::string::npos) << complaint_about(path);
  json without = json::parse(whole);
  without["rows"][0].erase("samples");
  write(path, without.dump());
  EXPECT_NE(complaint_about(path).find("rows[0] has no \"samples\""), std::string::npos) << complaint_about(path);
  without = json::parse(whole);
  without.erase("experiments");
  write(path, without.dump());
  EXPECT_NE(complaint_about(path).find("experiments"), std::string::npos) << complaint_about(path);
  without = json::parse(whole);
  without["rows"][0]["suite"] = "nobody";
  write(path, without.dump());
  EXPECT_NE(complaint_about(path).find("nobody"), std::string::npos) << complaint_about(path);
  EXPECT_NE(complaint_about(path).find(path), std::string::npos) << "the file is named";
}

TEST(folder, that_cannot_be_made_says_so) {
  const scratch place;
  write(place.path("file"), "in the way");
  EXPECT_THROW(folder(place.path("file/inside")), output_error);
  EXPECT_THROW(folder("/proc/none"), output_error);
}

TEST(experiments, have_names_texts_and_parts_that_differ) {
  std::set<std::string> names;
  for (const experiment& one : registry()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_FALSE(one.title.empty()) << one.name;
    EXPECT_FALSE(one.source.empty()) << one.name;
    EXPECT_FALSE(one.summary.empty()) << one.name;
    EXPECT_GT(one.quick_seconds, 0) << one.name;
    EXPECT_TRUE(one.charts) << one.name;
    for (const effort how : {effort::tiny, effort::quick, effort::full}) {
      std::set<std::string> parts;
      for (const part& each : one.parts({.how = how, .processors = 2}))
        EXPECT_TRUE(parts.insert(each.name).second) << one.name << ": " << each.name;
      EXPECT_FALSE(parts.empty()) << one.name;
    }
  }
}

TEST(experiments, without_rows_claim_nothing_and_say_why) {
  std::set<std::string> ids;
  for (const experiment& one : registry()) {
    EXPECT_TRUE(one.charts({}).empty()) << one.name;
    EXPECT_NE(static_cast<bool>(one.claims), static_cast<bool>(one.unmeasured)) << one.name << ": one of the two";
    for (const claim& c : claims_of(one, {.name = one.name}, {.how = effort::quick, .processors = 2})) {
      EXPECT_TRUE(ids.insert(c.id).second) << c.id << " is there twice";
      EXPECT_FALSE(c.measured.has_value()) << one.name << ": " << c.id;
      EXPECT_FALSE(c.note.empty()) << one.name << ": " << c.id;
      EXPECT_FALSE(c.text.empty()) << c.id;
      for (const char letter : c.id) EXPECT_TRUE(std::islower(letter) || std::isdigit(letter) || letter == '_') << c.id;
    }
  }
}

// Each figure that a paper printed is a row of the report, also where it cannot be measured.
TEST(experiments, have_the_claims_of_the_papers) {
  std::set<std::string> ids;
  for (const experiment& one : registry()) {
    for (const claim& c : claims_of(one, {.name = one.name}, {.how = effort::quick, .processors = 2})) ids.insert(c.id);
  }
  for (const char* id :
       {// one owner, no thief
        "lifo_alone", "fifo_alone", "lifo_vs_abp", "fifo_vs_eigen", "fifo_vs_bbq", "fifo_vs_tokio", "fifo_vs_go",
        "barrier_gain_bwos_lifo", "barrier_gain_abp",
        // thieves
        "lifo_vs_abp_stolen10", "lifo_loss_stolen20", "fifo_loss_stolen20", "abp_loss_stolen20", "tokio_loss_stolen20",
        "abp_loss_stolen1", "abp_loss_stolen1_other_node", "getsize_loss_abp", "fifo_vs_eigen_stolen10",
        "fifo_vs_bbq_stolen10", "fifo_vs_tokio_stolen10", "fifo_vs_go_stolen10", "block_size_sensitivity",
        "abp_total_1m_5_thieves", "chase_lev_total_1m_5_thieves", "locked_total_1m_5_thieves", "lifo_lost_share",
        "abp_lost_share", "chase_lev_lost_share", "locked_lost_share", "hardware_counters",
        // pools and victims
        "pool_lifo_vs_abp", "pool_fifo_vs_tokio",
        // verification
        "verify_minutes_bwos_lifo", "verify_minutes_bwos_fifo", "verify_minutes_abp", "verify_seq_cst_bwos_lifo",
        "verify_acquire_bwos_lifo", "verify_release_bwos_lifo", "verify_relaxed_bwos_lifo", "verify_seq_cst_bwos_fifo",
        "verify_relaxed_bwos_fifo", "verify_seq_cst_abp", "verify_relaxed_abp", "verify_weaker_orders",
        "verify_empty_and_full",
        // priorities
        "strict_cost", "level0_sooner", "strict_inversions", "relaxed_inversions_growth", "strict_lost_share",
        "strict_stealing_effort",
        // load balance and applications
        "skewed_gain", "even_never_slower", "quicksort_worst_queue", "dups_worst_queue", "serve_vs_hyper",
        "serve_cpu_vs_hyper", "serve_latency_vs_hyper"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
}

// A suite judges while it measures: if it fails, its claims must not vanish.
TEST(experiments, of_a_suite_that_failed_say_that_nothing_was_measured) {
  for (const char* name : {"fork-join", "algorithms", "priorities"}) {
    const std::vector<claim> none = claims_of({.name = name}, {.how = effort::quick, .processors = 2});
    ASSERT_GT(none.size(), 1U) << name;
    for (const claim& c : none) {
      EXPECT_EQ(c.note, "not measured") << c.id;
      EXPECT_EQ(c.suite, name) << c.id;
    }
    claim said = none.front();
    said.measured = estimate{1, 1, 1};
    said.note = "measured";
    const experiment_record some{.name = name, .parts = {{.name = "all", .began = "", .claims = {said}}}};
    const std::vector<claim> all = claims_of(some, {.how = effort::quick, .processors = 2});
    EXPECT_EQ(all.size(), none.size()) << "each once";
    EXPECT_EQ(by_id(all, said.id.c_str()).note, "measured");
  }
}

row of_priorities(const char* program, const char* design, int workers, json extra) {
  return {.suite = "priorities",
          .name = program,
          .impl = design,
          .params = {{"workers", workers}},
          .unit = "ms",
          .samples = {1},
          .extra = std::move(extra)};
}

TEST(priority_row_claims, are_about_growth_and_effort) {
  std::vector<row> rows = {
      of_priorities("fib", "relaxed", 1, {{"inversions", 0}, {"counted_runs", 2}}),
      of_priorities("fib", "relaxed", 2, {{"inversions", 4}, {"counted_runs", 2}}),
      of_priorities("scenario_4", "strict", 2, {{"lost_share", 0.25}, {"stealing_effort", 3.5}, {"counted_runs", 0}}),
      of_priorities("scenario_4", "single", 2, {{"lost_share", 0.125}, {"stealing_effort", 7}})};
  const auto one_count = priority_row_claims(rows);
  EXPECT_EQ(by_id(one_count, "strict_lost_share").measured.value().value, 0.25);
  EXPECT_NE(by_id(one_count, "strict_lost_share").note.find("single deque 0.125"), std::string::npos);
  EXPECT_EQ(by_id(one_count, "strict_stealing_effort").measured.value().value, 3.5);
  EXPECT_FALSE(by_id(one_count, "relaxed_inversions_growth").measured) << "needs two numbers of workers";
  EXPECT_NE(by_id(one_count, "relaxed_inversions_growth").note.find("2 with 2 workers"), std::string::npos);
  rows.push_back(of_priorities("fib", "relaxed", 8, {{"inversions", 64}, {"counted_runs", 2}}));
  const auto two_counts = priority_row_claims(rows);
  EXPECT_NEAR(by_id(two_counts, "relaxed_inversions_growth").measured.value().value, 2, 1e-9);
  EXPECT_EQ(by_id(two_counts, "relaxed_inversions_growth").paper, 2);
}

TEST(nearest, names_that_look_alike_come_first) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("lwcs", "lcws"), 1U) << "neighbours exchanged";
  const std::vector<std::string> known = {"queues-alone", "queues-thieves", "lcws", "fork-join"};
  EXPECT_EQ(nearest_names("lwcs", known, 1), std::vector<std::string>{"lcws"});
  EXPECT_EQ(nearest_names("queue-alone", known, 1), std::vector<std::string>{"queues-alone"});
  EXPECT_EQ(nearest_names("thieves", known, 1), std::vector<std::string>{"queues-thieves"});
  EXPECT_EQ(nearest_names("x", known, 9).size(), known.size());
}

TEST(overall_progress, goes_by_time_and_learns_the_pace) {
  overall_progress shown(100);
  EXPECT_EQ(overall_progress::current(), &shown);
  shown.begin("first", 50);
  EXPECT_NEAR(shown.at(shown.seconds_since_start() + 25).share, 0.25, 0.01);
  EXPECT_LT(shown.at(1e6).share, 0.5) << "what takes longer than expected is not done";
  shown.begin("second", 50);
  EXPECT_NEAR(shown.at(shown.seconds_since_start()).share, 0.5, 0.01);
  EXPECT_NE(shown.line(0, "abp").find("second (abp)"), std::string::npos);
}

}  // namespace
}  // namespace pilfer::lab::experiments
