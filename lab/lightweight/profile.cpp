#include "lab/lightweight/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "lab/forkjoin/measurement.hpp"
#include "lab/lightweight/experiments.hpp"
#include "lab/measure/comparison.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/programs/workload.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::lightweight {
namespace {

using experiments::by_effort;
using experiments::findings;
using experiments::part;
using experiments::settings;
using programs::program;
using programs::scale;
using programs::workload;
using schedulers::synchronization;

constexpr std::array profiled_programs = {program::fib,    program::integrate, program::nqueens,
                                          program::uts_t1, program::uts_t3,    program::quicksort};
constexpr std::int64_t quick_quicksort = 250'000;

scale scale_of(const settings& given) { return by_effort(given, scale::tiny, scale::quick, scale::full); }

// As `pilfer bench fork-join` has them, but for a quicksort that would take as long as all the others together.
workload sized(program what, scale how) {
  workload chosen = programs::scaled(what, how);
  if (what == program::quicksort && how == scale::quick) chosen.size = quick_quicksort;
  return chosen;
}

// 1, 2, 4, … and all of them.
std::vector<std::size_t> numbers_of_workers(std::size_t from, std::size_t processors) {
  std::vector<std::size_t> counts;
  for (std::size_t n = from; n < processors; n *= 2) counts.push_back(n);
  counts.push_back(std::max(from, processors));
  return counts;
}

std::vector<std::string> timed_names() {
  std::vector<std::string> names = {schedulers::serial_name};
  names.insert(names.end(), classical.begin(), classical.end());
  names.insert(names.end(), variants.begin(), variants.end());
  names.insert(names.end(), relatives.begin(), relatives.end());
  return names;
}

findings measure_times(const workload& what, const settings& given) {
  findings found;
  std::vector<const schedulers::entry*> who;
  for (const std::string& name : timed_names()) {
    const schedulers::entry* const one = schedulers::find_scheduler(name);
    if (one == nullptr || !one->make) {
      found.notes.push_back(fmt::format("{}: {}", name, one == nullptr ? "there is none" : one->why_unavailable));
    } else {
      who.push_back(one);
    }
  }
  found.rows = forkjoin::rows_of(forkjoin::measure_program(what, who, numbers_of_workers(1, given.processors),
                                                           by_effort<std::size_t>(given, 2, 11, 21)));
  for (row& one : found.rows) one.suite = profile_name;
  return found;
}

// The counts of one scheduler, run by run.
struct counting {
  const schedulers::counted_entry* who;
  std::size_t workers;
  std::vector<synchronization> runs;
};

row row_of_counting(const workload& what, const counting& one, const std::vector<double>& cas) {
  row r{.suite = profile_name,
        .name = std::string(counts_prefix) + std::string(programs::name_of(what.what)),
        .impl = one.who->name,
        .params = {{"size", what.size}, {"workers", one.workers}},
        .unit = "CAS",
        .samples = cas,
        .ratio_to_sequential = {}};
  const auto list = [&](const char* key, std::uint64_t synchronization::* figure) {
    json values = json::array();
    for (const synchronization& run : one.runs) values.push_back(run.*figure);
    r.extra[key] = std::move(values);
  };
  r.extra["forks"] = programs::forks_of(what);
  list("cas", &synchronization::cas);
  list("fences", &synchronization::fences);
  list("steals", &synchronization::steals);
  list("exposed", &synchronization::exposed);
  list("unstolen", &synchronization::unstolen);
  return r;
}

findings count_synchronization(const workload& what, const settings& given) {
  std::vector<counting> all;
  for (const schedulers::counted_entry& one : schedulers::counted_registry()) {
    // With one worker nobody steals, and 004 begins with two. Counts do not mind a processor too few.
    for (const std::size_t workers : numbers_of_workers(2, given.processors)) all.push_back({&one, workers, {}});
  }
  std::vector<contender> contenders;
  contenders.reserve(all.size());
  for (counting& one : all) {
    contenders.push_back({one.who->name, [&one, what] {
                            one.runs.push_back(one.who->count(what, one.workers));
                            return static_cast<double>(one.runs.back().cas);
                          }});
  }
  const sample_matrix cas = run_interleaved(contenders, by_effort<std::size_t>(given, 1, 5, 10), "counting");
  findings found;
  for (std::size_t i = 0; i < all.size(); ++i) found.rows.push_back(row_of_counting(what, all[i], cas[i]));
  return found;
}

}  // namespace

