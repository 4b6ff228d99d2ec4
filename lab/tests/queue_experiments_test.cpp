// The lab's experiments with single queues: what they claim of made-up rows, and one tiny run of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "claim_by_id.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/queues/experiments.hpp"
#include "lab/queues/measured_queue.hpp"
#include "tiny_settings.hpp"

namespace pilfer::lab::experiments {
namespace {

constexpr std::string_view not_here = "cannot be shown on this machine: ";

row made_up_queue(const char* suite, const char* name, const char* impl, double value, json extra = json::object()) {
  return {.suite = suite,
          .name = name,
          .impl = impl,
          .params = {{"thieves", 1}},
          .unit = "ns/op",
          .samples = {value, value, value},
          .ratio_to_sequential = {},
          .extra = std::move(extra)};
}

json stolen(double achieved, double relative, double per_us = 0, bool oversubscribed = false) {
  return {{"achieved_share", achieved},
          {"relative_throughput", relative},
          {"stolen_per_us", {per_us, per_us, per_us}},
          {"oversubscribed", oversubscribed}};
}

void expect_not_shown(const claim& c) {
  EXPECT_FALSE(c.measured) << c.id;
  EXPECT_TRUE(c.note.starts_with(not_here)) << c.id << ": " << c.note;
  EXPECT_GT(c.note.size(), not_here.size()) << c.id;
}

std::vector<experiment> all() {
  return {queues_alone_experiment(), queues_thieves_experiment(), steal_frequency_experiment(),
          steal_latency_experiment(), block_size_experiment()};
}

TEST(queue_experiments, without_rows_every_claim_says_why) {
  for (const experiment& e : all()) {
    EXPECT_FALSE(e.claims({}, tiny_on_two).empty()) << e.name;
    for (const claim& c : e.claims({}, tiny_on_two)) expect_not_shown(c);
    EXPECT_TRUE(e.charts({}).empty()) << e.name;
  }
}

// 001's figures of queues that cannot be run here stay in the report.
TEST(queue_experiments, queues_that_are_not_here_are_claims_that_say_so) {
  const std::vector<claim> alone = queues_alone_experiment().claims({}, tiny_on_two);
  const std::vector<claim> thieves = queues_thieves_experiment().claims({}, tiny_on_two);
  EXPECT_EQ(by_id(alone, "fifo_vs_bbq").paper, 8.9);
  EXPECT_EQ(by_id(alone, "fifo_vs_tokio").paper, 3.55);
  EXPECT_EQ(by_id(alone, "fifo_vs_go").paper, 1.61);
  EXPECT_EQ(by_id(thieves, "fifo_vs_bbq_stolen10").paper, 11.2);
  EXPECT_EQ(by_id(thieves, "fifo_vs_tokio_stolen10").paper, 9.41);
  EXPECT_EQ(by_id(thieves, "fifo_vs_go_stolen10").paper, 2.78);
  EXPECT_EQ(by_id(thieves, "tokio_loss_stolen20").paper, 0.802);
  EXPECT_EQ(by_id(thieves, "abp_loss_stolen1_other_node").paper, 0.252);
  EXPECT_FALSE(by_id(thieves, "hardware_counters").paper);
}

TEST(queue_experiments, an_owner_alone_is_judged_by_pairs_of_its_own_suite) {
  const char* const suite = "queues-alone";
  const std::vector<row> rows = {made_up_queue(suite, "alone/8192", "seq-stack", 0.60),
                                 made_up_queue(suite, "alone/8192", "bwos-lifo", 0.625),
                                 made_up_queue(suite, "alone/8192", "abp", 3.0),
                                 made_up_queue(suite, "alone/8192", "bwos-fifo", 1.0),
                                 made_up_queue(suite, "alone/8192", "eigen-runqueue", 3.9),
                                 made_up_queue("other", "alone/8192", "seq-ring", 1.0),
                                 made_up_queue(suite, "alone/8192", "bwos-lifo/4-byte", 0.5)};
  const auto claims = queues_alone_experiment().claims(rows, tiny_on_two);
  EXPECT_EQ(by_id(claims, "lifo_alone").met(), true);
  EXPECT_NEAR(by_id(claims, "lifo_vs_abp").measured->value, 4.8, 1e-9);
  EXPECT_NEAR(*by_id(claims, "lifo_vs_abp").goal, 4.75, 1e-9);
  EXPECT_EQ(by_id(claims, "fifo_over_eigen_4x").met(), false);
  EXPECT_NEAR(by_id(claims, "lifo_8_over_4_bytes").measured->value, 0.8, 1e-9);
  expect_not_shown(by_id(claims, "fifo_alone"));
}

TEST(queue_experiments, an_owners_loss_is_met_missed_or_not_shown) {
  const char* const suite = "queues-thieves";
  const std::vector<row> rows = {made_up_queue(suite, "thieves-1/20%", "bwos-lifo", 1, stolen(0.2, 0.985)),
                                 made_up_queue(suite, "thieves-1/20%", "bwos-fifo", 1, stolen(0.2, 0.85)),
                                 made_up_queue(suite, "thieves-1/20%", "abp", 1, stolen(0.1, 0.3)),
                                 made_up_queue(suite, "thieves-5/20%", "bwos-lifo", 1, stolen(0.2, 0.985, 0, true))};
  const auto claims = queues_thieves_experiment().claims(rows, tiny_on_two);
  EXPECT_NEAR(by_id(claims, "lifo_loss_stolen20").measured->value, 0.015, 1e-9);
  EXPECT_NEAR(*by_id(claims, "lifo_loss_stolen20").goal, 0.02, 1e-9);
  EXPECT_EQ(by_id(claims, "lifo_loss_stolen20").met(), true);
  EXPECT_EQ(by_id(claims, "fifo_loss_stolen20").met(), false);
  expect_not_shown(by_id(claims, "abp_loss_stolen20"));
  expect_not_shown(by_id(claims, "lifo_loss_stolen20_5_thieves"));
  expect_not_shown(by_id(claims, "lifo_loss_stolen1"));
}

TEST(queue_experiments, a_ratio_with_thieves_is_of_total_throughputs) {
  const char* const suite = "queues-thieves";
  // 1000 + 200 against 100 + 20 million operations a second.
  std::vector<row> rows = {made_up_queue(suite, "thieves-1/10%", "bwos-lifo", 1, stolen(0.1, 1, 200)),
                           made_up_queue(suite, "thieves-1/10%", "abp", 10, stolen(0.1, 1, 20)),
                           made_up_queue(suite, "thieves-1/0%", "seq-stack", 0.5)};
  auto claims = queues_thieves_experiment().claims(rows, tiny_on_two);
  EXPECT_NEAR(by_id(claims, "lifo_vs_abp_stolen10").measured->value, 10, 1e-9);
  EXPECT_EQ(by_id(claims, "lifo_vs_abp_stolen10").met(), false);
  EXPECT_NEAR(by_id(claims, "seq_vs_abp_stolen10").measured->value, 2000.0 / 120, 1e-9);
  rows[1].extra["achieved_share"] = 0.05;
  claims = queues_thieves_experiment().claims(rows, tiny_on_two);
  expect_not_shown(by_id(claims, "lifo_vs_abp_stolen10"));
}

TEST(queue_experiments, five_thieves_need_six_processors) {
  const char* const suite = "steal-frequency";
  std::vector<row> rows = {made_up_queue(suite, "thieves-5/1000000hz", "bwos-lifo", 1, stolen(0, 1, 0, true)),
                           made_up_queue(suite, "thieves-5/1000000hz", "abp", 2, stolen(0, 1, 0, true))};
  expect_not_shown(by_id(steal_frequency_experiment().claims(rows, tiny_on_two), "abp_total_1m_5_thieves"));
  for (row& r : rows) r.extra["oversubscribed"] = false;
  const claim shown = by_id(steal_frequency_experiment().claims(rows, tiny_on_two), "abp_total_1m_5_thieves");
  EXPECT_NEAR(shown.measured->value, 0.5, 1e-9);
  EXPECT_EQ(shown.paper, 0.76);
}

TEST(queue_experiments, lost_races_are_a_share_of_the_failed_steals) {
  json extra = stolen(0, 1);
  extra["counts"] = {{"steals", 100}, {"empty", 60}, {"lost", 30}, {"private_work", 10}};
  const std::vector<row> rows = {made_up_queue("steal-frequency", "thieves-1/1000000hz", "abp", 1, extra)};
  EXPECT_NEAR(by_id(steal_frequency_experiment().claims(rows, tiny_on_two), "abp_lost_share").measured->value, 0.3,
              1e-9);
  const auto charts = steal_frequency_experiment().charts(rows);
  const auto bars = std::ranges::find(charts, page::chart_kind::stacked_bars, &page::chart::kind);
  ASSERT_NE(bars, charts.end());
  double sum = 0;
  for (const page::series& part : bars->lines_or_groups) sum += part.points.at(0).y;
  EXPECT_NEAR(sum, 100, 1e-9);
}

TEST(queue_experiments, the_order_of_steal_times_is_a_ratio_of_medians) {
  const char* const suite = "steal-latency";
  const std::vector<row> rows = {made_up_queue(suite, "steal/taken", "abp", 100),
                                 made_up_queue(suite, "steal/taken", "chase-lev", 116),
                                 made_up_queue(suite, "steal/failed", "locked", 20)};
  const auto claims = steal_latency_experiment().claims(rows, tiny_on_two);
  EXPECT_NEAR(by_id(claims, "steal_median_chase_lev").measured->value, 116, 1e-9);
  EXPECT_NEAR(by_id(claims, "steal_median_chase_lev_over_abp").measured->value, 1.16, 1e-9);
  expect_not_shown(by_id(claims, "steal_median_locked"));
}

TEST(queue_experiments, the_worse_of_both_queues_says_how_much_the_block_size_matters) {
  std::vector<row> rows;
  for (const int entries : {8, 16, 32, 64, 128, 256}) {
    const std::string size = std::to_string(entries);
    rows.push_back(made_up_queue("block-size", "alone/8192", ("bwos-lifo/" + size).c_str(), entries == 8 ? 1.05 : 1));
    rows.push_back(made_up_queue("block-size", "alone/8192", ("bwos-fifo/" + size).c_str(), entries == 16 ? 1.08 : 1));
  }
  const auto sensitivity = [&] {
    return by_id(block_size_experiment().claims(rows, tiny_on_two), "block_size_sensitivity");
  };
  EXPECT_NEAR(sensitivity().measured->value, 1.08, 1e-9);
  EXPECT_EQ(sensitivity().met(), true);
  rows.front().samples = {1.2, 1.2, 1.2};
  EXPECT_EQ(sensitivity().met(), false);
  rows.pop_back();
  expect_not_shown(sensitivity());
}

TEST(queue_experiments, items_of_four_bytes_come_back_as_they_went_in) {
  for (const queues::implementation& one : queues::narrow_implementations()) {
    const auto queue = one.make({.blocks = 8, .entries = 128});
    queues::owner_totals totals;
    queue->run_alone(2, totals);
    EXPECT_EQ(totals.pushed, totals.popped) << one.name;
    EXPECT_GE(totals.pushed.count, 2 * 7 * 128U) << one.name;
    EXPECT_EQ(one.item_bytes, 4U) << one.name;
    EXPECT_THROW((void)one.make({.blocks = 8, .entries = 8192}), std::invalid_argument) << one.name;
  }
}

TEST(queue_experiments, a_tiny_run_of_each_gives_rows_claims_and_charts) {
  std::set<std::string> claim_ids;
  std::set<std::string> chart_ids;
  const settings given{.how = effort::tiny, .processors = allowed_processors().size()};
  for (const experiment& e : all()) {
    report r;
    std::vector<row> reread;
    for (const part& p : e.parts(given)) {
      findings found = p.run();
      EXPECT_FALSE(found.rows.empty()) << e.name << ", " << p.name;
      for (const row& one : found.rows) {
        EXPECT_EQ(one.suite, e.name);
        reread.push_back(row_from_json(to_json(one)));
      }
      r.add(std::move(found.rows));
    }
    r.claims = e.claims(r.rows, given);
    r.on = describe_machine();
    EXPECT_EQ(schema_errors(to_json(r)), std::vector<std::string>{}) << e.name;
    const auto again = e.claims(reread, given);
    ASSERT_EQ(again.size(), r.claims.size());
    for (std::size_t i = 0; i < again.size(); ++i) {
      EXPECT_TRUE(claim_ids.insert(again[i].id).second) << again[i].id;
      EXPECT_EQ(again[i].measured.has_value(), r.claims[i].measured.has_value()) << again[i].id;
      if (!again[i].measured) expect_not_shown(again[i]);
    }
    const auto charts = e.charts(reread);
    EXPECT_FALSE(charts.empty()) << e.name;
    for (const page::chart& c : charts) {
      EXPECT_TRUE(chart_ids.insert(c.id).second) << c.id;
      EXPECT_TRUE(c.id.starts_with(e.name)) << c.id;
      for (const page::series& s : c.lines_or_groups) EXPECT_FALSE(s.points.empty()) << c.id << ", " << s.name;
    }
  }
}

}  // namespace
}  // namespace pilfer::lab::experiments
