// Claims and charts of the experiments about details, from rows that are made up; and each experiment once, tiny.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <set>
#include <thread>

#include "lab/details/crew.hpp"
#include "lab/details/disturbed_queue.hpp"
#include "lab/details/experiments.hpp"
#include "lab/details/pacer.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/tests/claim_by_id.hpp"
#include "lab/tests/tiny_settings.hpp"

namespace pilfer::lab::experiments {
namespace {

constexpr settings one_processor{.how = effort::tiny, .processors = 1};

std::vector<experiment> all_experiments() {
  return {barriers_experiment(), owner_loss_experiment(), cache_lines_experiment(), batch_experiment(),
          victims_experiment()};
}

row made_up_detail(const char* suite, const char* name, const char* impl, std::vector<double> ns) {
  row one;
  one.suite = suite;
  one.name = name;
  one.impl = impl;
  one.unit = "ns/op";
  one.samples = std::move(ns);
  return one;
}

bool cannot_be_shown(const claim& one) {
  return !one.measured && one.note.starts_with("cannot be shown on this machine: ");
}

TEST(detail_claims, without_rows_each_says_that_it_cannot_be_shown) {
  std::set<std::string> ids;
  for (const experiment& one : all_experiments()) {
    EXPECT_TRUE(one.charts({}).empty()) << one.name;
    for (const claim& c : one.claims({}, tiny_on_two)) {
      EXPECT_TRUE(cannot_be_shown(c)) << c.id << ": " << c.note;
      EXPECT_EQ(c.suite, one.name) << c.id;
      EXPECT_TRUE(ids.insert(c.id).second) << c.id << " twice";
    }
  }
}

TEST(detail_claims, the_gain_of_barriers_is_time_before_over_time_after) {
  const std::vector<row> rows = {made_up_detail("barriers", "alone/8192", "abp", {2, 2, 2}),
                                 made_up_detail("barriers", "alone/8192", "abp/seq_cst", {5, 5, 5})};
  const auto claims = barriers_experiment().claims(rows, tiny_on_two);
  EXPECT_DOUBLE_EQ(by_id(claims, "barrier_gain_abp").measured->value, 2.5);
  EXPECT_EQ(by_id(claims, "barrier_gain_abp").met(), std::nullopt);
  EXPECT_TRUE(cannot_be_shown(by_id(claims, "barrier_gain_bwos_lifo")));
}

TEST(detail_claims, samples_that_are_no_pairs_prove_nothing) {
  const std::vector<row> rows = {made_up_detail("barriers", "alone/8192", "abp", {2, 2, 2}),
                                 made_up_detail("barriers", "alone/8192", "abp/seq_cst", {5, 5})};
  EXPECT_TRUE(cannot_be_shown(by_id(barriers_experiment().claims(rows, tiny_on_two), "barrier_gain_abp")));
}

std::vector<row> getsize(const char* queue, double before, double after, double achieved) {
  std::vector<row> rows = {made_up_detail("owner-loss", "getsize/0%", queue, {before, before}),
                           made_up_detail("owner-loss", "getsize/1%", queue, {after, after})};
  rows[1].extra["achieved_share"] = achieved;
  return rows;
}

TEST(detail_claims, a_loss_is_met_or_missed) {
  const experiment about = owner_loss_experiment();
  const auto judged = [&](double after, double achieved) {
    return by_id(about.claims(getsize("bwos-lifo", 1, after, achieved), tiny_on_two), "getsize_loss_bwos");
  };
  EXPECT_EQ(judged(1.01, 0.01).met(), true);
  EXPECT_EQ(judged(1.25, 0.01).met(), false);
  EXPECT_NEAR(judged(1.25, 0.01).measured->value, 0.2, 1e-9);
  EXPECT_TRUE(cannot_be_shown(judged(1.01, 0.001))) << "nobody asked";
}

TEST(detail_claims, what_needs_two_processors_says_so) {
  for (const experiment& one : {owner_loss_experiment(), cache_lines_experiment(), batch_experiment()}) {
    for (const claim& c : one.claims({}, one_processor))
      EXPECT_NE(c.note.find("needs 2 processors"), std::string::npos) << c.id << ": " << c.note;
    const auto parts = one.parts(one_processor);
    ASSERT_EQ(parts.size(), 1U);
    const findings found = parts[0].run();
    EXPECT_TRUE(found.rows.empty());
    EXPECT_EQ(found.notes.size(), 1U) << one.name;
  }
}

TEST(detail_claims, sixty_four_lines_against_one) {
  const std::vector<row> rows = {made_up_detail("cache-lines", "locked/read/10%", "1 line", {30}),
                                 made_up_detail("cache-lines", "locked/read/10%", "64 lines", {10})};
  const auto claims = cache_lines_experiment().claims(rows, tiny_on_two);
  EXPECT_DOUBLE_EQ(by_id(claims, "cache_lines_gain").measured->value, 3);
}

row pool_row(const char* name, const char* queue, const char* policy, double balancing, double ns, int nodes) {
  row one =
      made_up_detail("victims", name, balancing == 0 ? queue : (std::string(queue) + "/" + policy).c_str(), {ns, ns});
  one.params = {{"queue", queue}, {"balancing", balancing}, {"workers", 2}};
  if (balancing > 0) one.params["policy"] = policy;
  one.extra["numa_nodes"] = nodes;
  return one;
}

TEST(detail_claims, the_pool_is_met_or_missed) {
  const experiment about = victims_experiment();
  const auto judged = [&](double abp) {
    return by_id(
        about.claims({pool_row("pool/k=0%", "bwos-lifo", "", 0, 1, 1), pool_row("pool/k=0%", "abp", "", 0, abp, 1)},
                     tiny_on_two),
        "pool_lifo_vs_abp");
  };
  EXPECT_EQ(judged(5).met(), true);
  EXPECT_EQ(judged(3).met(), false);
  EXPECT_NE(judged(3).note.find("2 threads"), std::string::npos);
}

TEST(detail_claims, numa_is_judged_only_where_there_are_nodes) {
  const experiment about = victims_experiment();
  for (const int nodes : {1, 2}) {
    const std::vector<row> rows = {pool_row("pool/k=100%", "bwos-lifo", "rand", 1, 4, nodes),
                                   pool_row("pool/k=100%", "bwos-lifo", "seq", 1, 6, nodes),
                                   pool_row("pool/k=100%", "bwos-lifo", "numa", 1, 2, nodes),
                                   pool_row("pool/k=100%", "bwos-lifo", "probabilistic-numa", 1, 1, nodes)};
    const auto claims = about.claims(rows, tiny_on_two);
    const claim& numa = by_id(claims, "pool_numa_lifo");
    const claim& more = by_id(claims, "pool_numa_probabilistic_lifo");
    if (nodes == 1) {
      EXPECT_TRUE(cannot_be_shown(numa));
      EXPECT_NE(more.note.find("one NUMA node"), std::string::npos);
    } else {
      EXPECT_DOUBLE_EQ(numa.measured->value, 3) << "the most it gains";
      EXPECT_DOUBLE_EQ(more.measured->value, 2);
    }
  }
}

TEST(detail_checks, a_lost_item_is_noticed) {
  EXPECT_NO_THROW(details::check_items("q", {3, 30}, {1, 10}, {1, 10}, {1, 10}));
  EXPECT_THROW(details::check_items("q", {3, 30}, {1, 10}, {1, 10}, {}), std::runtime_error);
  EXPECT_THROW(details::check_items("q", {3, 30}, {1, 10}, {1, 10}, {1, 11}), std::runtime_error);
}

TEST(detail_checks, a_pacer_keeps_to_what_it_was_told) {
  details::pacer half(0.5);
  EXPECT_FALSE(half.due(0, 0)) << "nothing was done yet";
  EXPECT_TRUE(half.due(10, 4));
  EXPECT_FALSE(half.due(10, 10)) << "at most one step ahead";
}

TEST(detail_checks, a_crew_ends_when_it_is_told_to) {
  details::crew two({allowed_processors().front(), allowed_processors().front()});
  std::atomic<int> done{0};
  for (int i = 0; i < 3; ++i) {
    two.begin([&](std::size_t /*member*/, const details::stop_flag& stop) {
      while (!stop.load(std::memory_order_relaxed)) std::this_thread::yield();
      ++done;
    });
    two.finish();
  }
  EXPECT_EQ(done, 6);
}

TEST(detail_experiments, each_runs_to_its_end) {
  const settings here{.how = effort::tiny, .processors = allowed_processors().size()};
  std::set<std::string> charts;
  for (const experiment& one : all_experiments()) {
    std::vector<row> rows;
    for (const part& p : one.parts(here)) {
      findings found = p.run();
      std::ranges::move(found.rows, std::back_inserter(rows));
    }
    if (here.processors < 2 && rows.empty()) continue;
    ASSERT_FALSE(rows.empty()) << one.name;
    std::vector<row> again;  // as if they came from a file
    for (const row& r : rows) {
      EXPECT_EQ(r.suite, one.name);
      EXPECT_GT(minimum(r.samples), 0) << r.name << " " << r.impl;
      again.push_back(row_from_json(json::parse(to_json(r).dump())));
    }
    EXPECT_FALSE(one.claims(again, here).empty()) << one.name;
    ASSERT_FALSE(one.charts(again).empty()) << one.name;
    for (const page::chart& shown : one.charts(again)) {
      EXPECT_TRUE(shown.id.starts_with(one.name)) << shown.id;
      EXPECT_TRUE(charts.insert(shown.id).second) << shown.id << " twice";
      ASSERT_FALSE(shown.lines_or_groups.empty()) << shown.id;
      for (const page::series& s : shown.lines_or_groups) EXPECT_FALSE(s.points.empty()) << shown.id << " " << s.name;
    }
  }
}

}  // namespace
}  // namespace pilfer::lab::experiments
