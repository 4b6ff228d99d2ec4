#include "lab/details/victims_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/details/queue_pool.hpp"
#include "lab/details/rows.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace details;

constexpr std::string_view numa = "numa";
constexpr std::string_view probabilistic_numa = "probabilistic-numa";

double balancing_of(const row& one) { return number_param(one, "balancing").value_or(0); }

// The largest k that was measured; 0 if nobody stole.
double largest_balancing(const std::vector<row>& rows) {
  double largest = 0;
  for (const row* one : rows_of_suite(rows, victims_suite)) largest = std::max(largest, balancing_of(*one));
  return largest;
}

std::size_t numa_nodes(const std::vector<row>& rows) {
  std::size_t nodes = 0;
  for (const row* one : rows_of_suite(rows, victims_suite))
    nodes = std::max(nodes, one->extra.value("numa_nodes", std::size_t{1}));
  return nodes;
}

claim lifo_against_abp(const std::vector<row>& rows, const settings& given) {
  constexpr double of_001 = 4.69;
  claim result{.id = "pool_lifo_vs_abp", .text = "pool of 8, LIFO BWoS / ABP, k = 0", .paper = of_001, .goal = of_001};
  const row* const lifo = find_row(rows, victims_name(0), "bwos-lifo");
  const row* const abp = find_row(rows, victims_name(0), "abp");
  result.measured = throughput_ratio(lifo, abp);
  if (!result.measured) {
    result.note = why_missing("the pool at k = 0", given, 1);
    return result;
  }
  if (const auto workers = number_param(*lifo, "workers"); workers && *workers < pool_queues)
    result.note = fmt::format("with {} threads; 001 had 8", *workers);
  const auto limit = throughput_ratio(find_row(rows, victims_name(0), "seq-stack"), abp);
  if (limit) result.note += fmt::format("{}a sequential stack: {:.2f}", result.note.empty() ? "" : "; ", limit->value);
  return result;
}

claim fifo_against_tokio() {
  constexpr double of_001 = 2.68;
  return {.id = "pool_fifo_vs_tokio",
          .text = "pool of 8, FIFO BWoS / Tokio's queue, k = 0",
          .paper = of_001,
          .goal = of_001,
          .measured = {},
          .note = cannot_be_shown("Tokio's queue is private to its crate and cannot be run by itself")};
}

// Why nothing can be said about NUMA; empty if something can.
std::string why_no_numa(const std::vector<row>& rows) {
  const std::size_t nodes = numa_nodes(rows);
  if (nodes == 0) return cannot_be_shown("the pool was not measured");
  return nodes == 1 ? cannot_be_shown("one NUMA node; the simulator (a later part) will") : "";
}

// 001: "outperform BWoS with other policies by at most …": the largest ratio over k and over the plain policies.
claim numa_against_others(claim of, std::string_view queue, const std::vector<row>& rows) {
  of.note = why_no_numa(rows);
  if (!of.note.empty()) return of;
  for (const row* other : rows_of_suite(rows, victims_suite)) {
    const std::string policy = text_param(*other, "policy");
    if (text_param(*other, "queue") != queue || policy.empty() || policy == numa ||
        policy.starts_with("probabilistic-"))
      continue;
    const auto ratio = throughput_ratio(find_row(rows, other->name, victims_impl(queue, numa)), other);
    if (!ratio || (of.measured && ratio->value <= of.measured->value)) continue;
    of.measured = ratio;
    of.note = fmt::format("the most it gains: over {} at {}", policy, other->name);
  }
  if (!of.measured) of.note = cannot_be_shown("the pool was not measured");
  return of;
}

claim probabilistic_against_numa(claim of, std::string_view queue, const std::vector<row>& rows) {
  of.note = why_no_numa(rows);
  if (!of.note.empty()) return of;
  const std::string name = victims_name(largest_balancing(rows));
  of.measured = throughput_ratio(find_row(rows, name, victims_impl(queue, probabilistic_numa)),
                                 find_row(rows, name, victims_impl(queue, numa)));
  of.note = of.measured ? "at " + name : cannot_be_shown("the pool was not measured");
  return of;
}