std::vector<part> profile_parts(const settings& given) {
  std::vector<part> parts;
  for (const program one : profiled_programs) {
    const workload what = sized(one, scale_of(given));
    parts.push_back({std::string(programs::name_of(one)), [what, given] { return measure_times(what, given); }});
  }
  for (const program one : profiled_programs) {
    // What is counted hardly depends on how long a program runs: shorter ones do.
    const workload what = sized(one, std::min(scale_of(given), scale::quick));
    parts.push_back({fmt::format("{}{}", counts_prefix, programs::name_of(one)),
                     [what, given] { return count_synchronization(what, given); }});
  }
  return parts;
}

std::vector<configuration> configurations_of(const std::vector<row>& rows, std::string_view impl) {
  std::vector<configuration> list;
  for (const row& one : rows) {
    if (one.suite != profile_name || one.impl != impl || one.name.starts_with(counts_prefix)) continue;
    if (one.extra.value("oversubscribed", false)) continue;
    const configuration found{one.name, balance::parameter(one, "workers")};
    if (std::ranges::find(list, found) == list.end()) list.push_back(found);
  }
  return list;
}

std::optional<estimate> speedup(const std::vector<row>& rows, const configuration& of, std::string_view impl,
                                std::string_view base) {
  const row* const mine = time_row(rows, of, impl);
  const row* const other = time_row(rows, of, base);
  if (!balance::paired(other, mine)) return std::nullopt;
  return paired_ratio(other->samples, mine->samples);
}

std::vector<std::string> counted_programs(const std::vector<row>& rows) {
  return balance::each_once(rows, profile_name, [](const row& one) {
    return one.name.starts_with(counts_prefix) ? one.name.substr(counts_prefix.size()) : std::string();
  });
}

std::vector<std::size_t> counted_workers(const std::vector<row>& rows) {
  return balance::each_once(rows, profile_name, [](const row& one) {
    return one.name.starts_with(counts_prefix) ? balance::parameter(one, "workers") : std::size_t{0};
  });
}

std::vector<double> sum_of_counts(const std::vector<row>& rows, const counted_sum& what,
                                  std::vector<std::string> programs) {
  if (programs.empty()) programs = counted_programs(rows);
  std::vector<double> sum;
  for (const std::string& name : programs) {
    const row* const one =
        balance::find_row(rows, std::string(counts_prefix) + name, what.impl, static_cast<double>(what.workers));
    const std::vector<double> own = one == nullptr ? std::vector<double>() : balance::extra_numbers(*one, what.key);
    if (own.empty() || (!sum.empty() && sum.size() != own.size())) return {};
    sum.resize(own.size(), 0);
    for (std::size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
  }
  return sum;
}

}  // namespace pilfer::lab::lightweight

namespace pilfer::lab::experiments {

experiment lcws_experiment() {
  return {
      .name = lightweight::profile_name,
      .title = "Synchronization-light stealing",
      .source = "004 Fig. 3 to 8",
      .summary =
          "Six fork-join programs on classical work stealing, on 004's four variants of LCWS, on Lace's rule and on "
          "our default, with 1 to n workers: times, and in a build that counts, fences, compare-and-swaps, steals "
          "and exposures. 004 saw less than 1 % of the fences and 40 % of the CAS, and the signal-based variant "
          "faster than classical stealing in 65 to 69 % of all configurations.",
      .parts = lightweight::profile_parts,
      .claims = lightweight::profile_claims,
      .charts = lightweight::profile_charts,
      .quick_seconds = 30};
}

}  // namespace pilfer::lab::experiments
