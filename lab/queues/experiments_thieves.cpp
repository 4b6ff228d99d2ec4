// `queues-thieves`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "lab/queues/experiment_tools.hpp"
#include "lab/queues/experiments.hpp"
#include "lab/queues/registry.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace queues;
using std::chrono::milliseconds;

constexpr const char* queues_thieves_name = "queues-thieves";

const std::vector<double> all_shares = {0.01, 0.05, 0.10, 0.20, 0.30, 0.40, 0.50};  // and 0, always
const std::vector<double> some_shares = {0.10, 0.20, 0.50};
const std::vector<double> few_shares = {0.10, 0.20};

// With more threads than processors a sample lasts as long as the system's time slices; there only these are measured.
const std::vector<std::string> main_queues = {"eigen-runqueue", "locked",    "abp",  "chase-lev",
                                              "bwos-lifo",      "bwos-fifo", "split"};
const std::vector<std::string> tiny_queues = {"abp", "bwos-lifo", "bwos-fifo"};

struct thieves_plan {
  std::vector<std::string> queues;  // none: all
  std::vector<double> shares;
  milliseconds sample;
  std::size_t repetitions;
};

thieves_plan plan_for(const settings& given, std::size_t thieves) {
  switch (given.how) {
    case effort::tiny: return {tiny_queues, few_shares, milliseconds(1), 1};
    case effort::quick:
      if (thieves == 1) return {{}, all_shares, milliseconds(5), 25};
      return {main_queues, thieves == 2 ? some_shares : few_shares, milliseconds(5), 11};
    case effort::full: break;
  }
  const bool enough = thieves < given.processors;
  return {enough ? std::vector<std::string>{} : main_queues, all_shares, milliseconds(10),
          enough ? std::size_t{101} : std::size_t{25}};
}

findings measure_queues_thieves(const thieves_plan& what, std::size_t thieves) {
  findings found;
  const auto who = available(what.queues, found);
  found.rows =
      under(queues_thieves_name, thieves,
            rows_of(measure_thieves(
                large_geometry, who,
                {.thieves = thieves, .shares = what.shares, .sample = what.sample, .repetitions = what.repetitions})));
  return found;
}

std::vector<part> queues_thieves_parts(const settings& given) {
  std::vector<part> list;
  list.reserve(thief_counts.size());
  for (const std::size_t thieves : thief_counts) {
    list.push_back({thieves_text(thieves),
                    [=, what = plan_for(given, thieves)] { return measure_queues_thieves(what, thieves); }});
  }
  return list;
}

// Total throughput of one queue over another's, as in 001: pushes, pops and steals.
struct total_ratio {
  const char* id;
  const char* text;
  std::optional<double> paper;
  std::optional<double> goal;
  const char* fast;
  const char* slow;
};

constexpr double ratio_share = 0.10;

claim judged_total(const total_ratio& what, std::size_t thieves, const suite_rows& rows) {
  claim result{.id = what.id, .text = what.text, .paper = what.paper, .goal = what.goal, .measured = {}, .note = {}};
  const std::string name = share_name(thieves, ratio_share);
  std::vector<const row*> both;
  for (const char* const who : {what.fast, what.slow}) {
    // A sequential structure knows no thieves: it stands for the limit.
    const bool sequential = who == std::string_view(seq_stack_name) || who == std::string_view(seq_ring_name);
    const row* const found = rows.find(sequential ? share_name(thieves, 0) : name, who);
    if (found == nullptr)
      return not_shown(result, fmt::format("{} was not measured with {}", who, thieves_text(thieves)));
    if (const std::string why = sequential ? "" : why_not_shown(*found, ratio_share); !why.empty()) {
      return not_shown(result, fmt::format("{}: {}", who, why));
    }
    both.push_back(found);
  }
  result.measured = paired_ratio(total_throughput(*both[0]), total_throughput(*both[1]));
  return result;
}

// What an owner loses: the same figure and the same goal as a throughput that it keeps.
claim loss(const char* id, const char* text, claim kept) {
  kept.id = id;
  kept.text = text;
  if (kept.paper) kept.paper = 1 - *kept.paper;
  if (kept.goal) kept.goal = 1 - *kept.goal;
  kept.goal_is = goal_side::at_most;
  if (kept.measured) {
    kept.measured = estimate{1 - kept.measured->value, 1 - kept.measured->high, 1 - kept.measured->low};
  }
  return kept;
}

