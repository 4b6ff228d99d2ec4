#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "claim_by_id.hpp"
#include "lab/peers/experiment.hpp"
#include "lab/peers/json_work.hpp"
#include "lab/peers/peer_process.hpp"
#include "lab/peers/run_contest.hpp"

namespace pilfer::lab {
namespace {

using experiments::effort;
using experiments::peers_charts;
using experiments::peers_claims;
using experiments::peers_experiment;

row row_with(const std::string& name, const std::string& impl, int workers, const std::string& own_sequential,
             double ms) {
  return {.suite = "peers",
          .name = name,
          .impl = impl,
          .params = {{"size", 1}, {"workers", workers}},
          .unit = "ms",
          .samples = {ms, ms, ms},
          .extra = {{"own_sequential", own_sequential}}};
}

std::vector<row> spawn_rows(double pilfer, double tokio) {
  return {row_with("spawn", "serial", 0, "serial", 1), row_with("spawn", "pilfer", 2, "serial", pilfer),
          row_with("spawn", "tokio", 2, "tokio-serial", tokio),
          row_with("spawn", "tokio-serial", 0, "tokio-serial", 2)};
}

TEST(peers_claims_test, all_ids_are_there_even_when_nothing_was_measured) {
  std::vector<std::string> ids;
  for (const claim& c : peers_claims({})) {
    ids.push_back(c.id);
    EXPECT_FALSE(c.measured) << c.id;
    EXPECT_EQ(c.note.find("cannot be shown on this machine: "), 0U) << c.note;
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"spawn_vs_tokio", "spawn_vs_go", "skynet_vs_tokio", "skynet_vs_go",
                                           "fib_vs_rayon", "lifo_alone_vs_crossbeam", "fifo_alone_vs_crossbeam"}));
}

TEST(peers_claims_test, tasks_are_compared_by_their_times) {
  const auto good = peers_claims(spawn_rows(5, 10));
  EXPECT_NEAR(by_id(good, "spawn_vs_tokio").measured->value, 0.5, 1e-9);
  EXPECT_EQ(by_id(good, "spawn_vs_tokio").met(), true);
  EXPECT_NE(by_id(good, "spawn_vs_tokio").note.find("1.00"), std::string::npos);  // 5 / 1 over 10 / 2
  EXPECT_FALSE(by_id(good, "spawn_vs_go").measured);
  EXPECT_EQ(by_id(peers_claims(spawn_rows(6, 10)), "spawn_vs_tokio").met(), false);
}

TEST(peers_claims_test, forks_are_compared_by_what_they_add_to_sequential_code) {
  std::vector<row> rows = {row_with("fib", "serial", 0, "serial", 2), row_with("fib", "pilfer", 2, "serial", 4),
                           row_with("fib", "rayon", 2, "rayon-serial", 3)};
  EXPECT_FALSE(by_id(peers_claims(rows), "fib_vs_rayon").measured);  // serial Rust is missing
  rows.push_back(row_with("fib", "rayon-serial", 0, "rayon-serial", 1));
  EXPECT_NEAR(by_id(peers_claims(rows), "fib_vs_rayon").measured->value, 2.0 / 3.0, 1e-9);
  EXPECT_EQ(by_id(peers_claims(rows), "fib_vs_rayon").met(), true);
}

TEST(peers_claims_test, most_workers_are_compared_and_as_many_on_both_sides) {
  std::vector<row> rows = spawn_rows(5, 10);
  rows.push_back(row_with("spawn", "pilfer", 1, "serial", 100));
  EXPECT_NEAR(by_id(peers_claims(rows), "spawn_vs_tokio").measured->value, 0.5, 1e-9);
  rows.push_back(row_with("spawn", "pilfer", 4, "serial", 1));
  EXPECT_FALSE(by_id(peers_claims(rows), "spawn_vs_tokio").measured);
}

TEST(peers_charts_test, only_what_was_measured_has_a_chart) {
  EXPECT_TRUE(peers_charts({}).empty());
  const auto charts = peers_charts(spawn_rows(5, 10));
  ASSERT_EQ(charts.size(), 1U);
  EXPECT_EQ(charts.front().id, "peers-tasks");
  EXPECT_EQ(charts.front().lines_or_groups.size(), 4U);
}