page::chart chart_by_policy(const std::vector<row>& rows, double balancing) {
  page::chart shown{.id = fmt::format("victims-policies-k{:.0f}", balancing * 100),
                    .title = fmt::format("Throughput of the pool by victim policy, k = {:.0f} %", balancing * 100),
                    .caption =
                        "In the manner of 001, Fig. 12: pushes, pops and steals of all threads. Where there is one "
                        "NUMA node, numa is rand.",
                    .kind = page::chart_kind::bars,
                    .x = {"policy"},
                    .y = {"million operations per second"},
                    .lines_or_groups = {},
                    .reference = {},
                    .reference_label = {}};
  for (const pool_kind& who : pool_kinds()) {
    page::series bars{.name = who.name, .points = {}};
    for (const row* one : rows_of_suite(rows, victims_suite)) {
      if (balancing_of(*one) != balancing || text_param(*one, "queue") != who.name) continue;
      bars.points.push_back(bar(text_param(*one, "policy"), *one));
    }
    if (!bars.points.empty()) shown.lines_or_groups.push_back(std::move(bars));
  }
  return shown;
}

page::chart chart_by_balancing(const std::vector<row>& rows) {
  page::chart shown{.id = "victims-balancing",
                    .title = "Throughput of the pool against the balancing factor, policy rand",
                    .caption =
                        "In the manner of 001, Fig. 12. k is how often an owner tries to steal in a round, over the "
                        "capacity of a queue.",
                    .kind = page::chart_kind::lines,
                    .x = {"balancing factor k (%)"},
                    .y = {"million operations per second"},
                    .lines_or_groups = {},
                    .reference = {},
                    .reference_label = {}};
  for (const pool_kind& who : pool_kinds()) {
    page::series line{.name = who.name, .points = {}};
    for (const row* one : rows_of_suite(rows, victims_suite)) {
      const std::string policy = text_param(*one, "policy");
      if (text_param(*one, "queue") != who.name || (policy != "rand" && !policy.empty())) continue;
      line.points.push_back(line_point(balancing_of(*one) * 100, *one));
    }
    if (!line.points.empty()) shown.lines_or_groups.push_back(std::move(line));
  }
  return shown;
}

}  // namespace

std::string victims_name(double balancing) { return fmt::format("pool/k={:.0f}%", balancing * 100); }

std::string victims_impl(std::string_view queue, std::string_view policy) {
  return fmt::format("{}/{}", queue, policy);
}

std::vector<claim> victims_claims(const std::vector<row>& rows, const settings& given) {
  std::vector<claim> all = {
      lifo_against_abp(rows, given),
      fifo_against_tokio(),
      numa_against_others({.id = "pool_numa_lifo", .text = "LIFO BWoS, numa / other policies, at most", .paper = 2.21},
                          "bwos-lifo", rows),
      numa_against_others({.id = "pool_numa_fifo", .text = "FIFO BWoS, numa / other policies, at most", .paper = 1.73},
                          "bwos-fifo", rows),
      probabilistic_against_numa(
          {.id = "pool_numa_probabilistic_lifo", .text = "LIFO BWoS, probabilistic numa / numa", .paper = 1.34},
          "bwos-lifo", rows),
      probabilistic_against_numa(
          {.id = "pool_numa_probabilistic_fifo", .text = "FIFO BWoS, probabilistic numa / numa", .paper = 1.53},
          "bwos-fifo", rows),
  };
  for (claim& one : all) one.suite = victims_suite;
  return all;
}

std::vector<page::chart> victims_charts(const std::vector<row>& rows) {
  std::vector<page::chart> charts;
  if (rows_of_suite(rows, victims_suite).empty()) return charts;
  charts.push_back(chart_by_balancing(rows));
  if (const double k = largest_balancing(rows); k > 0) charts.push_back(chart_by_policy(rows, k));
  return charts;
}

}  // namespace pilfer::lab::experiments
