#include "lab/measure/report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace pilfer::lab {
namespace {

report sample_report() {
  report r;
  r.on = describe_machine();
  r.on.versions["eigen"] = "3.4.0";
  r.rows.push_back({.suite = "queues",
                    .name = "alone/8192",
                    .impl = "bwos-lifo",
                    .params = {{"entries", 8192}},
                    .unit = "ns/op",
                    .samples = {0.7123456789, 0.65, 0.68},
                    .ratio_to_sequential = estimate{0.97, 0.96, 0.98},
                    .extra = {{"filled", 8192.0}}});
  r.rows.push_back({.suite = "queues",
                    .name = "alone/8192",
                    .impl = "abp",
                    .params = json::object(),
                    .unit = "ns/op",
                    .samples = {3.0},
                    .ratio_to_sequential = {},
                    .extra = json::object()});
  r.claims.push_back({"lifo_alone", "LIFO BWoS / sequential stack", 0.893, 0.95, estimate{0.97, 0.96, 0.98}, ""});
  r.claims.push_back({"seq_vs_abp", "sequential stack / ABP", {}, {}, estimate{4.0, 3.9, 4.1}, ""});
  r.claims.push_back({"lifo_stolen20", "20 % stolen", 0.9947, 0.98, {}, "more threads than processors"});
  return r;
}

TEST(report, json_follows_the_schema) {
  const json j = json::parse(json_text(sample_report()));
  EXPECT_EQ(schema_errors(j), std::vector<std::string>{});
}

TEST(report, the_text_is_the_document) {
  EXPECT_EQ(json::parse(json_text(sample_report()))["rows"], to_json(sample_report())["rows"]);
}

TEST(report, a_row_carries_raw_samples_median_and_minimum) {
  const json row = to_json(sample_report())["rows"][0];
  EXPECT_EQ(row["samples"], json::parse("[0.712346, 0.65, 0.68]"));
  EXPECT_EQ(row["median"], 0.68);
  EXPECT_EQ(row["min"], 0.65);
  EXPECT_EQ(row["ratio_to_sequential"], 0.97);
  EXPECT_EQ(row["ratio_ci_low"], 0.96);
  EXPECT_EQ(row["ratio_ci_high"], 0.98);
  EXPECT_EQ(row["filled"], 8192.0);
}

TEST(report, what_is_not_known_is_null) {
  const json j = to_json(sample_report());
  EXPECT_TRUE(j["rows"][1]["ratio_to_sequential"].is_null());
  EXPECT_TRUE(j["claims"][1]["goal"].is_null());
  EXPECT_TRUE(j["claims"][1]["met"].is_null());
  EXPECT_TRUE(j["claims"][2]["measured"].is_null());
  EXPECT_TRUE(j["claims"][2]["met"].is_null());
  EXPECT_EQ(j["claims"][2]["note"], "more threads than processors");
}

TEST(report, an_infinite_figure_is_null) {
  claim c = sample_report().claims[1];
  c.measured = estimate{std::numeric_limits<double>::infinity(), 1, 2};
  EXPECT_TRUE(to_json(c)["measured"].is_null());
}

TEST(report, a_claim_is_met_at_its_goal_and_missed_below) {
  claim c = sample_report().claims[0];
  c.measured = estimate{0.95, 0.9, 1.0};
  EXPECT_EQ(c.met(), true);
  c.measured = estimate{0.9499, 0.9, 1.0};
  EXPECT_EQ(c.met(), false);
  EXPECT_EQ(to_json(c)["met"], false);
}

TEST(report, a_goal_may_be_a_limit_from_above) {
  claim c = sample_report().claims[0];
  EXPECT_EQ(to_json(c)["goal_is"], "at least");
  c.goal_is = goal_side::at_most;
  EXPECT_EQ(to_json(c)["goal_is"], "at most");
  c.measured = estimate{0.95, 0.95, 0.95};
  EXPECT_EQ(c.met(), true);
  c.measured = estimate{0.9501, 0.9501, 0.9501};
  EXPECT_EQ(c.met(), false);
  EXPECT_NE(claims_text({c}).find("at most 0.950"), std::string::npos) << claims_text({c});
}

TEST(report, a_count_is_printed_as_one) {
  const claim c{"executions", "in total", {}, 1e6, estimate{1234567, 1234567, 1234567}, ""};
  EXPECT_NE(claims_text({c}).find(" 1000000   "), std::string::npos) << claims_text({c});
  EXPECT_NE(claims_text({c}).find(" 1234567  met"), std::string::npos) << claims_text({c});
}

TEST(report, a_large_figure_is_printed_without_thousandths) {
  const claim c{"rate", "per second", {}, 1e5, estimate{404397.853, 403416.013, 405187.144}, ""};
  EXPECT_NE(claims_text({c}).find("404398 [403416, 405187]  met"), std::string::npos) << claims_text({c});
}

TEST(report, an_extra_key_must_not_hide_a_standard_one) {
  row r = sample_report().rows[0];
  r.extra = {{"median", 1}};
  EXPECT_THROW((void)to_json(r), std::logic_error);
}

TEST(report, numbers_have_six_digits_within_an_array_too) {
  row r = sample_report().rows[0];
  r.extra = {{"shares", {1.0 / 3, 2}}, {"nested", json::array({{0.123456789}})}};
  const json written = to_json(r);
  EXPECT_EQ(written["shares"].dump(), "[0.333333,2]");
  EXPECT_EQ(written["nested"].dump(), "[[0.123457]]");
}

TEST(report, claims_are_printed_with_verdicts_and_notes) {
  const std::string text = claims_text(sample_report().claims);
  EXPECT_NE(text.find("0.970 [0.960, 0.980]  met"), std::string::npos) << text;
  EXPECT_NE(text.find("not measured"), std::string::npos);
  EXPECT_NE(text.find("lifo_stolen20: more threads than processors"), std::string::npos);
}

TEST(schema, tells_what_is_wrong) {
  const json good = to_json(sample_report());
  const auto broken = [&](auto change) {
    json j = good;
    change(j);
    return schema_errors(j).size();
  };
  EXPECT_EQ(broken([](json&) {}), 0U);
  EXPECT_EQ(broken([](json& j) { j["schema"] = "pilfer.bench/2"; }), 1U);
  EXPECT_EQ(broken([](json& j) { j.erase("rows"); }), 1U);
  EXPECT_EQ(broken([](json& j) { j["machine"].erase("cpu"); }), 1U);
  EXPECT_EQ(broken([](json& j) { j["rows"][0].erase("impl"); }), 1U);
  EXPECT_EQ(broken([](json& j) { j["rows"][0]["median"] = "fast"; }), 1U);
  EXPECT_EQ(broken([](json& j) { j["rows"][0]["samples"] = json::array(); }), 1U);
  EXPECT_EQ(broken([](json& j) { j["claims"][0]["met"] = 1; }), 1U);
  EXPECT_EQ(broken([](json& j) { j["claims"][0]["goal_is"] = "about"; }), 1U);
  EXPECT_EQ(broken([](json& j) { j["claims"][0].erase("goal_is"); }), 0U);  // older reports have none
  EXPECT_EQ(broken([](json& j) { j["claims"][1]["id"] = "lifo_alone"; }), 1U);
  EXPECT_EQ(schema_errors(json::array()).size(), 1U);
}

TEST(machine, says_on_what_it_runs) {
  const machine m = describe_machine();
  EXPECT_FALSE(m.cpu.empty());
  EXPECT_GE(m.cores, 1U);
  EXPECT_GE(m.cores_allowed, 1U);
  EXPECT_NE(m.kernel.find("Linux"), std::string::npos);
  EXPECT_FALSE(m.compiler.empty());
  EXPECT_FALSE(m.commit.empty());
  EXPECT_EQ(m.date.size(), std::string("2026-11-15T12:00:00Z").size());
}

}  // namespace
}  // namespace pilfer::lab
