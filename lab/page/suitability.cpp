#include "lab/page/suitability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "lab/page/text.hpp"
#include "lab/page/workloads.hpp"

namespace pilfer::lab::page {
namespace {

// Comparable rows, by implementation.
struct contest {
  std::string name, params, unit;
  std::map<std::string, row> by_impl;

  [[nodiscard]] const row* of(const std::string& impl) const {
    const auto found = by_impl.find(impl);
    return found == by_impl.end() ? nullptr : &found->second;
  }
};

bool usable(const row& r) {
  return !r.samples.empty() && !is_baseline(r) && better_side(r.unit) != better::unknown &&
         std::ranges::all_of(r.samples, [](double s) { return std::isfinite(s) && s > 0; });
}

// The row with the figures that the source asks for.
std::optional<row> figures_for(const row& r, const workload_kind& kind) {
  const auto source = std::ranges::find_if(kind.sources, [&](const row_source& s) { return s.has(r); });
  if (source == kind.sources.end()) return std::nullopt;
  row shown = r;
  if (!source->figures.empty()) {
    const auto found = r.extra.find(std::string(source->figures));
    if (found == r.extra.end() || !found->is_array()) return std::nullopt;
    shown.samples.clear();
    for (const json& each : *found) {
      if (each.is_number()) shown.samples.push_back(each.get<double>());
    }
    shown.unit = source->unit;
  }
  return usable(shown) ? std::optional(shown) : std::nullopt;
}

// What says who was measured, not under which conditions.
json conditions_of(const row& r) {
  json kept = r.params;
  for (const char* key : {"kit", "queue", "order", "batch", "blocks", "block_entries"}) kept.erase(key);
  return kept;
}

// Samples that are no repetitions: each is a task or a steal of its own, and has no partner.
bool samples_have_partners(const row& r) {
  return r.suite != "steal-latency" && r.suite != "wake-up" && r.name != "latency";
}

// Those in which somebody can be compared with somebody else, by suite.
std::map<std::string, std::vector<contest>> contests_of(const std::vector<row>& rows, const workload_kind& kind) {
  std::map<std::string, std::map<std::string, contest>> grouped;
  for (const row& r : rows) {
    std::optional<row> shown = figures_for(r, kind);
    if (!shown) continue;
    const std::string params = params_text(conditions_of(r));
    contest& to = grouped[r.suite][fmt::format("{}\n{}\n{}", r.name, params, shown->unit)];
    to.name = r.name;
    to.params = params;
    to.unit = shown->unit;
    to.by_impl.emplace(r.impl, std::move(*shown));  // of two alike the first
  }
  std::map<std::string, std::vector<contest>> kept;
  for (auto& [suite, of_suite] : grouped) {
    for (auto& [key, one] : of_suite) {
      if (one.by_impl.size() > 1) kept[suite].push_back(std::move(one));
    }
  }
  return kept;
}

// How much worse: above 1.
double badness(const row& of, double best) {
  const double middle = median(of.samples);
  return better_side(of.unit) == better::lower ? middle / best : best / middle;
}

struct entrant {
  std::string impl;
  std::size_t contests = 0;
  double score = 0;  // geometric mean of badness against the best of each contest
};

std::vector<entrant> entrants_of(const std::vector<contest>& contests) {
  std::map<std::string, entrant> found;
  for (const contest& each : contests) {
    std::optional<double> best;
    const bool lower = better_side(each.unit) == better::lower;
    for (const auto& [impl, r] : each.by_impl) {
      const double middle = median(r.samples);
      best = !best ? middle : lower ? std::min(*best, middle) : std::max(*best, middle);
    }
    for (const auto& [impl, r] : each.by_impl) {
      entrant& one = found[impl];
      one.impl = impl;
      ++one.contests;
      one.score += std::log(badness(r, best.value_or(1)));
    }
  }
  std::vector<entrant> all;
  for (auto& [impl, one] : found) {
    one.score = std::exp(one.score / static_cast<double>(one.contests));
    all.push_back(one);
  }
  return all;
}

const entrant& leader_among(const std::vector<entrant>& all) {
  const std::size_t most = std::ranges::max(all, {}, &entrant::contests).contests;
  const entrant* leader = nullptr;
  for (const entrant& each : all) {
    if (each.contests == most && (leader == nullptr || each.score < leader->score)) leader = &each;
  }
  return *leader;
}

evidence compared(const contest& in, const row& one, const row& leader) {
  // Many comparisons, each for a table: fewer resamples than for a claim.
  constexpr bootstrap quick{.confidence = 0.95, .resamples = 400};
  const bool lower = better_side(one.unit) == better::lower;
  const row& above = lower ? one : leader;
  const row& below = lower ? leader : one;
  evidence e{.name = in.name,
             .params = in.params,
             .unit = in.unit,
             .median = median(one.samples),
             .leaders_median = median(leader.samples),
             .to_leader = {1, 1, 1}};
  if (&one == &leader) return e;
  e.paired = one.samples.size() == leader.samples.size() && samples_have_partners(one);
  if (e.paired) {
    e.to_leader = paired_ratio(above.samples, below.samples, quick);
  } else {
    const estimate a = median_estimate(above.samples, quick);
    const estimate b = median_estimate(below.samples, quick);
    e.to_leader = {a.value / b.value, a.low / b.high, a.high / b.low};
  }
  return e;
}

standing standing_of(const std::string& impl, const std::string& leader, const std::vector<contest>& contests) {
  standing one{.impl = impl, .to_leader = {}, .leads = impl == leader, .within_noise = false, .rests_on = {}};
  estimate logs;
  for (const contest& each : contests) {
    const row* const own = each.of(impl);
    const row* const leaders = each.of(leader);
    if (own == nullptr || leaders == nullptr) continue;
    one.rests_on.push_back(compared(each, *own, *leaders));
    const estimate& ratio = one.rests_on.back().to_leader;
    logs.value += std::log(ratio.value);
    logs.low += std::log(ratio.low);
    logs.high += std::log(ratio.high);
  }
  const auto count = static_cast<double>(one.rests_on.size());
  one.to_leader = {std::exp(logs.value / count), std::exp(logs.low / count), std::exp(logs.high / count)};
  one.within_noise = !one.leads && one.to_leader.low <= 1;
  return one;
}

std::vector<standing> standings_behind(const std::string& leader, const std::vector<entrant>& all,
                                       const std::vector<contest>& contests) {
  std::vector<standing> made;
  for (const entrant& each : all) {
    standing one = standing_of(each.impl, leader, contests);
    if (!one.rests_on.empty()) made.push_back(std::move(one));
  }
  return made;
}

// Pair by pair somebody else may be ahead of who has the best medians; then that one leads.
std::vector<standing> ranked(const std::vector<entrant>& all, const std::vector<contest>& contests) {
  std::string leader = leader_among(all).impl;
  const std::size_t most = std::ranges::max(all, {}, &entrant::contests).contests;
  std::vector<standing> made = standings_behind(leader, all, contests);
  constexpr int enough = 4;  // pairs need not agree on an order
  for (int i = 0; i < enough; ++i) {
    const standing* ahead = nullptr;
    for (const standing& each : made) {
      const bool better = each.rests_on.size() == most && each.to_leader.value < 1;
      if (better && (ahead == nullptr || each.to_leader.value < ahead->to_leader.value)) ahead = &each;
    }
    if (ahead == nullptr) break;
    leader = ahead->impl;
    made = standings_behind(leader, all, contests);
  }
  return made;
}

ranking ranking_of(const std::string& suite, const std::vector<contest>& contests) {
  ranking made{.suite = suite, .groups = contests.size(), .standings = ranked(entrants_of(contests), contests)};
  std::ranges::sort(made.standings, [](const standing& a, const standing& b) {
    if (a.to_leader.value != b.to_leader.value) return a.to_leader.value < b.to_leader.value;
    return a.leads != b.leads ? a.leads : a.impl < b.impl;
  });
  return made;
}

}  // namespace

better better_side(std::string_view unit) {
  if (unit.ends_with("/s") || unit.ends_with("per second")) return better::higher;
  static constexpr std::array lower = {"s", "ms", "us", "µs",  "ns", "us²", "bytes",
                                       "B", "kB", "KB", "KiB", "MB", "MiB", "GiB"};
  const std::string_view base = unit.substr(0, unit.find('/'));
  return std::ranges::find(lower, base) == lower.end() ? better::unknown : better::lower;
}

bool is_baseline(const row& r) {
  const auto workers = r.params.find("workers");
  if (workers != r.params.end() && workers->is_number() && workers->get<double>() == 0) return true;
  return r.impl == "serial" || r.impl == "sequential" || r.impl == "plain" || r.impl.starts_with("seq-") ||
         r.impl.starts_with("std::");
}

std::string params_text(const json& params) {
  std::string text;
  for (const auto& [key, value] : params.items()) {
    std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    if (value.is_number_float()) shown = figure(value.get<double>());
    std::string name = key;
    std::ranges::replace(name, '_', ' ');
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, shown);
  }
  return text;
}

std::vector<suited_workload> suitability(const std::vector<row>& rows) {
  std::vector<suited_workload> all;
  for (const workload_kind& kind : workload_kinds()) {
    suited_workload one{.id = kind.id, .title = kind.title, .meaning = kind.meaning, .rankings = {}};
    for (const auto& [suite, contests] : contests_of(rows, kind)) {
      ranking made = ranking_of(suite, contests);
      if (made.standings.size() > 1) one.rankings.push_back(std::move(made));
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace pilfer::lab::page
