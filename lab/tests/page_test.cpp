// The report's parts: text, scales, charts, suitability, and the page as a whole. How it looks is for tests/report.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "lab/page/claims_view.hpp"
#include "lab/page/distribution.hpp"
#include "lab/page/figure.hpp"
#include "lab/page/page.hpp"
#include "lab/page/scale.hpp"
#include "lab/page/suitability.hpp"
#include "lab/page/svg.hpp"
#include "lab/page/text.hpp"

namespace pilfer::lab::page {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// No attribute of a shape may be anything but a number.
bool numbers_are_sound(const std::string& svg) {
  static const std::regex bad(R"x((x|y|x1|x2|y1|y2|cx|cy|r|width|height|d)="[^"]*(nan|inf)[^"]*")x");
  return !std::regex_search(svg, bad);
}

row made_row(const char* suite, const char* name, const char* impl, std::vector<double> samples, json params,
             const char* unit = "ms") {
  return {.suite = suite,
          .name = name,
          .impl = impl,
          .params = std::move(params),
          .unit = unit,
          .samples = std::move(samples),
          .ratio_to_sequential = std::nullopt};
}

point at(std::string category, double y) {
  point p;
  p.category = std::move(category);
  p.y = y;
  return p;
}

point at(double x, double y) {
  point p;
  p.x = x;
  p.y = y;
  return p;
}

chart bars(std::size_t series_count, std::size_t categories) {
  chart c{.id = "some-bars",
          .title = "Bars",
          .caption = {},
          .kind = chart_kind::bars,
          .x = {},
          .y = {"time (ms)"},
          .lines_or_groups = {},
          .reference = std::nullopt,
          .reference_label = {}};
  for (std::size_t i = 0; i < series_count; ++i) {
    series s{.name = "series " + std::to_string(i), .points = {}};
    for (std::size_t j = 0; j < categories; ++j) {
      point p = at("category " + std::to_string(j), 1.0 + static_cast<double>(i + j));
      p.low = p.y * 0.9;
      p.high = p.y * 1.1;
      p.samples = {p.y * 0.9, p.y, p.y, p.y * 1.1, p.y * 2};
      s.points.push_back(p);
    }
    c.lines_or_groups.push_back(s);
  }
  return c;
}

document small_document() {
  document d;
  d.on.date = "2026-11-16T12:00:00Z";
  section s;
  s.name = "fork-join";
  s.title = "Fork & join";
  s.charts = {bars(2, 2)};
  s.rows = {made_row("fork-join", "fib", "default", {1, 1.1, 1.2}, {{"workers", 2}}),
            made_row("fork-join", "fib", "onetbb", {2, 2.2, 2.4}, {{"workers", 2}})};
  s.claims = {
      {.id = "a_claim", .text = "a claim", .paper = 1.0, .goal = 2.0, .measured = estimate{3, 2.9, 3.1}, .note = {}}};
  d.sections = {s};
  return d;
}

// ---- text and scales

TEST(page_text, escapes_what_could_be_markup_or_an_address) {
  EXPECT_EQ(escaped(R"(<a href="x">'&)"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  EXPECT_FALSE(contains(escaped("see https://example.org/a/b"), "://"));
  EXPECT_EQ(escaped("a/b"), "a/b");
  const std::string safe = script_safe(R"({"a":"</script><!-- http://x"})");
  EXPECT_FALSE(contains(safe, "<"));
  EXPECT_FALSE(contains(safe, "://"));
  EXPECT_EQ(json::parse(safe)["a"], "</script><!-- http://x");
}

TEST(page_text, figures_are_short_and_never_nan) {
  EXPECT_EQ(figure(0.6432), "0.643");
  EXPECT_EQ(figure(12.34), "12.3");
  EXPECT_EQ(figure(3), "3");
  EXPECT_EQ(figure(1234567), "1\u202f234\u202f567");
  EXPECT_EQ(figure(nan), "–");
  EXPECT_EQ(plain(infinity), "");
  EXPECT_EQ(coordinate(nan), "0");
  EXPECT_EQ(unit_of("time (ms)"), "ms");
  EXPECT_EQ(unit_of("time"), "");
}

TEST(page_text, wrapping_loses_nothing_and_keeps_to_the_width) {
  const std::string text = "chase-lev-bounded with averyveryverylongwordwithoutanyplacetobreak";
  std::string joined;
  for (const std::string& line : wrapped(text, 8)) {
    EXPECT_LE(text_width(line), 8);
    joined += line;
  }
  std::string without_blanks = text;
  std::erase(without_blanks, ' ');
  std::erase(joined, ' ');
  EXPECT_EQ(joined, without_blanks);
}

TEST(page_scale, ticks_are_few_round_and_within) {
  for (const double high : {1e-9, 0.3, 7.0, 99.0, 12345.0, 3e12}) {
    extent values;
    values.include(high);
    const scale s(values, false, baseline::zero, 6);
    EXPECT_GE(s.ticks().size(), 2U) << high;
    EXPECT_LE(s.ticks().size(), 8U) << high;
    for (const tick& t : s.ticks()) {
      EXPECT_GE(s(t.value), -1e-9);
      EXPECT_LE(s(t.value), 1 + 1e-9);
    }
    EXPECT_GE(s(high), 0.5);
  }
}

TEST(page_scale, odd_data_still_makes_an_axis) {
  extent equal;
  equal.include(5);
  equal.include(nan);
  const scale same(equal, false, baseline::close, 5);
  EXPECT_GT(same(5), 0);
  EXPECT_LT(same(5), 1);
  const scale nothing(extent{}, true, baseline::zero, 5);
  EXPECT_FALSE(nothing.logarithmic());
  EXPECT_FALSE(nothing.ticks().empty());
  extent wide_range;
  wide_range.include(1e-9);
  wide_range.include(1e12);
  const scale log(wide_range, true, baseline::close, 6);
  EXPECT_LE(log.ticks().size(), 8U);
  EXPECT_FALSE(log.shows(0));
  EXPECT_LT(log(1e-9), log(1));
}

TEST(page_distribution, quartiles_outliers_and_density) {
  const five_numbers five = summarize({1, 2, 3, 4, 5, 100});
  EXPECT_DOUBLE_EQ(five.middle, 3.5);
  EXPECT_EQ(five.outliers, std::vector<double>{100});
  EXPECT_DOUBLE_EQ(five.whisker_high, 5);
  EXPECT_TRUE(density({5, 5, 5, 5}, false).empty());
  const auto curve = density({1, 2, 2, 2, 3}, false);
  ASSERT_FALSE(curve.empty());
  EXPECT_LT(curve.front().density, curve[curve.size() / 2].density);
}

// ---- charts

TEST(page_chart, every_kind_draws_every_point_in_both_layouts) {
  for (const chart_kind kind :
       {chart_kind::lines, chart_kind::bars, chart_kind::stacked_bars, chart_kind::boxes, chart_kind::violins}) {
    for (const std::size_t series_count : {1U, 3U, 15U}) {
      chart c = bars(series_count, 6);
      c.kind = kind;
      double x = 1;
      for (series& s : c.lines_or_groups) {
        for (point& p : s.points) p.x = ++x;
      }
      for (const layout& how : {wide, narrow}) {
        const drawing d = svg_of(c, how);
        EXPECT_EQ(d.marks, series_count * 6);
        EXPECT_EQ(count(d.svg, "<title>"), series_count * 6);
        EXPECT_EQ(d.skipped, 0U);
        EXPECT_TRUE(numbers_are_sound(d.svg));
        EXPECT_TRUE(contains(d.svg, "role=\"img\"") && contains(d.svg, "viewBox"));
      }
    }
  }
}

TEST(page_chart, what_is_no_number_is_skipped_and_counted) {
  chart c = bars(1, 2);
  c.lines_or_groups[0].points[0].y = nan;
  c.lines_or_groups[0].points.push_back(at("endless", infinity));
  const drawing d = svg_of(c, wide);
  EXPECT_EQ(d.marks, 1U);
  EXPECT_EQ(d.skipped, 2U);
  EXPECT_TRUE(numbers_are_sound(d.svg));
  chart lines = c;
  lines.kind = chart_kind::lines;
  lines.y.logarithmic = true;
  lines.lines_or_groups = {{"a", {at(1.0, 0.0), at(2.0, -1.0), at(nan, 1.0), at(3.0, 4.0)}}};
  EXPECT_EQ(svg_of(lines, narrow).marks, 1U);
  EXPECT_EQ(svg_of(lines, narrow).skipped, 3U);
  EXPECT_TRUE(numbers_are_sound(svg_of(lines, narrow).svg));
}

TEST(page_chart, an_empty_one_says_so) {
  chart c = bars(0, 0);
  EXPECT_EQ(svg_of(c, wide).svg, "");
  EXPECT_TRUE(contains(figure_html(c, false), "Nothing was measured"));
  c.lines_or_groups = {{"a", {at("x", nan)}}};
  EXPECT_TRUE(contains(figure_html(c, false), "Nothing was measured"));
}

TEST(page_chart, one_giant_makes_the_axis_logarithmic) {
  chart c = bars(3, 3);
  EXPECT_FALSE(needs_logarithm(c));
  c.lines_or_groups[0].points[0].y = 1000;
  EXPECT_TRUE(needs_logarithm(c));
  c.lines_or_groups[0].points[1].y = -1;
  EXPECT_FALSE(needs_logarithm(c));
}

TEST(page_chart, names_are_escaped_and_whole) {
  chart c = bars(2, 1);
  c.lines_or_groups[0].name = "<b>&\"";
  c.lines_or_groups[0].points[0].category = "</title><script>";
  const std::string html = figure_html(c, false);
  EXPECT_FALSE(contains(html, "<b>"));
  EXPECT_FALSE(contains(html, "<script>"));
  EXPECT_TRUE(contains(html, "&lt;b&gt;&amp;&quot;"));
}

// ---- suitability

const suited_workload& workload(const std::vector<suited_workload>& all, const std::string& id) {
  for (const suited_workload& each : all) {
    if (each.id == id) return each;
  }
  throw std::runtime_error("no workload " + id);
}

TEST(page_suitability, ranks_by_pairs_and_says_what_is_within_the_noise) {
  const json two = {{"workers", 2}};
  const auto all = suitability({made_row("fork-join", "fib", "serial", {0.1, 0.1, 0.1}, {{"workers", 0}}),
                                made_row("fork-join", "fib", "slow", {4, 4.1, 4.2, 4.1, 4}, two),
                                made_row("fork-join", "fib", "best", {1, 1.3, 0.9, 1.2, 1}, two),
                                made_row("fork-join", "fib", "near", {1.1, 1.1, 1.1, 1.1, 1.1}, two),
                                made_row("fork-join", "fib", "elsewhere", {0.5, 0.5, 0.5}, {{"workers", 1}}),
                                made_row("fork-join", "synchronization/fib", "best", {7}, two, "CAS")});
  const suited_workload& found = workload(all, "nanosecond-fork-join");
  ASSERT_EQ(found.rankings.size(), 1U);
  const ranking& r = found.rankings[0];
  EXPECT_EQ(r.groups, 1U);
  ASSERT_EQ(r.standings.size(), 3U);  // neither serial code, nor who was alone, nor counts
  EXPECT_EQ(r.standings[0].impl, "best");
  EXPECT_TRUE(r.standings[0].leads);
  EXPECT_EQ(r.standings[1].impl, "near");
  EXPECT_TRUE(r.standings[1].within_noise);
  EXPECT_EQ(r.standings[2].impl, "slow");
  EXPECT_FALSE(r.standings[2].within_noise);
  EXPECT_GT(r.standings[2].to_leader.low, 1);
  ASSERT_EQ(r.standings[2].rests_on.size(), 1U);
  EXPECT_DOUBLE_EQ(r.standings[2].rests_on[0].median, 4.1);
  EXPECT_TRUE(workload(all, "memory").rankings.empty());
}

TEST(page_suitability, steals_order_and_shared_cores_decide_where_a_row_counts) {
  row shared_one = made_row("fork-join", "nqueens", "a", {1, 1}, {{"workers", 8}});
  row shared_two = made_row("fork-join", "nqueens", "b", {3, 3}, {{"workers", 8}});
  shared_one.extra["oversubscribed"] = true;
  shared_two.extra["oversubscribed"] = true;
  const json few = {{"share", 0.05}};
  const auto all = suitability({shared_one, shared_two, made_row("queues", "thieves/5%", "abp", {2, 2}, few, "ns/op"),
                                made_row("queues", "thieves/5%", "bwos-lifo", {1, 1}, few, "ns/op"),
                                made_row("queues", "thieves/50%", "abp", {1, 1}, json::object(), "ns/op"),
                                made_row("queues", "thieves/50%", "bwos-lifo", {2, 2}, json::object(), "ns/op"),
                                made_row("queues", "alone/64", "bwos-fifo", {1, 1}, json::object(), "ns/op"),
                                made_row("queues", "alone/64", "eigen-runqueue", {3, 3}, json::object(), "ns/op")});
  EXPECT_TRUE(workload(all, "divide-and-conquer").rankings.empty());
  EXPECT_EQ(workload(all, "shared-cores").rankings.at(0).standings.at(0).impl, "a");
  EXPECT_EQ(workload(all, "few-steals").rankings.at(0).standings.at(0).impl, "bwos-lifo");
  EXPECT_EQ(workload(all, "many-steals").rankings.at(0).standings.at(0).impl, "abp");
  EXPECT_EQ(workload(all, "fair-order").rankings.at(0).standings.at(0).impl, "bwos-fifo");
  EXPECT_TRUE(workload(all, "small-tasks").rankings.empty());
}

TEST(page_suitability, compares_by_what_was_measured_and_not_by_whom) {
  row fifo = made_row("fairness", "burst", "fifo", {9, 9}, {{"order", "fifo"}, {"workers", 2}}, "us");
  row lifo = made_row("fairness", "burst", "lifo", {1, 1}, {{"order", "lifo"}, {"workers", 2}}, "us");
  fifo.extra["variances_us2"] = {1.0, 1.1};
  lifo.extra["variances_us2"] = {5.0, 5.1};
  const auto all = suitability({fifo, lifo, made_row("programs", "bfs_grid", "a", {1, 1}, {{"kit", "a"}}),
                                made_row("programs", "bfs_grid", "b", {2, 2}, {{"kit", "b"}})});
  const ranking& fair = workload(all, "fair-order").rankings.at(0);
  EXPECT_EQ(fair.standings[0].impl, "fifo");  // by the variance of waiting, not by its median
  EXPECT_EQ(fair.standings[0].rests_on[0].unit, "us²");
  EXPECT_EQ(workload(all, "whole-programs").rankings.at(0).standings.at(1).impl, "b");
}

TEST(page_suitability, knows_which_side_is_better) {
  EXPECT_EQ(better_side("ns/op"), better::lower);
  EXPECT_EQ(better_side("KiB"), better::lower);
  EXPECT_EQ(better_side("requests/s"), better::higher);
  EXPECT_EQ(better_side("CAS"), better::unknown);
  const auto all = suitability({made_row("json", "decode", "a", {100, 100}, json::object(), "MB/s"),
                                made_row("json", "decode", "b", {50, 50}, json::object(), "MB/s")});
  const ranking& r = workload(all, "whole-programs").rankings.at(0);
  EXPECT_EQ(r.standings[0].impl, "a");
  EXPECT_DOUBLE_EQ(r.standings[1].to_leader.value, 2);
}

// ---- the page

TEST(page_claims, verdicts) {
  claim c{.id = "x", .text = "x", .paper = {}, .goal = 2.0, .measured = estimate{3, 3, 3}, .note = {}};
  EXPECT_EQ(verdict_of(c), verdict::met);
  c.goal_is = goal_side::at_most;
  EXPECT_EQ(verdict_of(c), verdict::missed);
  c.goal.reset();
  EXPECT_EQ(verdict_of(c), verdict::reported);
  c.measured.reset();
  EXPECT_EQ(verdict_of(c), verdict::not_shown);
}

TEST(page_html, is_whole_and_asks_the_network_for_nothing) {
  document d = small_document();
  d.sections[0].notes = {"see https://example.org/ </script><script>alert(1)</script>"};
  d.sections[0].rows[0].impl = "</script><b>";
  const std::string html = html_of(d);
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(html.ends_with("</html>\n"));
  EXPECT_FALSE(std::regex_search(html, std::regex("https?://|src=|@import|url\\(")));
  EXPECT_EQ(count(html, "</script>"), 3U);
  EXPECT_FALSE(contains(html, "<b>"));
  EXPECT_EQ(count(html, "data-marks="), 2U);  // two layouts
  for (const char* id :
       {"id=\"claims\"", "id=\"suitability\"", "id=\"fork-join\"", "id=\"results\"", "Fork &amp; join"}) {
    EXPECT_TRUE(contains(html, id)) << id;
  }
  const std::size_t begin = html.find('>', html.find("id=\"results\"")) + 1;
  const json data = json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  EXPECT_EQ(data["rows"].size(), 2U);
  EXPECT_EQ(data["rows"][0]["impl"], "</script><b>");
}

TEST(page_html, warns_of_what_was_not_as_it_should_be) {
  document d = small_document();
  EXPECT_FALSE(contains(html_of(d), "role=\"alert\""));
  d.complete = false;
  EXPECT_TRUE(contains(html_of(d), "This run was not completed"));
  d = small_document();
  d.on.load_average = 1.7;
  EXPECT_TRUE(contains(html_of(d), "When the run began the load average was 1.70"));
  d = small_document();
  d.sections[0].disturbed = 0.3;
  EXPECT_TRUE(contains(html_of(d), "Others used the processors during fork-join (30 %)"));
}

TEST(page_html, without_anything_it_is_still_a_page) {
  const std::string html = html_of(document{});
  EXPECT_TRUE(contains(html, "No claims"));
  EXPECT_TRUE(contains(html, "not measured in this run"));
}

}  // namespace
}  // namespace pilfer::lab::page