TEST(peer_process_test, what_a_program_says) {
  const peers::outcome found = peers::parsed("somebody", "1.5e-3 42 7 1 0.25");
  EXPECT_EQ(found.seconds, 1.5e-3);
  EXPECT_EQ(found.answer, 42);
  ASSERT_TRUE(found.switches.has_value());
  EXPECT_EQ(found.switches->voluntary, 7);
  EXPECT_EQ(found.switches->involuntary, 1);
  EXPECT_EQ(found.more, std::vector<double>{0.25});
  for (const char* line : {"", "error: no program x for 2 workers", "1 2", "1 2 3 4 words", "-1 2 3 4"}) {
    EXPECT_THROW(static_cast<void>(peers::parsed("somebody", line)), std::runtime_error) << line;
  }
}

TEST(peer_process_test, each_is_available_or_says_why_not) {
  for (const char* name : {"rayon", "crossbeam", "tokio", "go"}) {
    EXPECT_NE(peers::available(name), peers::version_of(name).empty()) << name;
    EXPECT_EQ(peers::available(name), peers::why_missing(name).empty()) << name;
    if (!peers::available(name)) {
      EXPECT_THROW(peers::peer_process{name}, std::runtime_error) << name;
      continue;
    }
    peers::peer_process program(name);
    EXPECT_THROW(static_cast<void>(program.run("no-such-program", 1, 1)), std::runtime_error) << name;
  }
  EXPECT_THROW(static_cast<void>(peers::available("nobody")), std::runtime_error);
}

TEST(peer_process_test, a_wrong_answer_is_an_error) {
  if (!peers::available("tokio")) GTEST_SKIP() << peers::why_missing("tokio");
  peers::peer_process tokio("tokio");
  EXPECT_EQ(tokio.run("spawn", 2, 10, 10.0).answer, 10);
  EXPECT_THROW(static_cast<void>(tokio.run("spawn", 2, 10, 11.0)), std::runtime_error);
}

TEST(peers_test, a_wrong_answer_names_who_gave_it) {
  EXPECT_NO_THROW(peers::check_answer(peers::contest::skynet, 100, 4950, "somebody"));
  try {
    peers::check_answer(peers::contest::skynet, 100, 4951, "somebody");
    FAIL();
  } catch (const std::runtime_error& wrong) {
    EXPECT_NE(std::string(wrong.what()).find("somebody: skynet"), std::string::npos);
  }
}

TEST(peers_test, documents_are_the_same_every_time_and_survive) {
  const auto documents = peers::json_documents(2);
  EXPECT_EQ(documents, peers::json_documents(2));
  EXPECT_NE(documents[0], documents[1]);
  EXPECT_GT(peers::transcoded(documents[0]), 0);
  EXPECT_THROW(static_cast<void>(peers::transcoded("[ ]")), std::runtime_error);  // shorter when encoded again
}

TEST(peers_test, a_tiny_run) {
  const experiments::settings given{.how = effort::tiny, .processors = 2};
  const auto whole = peers_experiment();
  std::vector<row> rows;
  std::set<std::string> notes;
  for (const auto& part : whole.parts(given)) {
    const auto found = part.run();
    rows.insert(rows.end(), found.rows.begin(), found.rows.end());
    notes.insert(found.notes.begin(), found.notes.end());
  }
  for (const row& one : rows) {
    EXPECT_EQ(one.suite, whole.name);
    EXPECT_FALSE(one.samples.empty()) << one.name;
    EXPECT_TRUE(one.extra.contains("ratio_to_own_sequential")) << one.name;
  }
  for (const char* peer : {"rayon", "tokio", "go"}) {
    const bool measured = std::ranges::any_of(rows, [&](const row& one) { return one.impl == peer; });
    EXPECT_EQ(measured, peers::available(peer)) << peer;
    EXPECT_EQ(notes.contains(std::string(peer) + ": " + peers::why_missing(peer)), !measured) << peer;
  }
  std::set<std::string> ids;
  for (const auto& chart : whole.charts(rows)) {
    EXPECT_TRUE(ids.insert(chart.id).second) << chart.id;
    EXPECT_EQ(chart.id.find(whole.name), 0U) << chart.id;
    EXPECT_FALSE(chart.lines_or_groups.empty()) << chart.id;
  }
  EXPECT_EQ(ids.size(), 4U);
  EXPECT_TRUE(
      schema_errors(to_json(report{.on = describe_machine(), .rows = rows, .claims = whole.claims(rows, given)}))
          .empty());
}

}  // namespace
}  // namespace pilfer::lab
