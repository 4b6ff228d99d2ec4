#include "lab/priorities/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/measure/table.hpp"

namespace pilfer::lab::priorities {
namespace {

constexpr std::size_t two_workers = 2;

void add_note(claim& of, const std::string& more) { of.note += (of.note.empty() ? "" : "; ") + more; }

// A figure of fewer tasks is still a figure, but not the issue's.
void note_size(claim& of, const program_result& about) {
  if (!about.full_size) add_note(of, fmt::format("measured with less: {}", about.text));
}

// The ratios of two designs' times, a pair for each repetition. None, and the note says why.
std::optional<std::vector<double>> time_ratios(claim& of, const program_result& about, const char* mine,
                                               const char* other) {
  const measurement* const a = measured_for(of, &about.times, about.name, mine, two_workers);
  const measurement* const b = a == nullptr ? nullptr : measured_for(of, &about.times, about.name, other, two_workers);
  if (b == nullptr) return std::nullopt;
  return paired_ratios(a->seconds, b->seconds);
}

// What somebody else who keeps the machine busy disturbs least.
double processor_time_ratio(const program_result& about, const char* mine, const char* other) {
  return paired_ratio(about.find(mine, two_workers)->processor_seconds,
                      about.find(other, two_workers)->processor_seconds)
      .value;
}

// Of all programs together: the geometric mean of their ratios. So are the ends of the interval, which is wider than it need be.
claim time_over(claim of, const std::vector<program_result>& results, const char* mine, const char* other) {
  if (results.empty()) {
    of.note = "no program was run";
    return of;
  }
  estimate logarithms;
  double logarithm_of_processor_time = 0;
  std::string each;
  const program_result* worst = nullptr;
  double worst_ratio = 0;
  for (const program_result& one : results) {
    const auto ratios = time_ratios(of, one, mine, other);
    if (!ratios) return of;
    const estimate ratio = median_estimate(*ratios);
    logarithms.value += std::log(ratio.value);
    logarithms.low += std::log(ratio.low);
    logarithms.high += std::log(ratio.high);
    logarithm_of_processor_time += std::log(processor_time_ratio(one, mine, other));
    each += fmt::format("{}{} {:.3f}", each.empty() ? "" : ", ", one.name, ratio.value);
    if (worst == nullptr || ratio.value > worst_ratio) {
      worst = &one;
      worst_ratio = ratio.value;
    }
  }
  const auto mean = [&](double sum) { return std::exp(sum / static_cast<double>(results.size())); };
  of.measured = estimate{mean(logarithms.value), mean(logarithms.low), mean(logarithms.high)};
  of.note = fmt::format("the worst is {} with {:.3f}; {}; in processor time the mean is {:.3f}", worst->name,
                        worst_ratio, each, mean(logarithm_of_processor_time));
  if (std::ranges::any_of(results, [](const program_result& one) { return !one.full_size; })) {
    add_note(of, "measured with fewer tasks");
  }
  if (results.size() < scenario_names().size()) add_note(of, "not all programs were run");
  return of;
}

claim strict_inversions(claim of, const std::vector<program_result>& results) {
  std::uint64_t sum = 0;
  std::size_t runs = 0;
  std::size_t most_workers = 0;
  for (const program_result& one : results) {
    for (const design_figures& each : one.figures) {
      if (each.name != strict_name || !each.inversions) continue;
      sum += *each.inversions;
      runs += one.counted_runs;
      most_workers = std::max(most_workers, each.workers);
    }
  }
  if (runs == 0) {
    of.note = results.empty() ? "no program was run" : fmt::format("{} was not run", strict_name);
    return of;
  }
  const auto value = static_cast<double>(sum);
  of.measured = estimate{value, value, value};
  of.note = fmt::format("in {} runs of {} programs with up to {} workers, which are not those that were timed", runs,
                        results.size(), most_workers);
  return of;
}

claim level0_sooner(claim of, const std::vector<program_result>& results) {
  const program_result* const found = find_program(results, level0_first_name);
  if (found == nullptr) {
    of.note = fmt::format("{} was not run", level0_first_name);
    return of;
  }
  if (!time_ratios(of, *found, single_name, strict_name)) return of;
  const design_figures* const single = found->find(single_name, two_workers);
  const design_figures* const strict = found->find(strict_name, two_workers);
  of.measured = paired_ratio(single->level_seconds.front(), strict->level_seconds.front());
  note_size(of, *found);
  return of;
}

claim level0_overtaken(claim of, const latency_result* latency) {
  const latency_entry* const strict = latency == nullptr ? nullptr : latency->find(strict_name);
  if (strict == nullptr) {
    of.note = fmt::format("{} was not run{}", latency_name, latency == nullptr ? "" : " with strict");
    return of;
  }
  const double value = nearest_rank(strict->overtaken(), 99);
  of.measured = estimate{value, value, value};
  const std::vector<double> delays = strict->delays();
  of.note = fmt::format("of {} requests; they began after {:.0f} us (p50), {:.0f} us (p99), {:.0f} us (p99.9)",
                        delays.size(), nearest_rank(delays, 50), nearest_rank(delays, 99), nearest_rank(delays, 99.9));
  if (const latency_entry* const single = latency->find(single_name)) {
    const std::vector<double> others = single->overtaken();
    add_note(of, fmt::format("with a single deque {:.0f} tasks overtake (p99), {:.0f} us (p99)",
                             nearest_rank(others, 99), nearest_rank(single->delays(), 99)));
  }
  return of;
}

claim with_paper(claim of, double paper) {
  of.paper = paper;
  return of;
}

}  // namespace

std::vector<claim> priority_claims(const std::vector<program_result>& results, const latency_result* latency) {
  return {
      time_over(
          with_paper(at_most("strict_cost", "total time, strict / single, 2 workers, geometric mean", 1.03), 1.15),
          results, strict_name, single_name),
      strict_inversions(at_most("strict_inversions", "inversions counted with strict priorities", 0), results),
      level0_sooner({.id = "level0_sooner",
                     .text = "level 0 done, single / strict, 2 workers; 1/8 of the work, pushed first",
                     .paper = 3,
                     .goal = 3,
                     .measured = {},
                     .note = {}},
                    results),
      level0_overtaken(at_most("level0_overtaken_p99",
                               "tasks of level 2 begun between a request's submission and its begin, p99", 1),
                       latency),
      time_over({.id = "one_level_given",
                 .text = "one level: a priority given with each task / none given",
                 .paper = {},
                 .goal = {},
                 .measured = {},
                 .note = {}},
                results, given_name, single_name),
  };
}

std::string summary_text(const std::vector<program_result>& results) {
  table t({{"2 workers, over single", align::left},
           {"strict"},
           {"relaxed"},
           {"global"},
           {"level 0 done: single / strict"}});
  for (const program_result& one : results) {
    std::vector<std::string> cells = {one.name};
    claim ignored;
    for (const char* mine : {strict_name, relaxed_name, global_name}) {
      const auto ratios = time_ratios(ignored, one, mine, single_name);
      cells.push_back(ratios ? ratio_with_interval(median_estimate(*ratios)) : "-");
    }
    const design_figures* const single = one.find(single_name, two_workers);
    const design_figures* const strict = one.find(strict_name, two_workers);
    cells.push_back(
        single != nullptr && strict != nullptr
            ? ratio_with_interval(paired_ratio(single->level_seconds.front(), strict->level_seconds.front()))
            : "-");
    t.add(std::move(cells));
  }
  return t.text();
}

}  // namespace pilfer::lab::priorities