std::vector<claim> losses(const suite_rows& rows) {
  const auto kept = [&](std::optional<double> paper, std::optional<double> goal, const char* queue, double share,
                        std::size_t thieves = 1) {
    return judged({"", "", paper, goal, queue, share, share_name(thieves, share)}, rows);
  };
  return {
      loss("lifo_loss_stolen20", "LIFO BWoS, owner's loss, 20 % stolen", lifo_stolen20(rows, share_name(1, 0.20))),
      loss("fifo_loss_stolen20", "FIFO BWoS, owner's loss, 20 % stolen", fifo_stolen20(rows, share_name(1, 0.20))),
      loss("abp_loss_stolen20", "ABP, owner's loss, 20 % stolen", kept(1 - 0.719, {}, "abp", 0.20)),
      loss("abp_loss_stolen1", "ABP, owner's loss, 1 % stolen", kept(1 - 0.178, {}, "abp", 0.01)),
      loss("lifo_loss_stolen1", "LIFO BWoS, owner's loss, 1 % stolen", kept({}, 0.98, "bwos-lifo", 0.01)),
      loss("fifo_loss_stolen1", "FIFO BWoS, owner's loss, 1 % stolen", kept({}, 0.98, "bwos-fifo", 0.01)),
      loss("lifo_loss_stolen20_2_thieves", "LIFO BWoS, owner's loss, 20 % stolen by 2 thieves",
           kept({}, {}, "bwos-lifo", 0.20, 2)),
      loss("lifo_loss_stolen20_5_thieves", "LIFO BWoS, owner's loss, 20 % stolen by 5 thieves",
           kept({}, {}, "bwos-lifo", 0.20, 5)),
      loss("fifo_loss_stolen20_2_thieves", "FIFO BWoS, owner's loss, 20 % stolen by 2 thieves",
           kept({}, {}, "bwos-fifo", 0.20, 2)),
      loss("fifo_loss_stolen20_5_thieves", "FIFO BWoS, owner's loss, 20 % stolen by 5 thieves",
           kept({}, {}, "bwos-fifo", 0.20, 5)),
  };
}

// What 001 and 000 print and nobody can measure here.
std::vector<claim> out_of_reach() {
  return {
      not_shown({.id = "tokio_loss_stolen20",
                 .text = "Tokio's queue, owner's loss, 20 % stolen",
                 .paper = 0.802,
                 .goal_is = goal_side::at_most},
                tokio_is_private),
      not_shown({.id = "abp_loss_stolen1_other_node",
                 .text = "ABP, owner's loss, 1 % stolen by a thief on another NUMA node",
                 .paper = 0.252,
                 .goal_is = goal_side::at_most},
                "needs two NUMA nodes, and a thief placed on the other one, which the lab does not do"),
      not_shown({.id = "hardware_counters", .text = "hardware counters of owner and thieves (000 Table 5.2)"},
                "the lab reads no hardware counters, which virtual machines seldom have"),
  };
}

std::vector<claim> queues_thieves_claims(const std::vector<row>& all, const settings& /*given*/) {
  const suite_rows rows(all, queues_thieves_name);
  std::vector<claim> list = with_reasons(losses(rows));
  std::ranges::move(out_of_reach(), std::back_inserter(list));
  const auto ratio = [&](std::size_t thieves, const total_ratio& what) {
    list.push_back(judged_total(what, thieves, rows));
  };
  ratio(1, {"lifo_vs_abp_stolen10", "LIFO BWoS / ABP, total throughput, 10 % stolen", 12.59, 12, "bwos-lifo", "abp"});
  ratio(1, {"seq_vs_abp_stolen10",
            "sequential stack without thieves / ABP, 10 % stolen: the limit of the line above",
            {},
            {},
            seq_stack_name,
            "abp"});
  ratio(1, {"fifo_vs_eigen_stolen10",
            "FIFO BWoS / Eigen RunQueue, total throughput, 10 % stolen",
            30.1,
            {},
            "bwos-fifo",
            "eigen-runqueue"});
  std::ranges::move(
      fifo_over_absent_queues({.bbq = 11.2, .tokio = 9.41, .go = 2.78}, "_stolen10", "total throughput, 10 % stolen"),
      std::back_inserter(list));
  ratio(2, {"lifo_vs_abp_stolen10_2_thieves",
            "LIFO BWoS / ABP, total throughput, 10 % stolen by 2 thieves",
            {},
            {},
            "bwos-lifo",
            "abp"});
  ratio(5, {"lifo_vs_abp_stolen10_5_thieves",
            "LIFO BWoS / ABP, total throughput, 10 % stolen by 5 thieves",
            {},
            {},
            "bwos-lifo",
            "abp"});
  return list;
}

