#include "lab/measure/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/interrupt.hpp"

namespace pilfer::lab {
namespace {

bool is_oversubscribed(const comparison& all, const measurement& one) { return one.workers > all.processors; }

std::string workers_text(const comparison& all, const measurement& one) {
  if (one.workers == 0) return "-";
  return fmt::format("{}{}", one.workers, is_oversubscribed(all, one) ? " OVERSUBSCRIBED" : "");
}

}  // namespace

const measurement* comparison::find(std::string_view name, std::size_t workers) const {
  const auto found =
      std::ranges::find_if(entries, [&](const measurement& one) { return one.name == name && one.workers == workers; });
  return found == entries.end() ? nullptr : &*found;
}

const measurement& comparison::serial() const {
  const auto found = std::ranges::find(entries, std::size_t{0}, &measurement::workers);
  if (found == entries.end()) throw std::logic_error("comparison: without serial code");
  return *found;
}

comparison compare(const std::vector<candidate>& candidates, std::size_t repetitions, std::string_view title) {
  comparison result{.processors = allowed_processors().size(), .entries = {}};
  result.entries.reserve(candidates.size());  // contenders write into them
  std::vector<contender> contenders;
  for (const candidate& one : candidates) {
    throw_if_interrupted();
    static_cast<void>(one.seconds());
    measurement& into = result.entries.emplace_back(measurement{.name = one.name, .workers = one.workers});
    contenders.push_back(
        {one.workers == 0 ? one.name : fmt::format("{}, {} workers", one.name, one.workers), [&one, &into] {
           return into.costs.watch(one.seconds, [&one]() -> std::optional<std::uint64_t> {
             return one.steals_so_far ? one.steals_so_far() : std::nullopt;
           });
         }});
  }
  sample_matrix samples = run_interleaved(contenders, repetitions, title);
  for (std::size_t i = 0; i < samples.size(); ++i) result.entries[i].seconds = std::move(samples[i]);
  const measurement& serial = result.serial();
  for (measurement& one : result.entries) one.time_ratio = paired_ratio(one.seconds, serial.seconds);
  return result;
}

std::vector<std::size_t> worker_counts(std::vector<std::size_t> asked) {
  if (asked.empty()) asked = {1, 2, allowed_processors().size()};
  std::ranges::sort(asked);
  const auto repeated = std::ranges::unique(asked);
  asked.erase(repeated.begin(), repeated.end());
  return asked;
}

std::vector<double> in_unit(const time_unit& unit, const std::vector<double>& seconds) {
  std::vector<double> values(seconds.size());
  std::ranges::transform(seconds, values.begin(), [&](double s) { return s * unit.per_second; });
  return values;
}

row row_of(const row_heading& heading, const comparison& all, const measurement& one) {
  row r{.suite = heading.suite,
        .name = heading.name,
        .impl = one.name,
        .params = {{"size", heading.size}, {"workers", one.workers}},
        .unit = heading.unit.name,
        .samples = in_unit(heading.unit, one.seconds),
        .ratio_to_sequential = paired_ratio(all.serial().seconds, one.seconds)};
  r.extra["time_ratio"] = one.time_ratio.value;
  r.extra["oversubscribed"] = is_oversubscribed(all, one);
  one.costs.write_to(r.extra);
  return r;
}

std::vector<table::column> timing_columns(const char* who, const time_unit& unit) {
  return {{who, align::left}, {"workers"}, {unit.name}, {"min"}, {"time / serial [95 %]"}};
}

std::vector<std::string> timing_cells(const time_unit& unit, const comparison& all, const measurement& one) {
  const std::vector<double> values = in_unit(unit, one.seconds);
  return {one.name, workers_text(all, one), fmt::format("{:.2f}", median(values)),
          fmt::format("{:.2f}", minimum(values)), one.workers == 0 ? "1" : ratio_with_interval(one.time_ratio)};
}

const measurement* measured_for(claim& of, const comparison* all, std::string_view program, std::string_view who,
                                std::size_t workers) {
  if (all == nullptr) {
    of.note = fmt::format("{} was not run", program);
    return nullptr;
  }
  if (workers > all->processors) {
    of.note = "more workers than processors";
    return nullptr;
  }
  const measurement* const one = all->find(who, workers);
  if (one == nullptr) of.note = fmt::format("{} with {} workers was not run", who, workers);
  return one;
}

}  // namespace pilfer::lab