// Which throughput a chart shows.
struct view {
  const char* id;
  const char* title;
  std::vector<double> (*throughput)(const row&);
};

// The queues that are compared with `baseline`, which is drawn as a line of its own.
page::chart against_share(const std::vector<row>& all, const view& seen, std::size_t thieves, const char* family,
                          const char* baseline) {
  const suite_rows rows(all, queues_thieves_name);
  page::chart chart{.id = fmt::format("{}-{}-{}-{}", queues_thieves_name, family, seen.id, thieves),
                    .title = fmt::format("{} against the stolen share, {} family, {}", seen.title,
                                         family == std::string_view("lifo") ? "LIFO" : "FIFO", thieves_text(thieves)),
                    .caption =
                        "In the manner of 001 Fig. 10 and 11. Points are where the achieved share lies; a line that "
                        "ends early could not deliver more. 001 saw block-based queues nearly level and ABP at "
                        "28 % of its throughput when a fifth is stolen.",
                    .kind = page::chart_kind::lines,
                    .x = {.label = "stolen share (%)"},
                    .y = {.label = "million operations a second"},
                    .lines_or_groups = {},
                    .reference = {},
                    .reference_label = {}};
  if (const row* limit = rows.find(share_name(thieves, 0), baseline);
      limit != nullptr && seen.throughput == owners_throughput) {
    chart.reference = median(owners_throughput(*limit));
    chart.reference_label = baseline;
  }
  for (const std::string& impl : implementations_in(all, queues_thieves_name, fmt::format("thieves-{}/", thieves))) {
    if (impl == seq_stack_name || impl == seq_ring_name) continue;
    page::series line{.name = impl, .points = {}};
    bool crowded = false;
    for (const row& one : all) {
      if (one.suite != queues_thieves_name || one.impl != impl ||
          one.params.value("thieves", std::size_t{0}) != thieves)
        continue;
      if (one.extra.value("sequential", "") != baseline) continue;
      crowded = one.extra.value("oversubscribed", false);
      line.points.push_back(point_of(one.extra.value("achieved_share", 0.0) * 100, seen.throughput(one)));
    }
    if (crowded && !chart.title.ends_with(")")) chart.title += " (more threads than processors)";
    std::ranges::sort(line.points, {}, &page::point::x);
    chart.lines_or_groups.push_back(std::move(line));
  }
  return chart;
}

std::vector<page::chart> queues_thieves_charts(const std::vector<row>& all) {
  const view owner{"owner", "Owner's throughput", owners_throughput};
  const view thief{"stolen", "Thieves' throughput", thieves_throughput};
  std::vector<page::chart> list;
  for (const std::size_t thieves : {std::size_t{1}, std::size_t{2}}) {
    for (const view& seen : {owner, thief}) {
      experiments::add_if_filled(list, against_share(all, seen, thieves, "lifo", seq_stack_name));
      experiments::add_if_filled(list, against_share(all, seen, thieves, "fifo", seq_ring_name));
    }
  }
  return list;
}

}  // namespace

experiment queues_thieves_experiment() {
  return {.name = queues_thieves_name,
          .title = "Queues: one owner and thieves",
          .source = "001 Fig. 2b, 10 and 11, section 6.2.2",
          .summary =
              "The owner fills and empties 8192 entries while 1, 2 and 5 thieves keep what they have stolen at a "
              "given share. Owner's and thieves' throughput are recorded apart. 001 saw the owner of a block-based "
              "queue lose 0.5 % (LIFO) and 9.4 % (FIFO) when a fifth is stolen, ABP's 72 %.",
          .parts = queues_thieves_parts,
          .claims = queues_thieves_claims,
          .charts = queues_thieves_charts};
}

}  // namespace pilfer::lab::experiments
