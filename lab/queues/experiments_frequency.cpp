// `steal-frequency`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "lab/queues/experiment_tools.hpp"
#include "lab/queues/experiments.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace queues;
using std::chrono::milliseconds;

constexpr const char* steal_frequency_name = "steal-frequency";
constexpr std::uint64_t highest_hz = 1'000'000;

const std::vector<std::uint64_t> frequencies = {10'000, 100'000, highest_hz};
const std::vector<std::string> queues_of_000 = {"locked", "abp", "chase-lev", "bwos-lifo", "bwos-fifo", "split"};

findings measure_steal_frequency(std::size_t thieves, const std::vector<std::uint64_t>& hz, milliseconds sample,
                                 std::size_t repetitions) {
  findings found;
  const auto who = available(queues_of_000, found);
  found.rows = under(
      steal_frequency_name, thieves,
      rows_of(measure_thieves(small_geometry, who,
                              {.thieves = thieves, .frequencies = hz, .sample = sample, .repetitions = repetitions})));
  return found;
}

std::vector<part> steal_frequency_parts(const settings& given) {
  std::vector<part> list;
  for (const std::size_t thieves : thief_counts) {
    const bool enough = thieves < given.processors;
    const std::size_t repetitions = by_effort<std::size_t>(given, 1,
                                                           enough         ? 31
                                                           : thieves == 2 ? 11
                                                                          : 5,
                                                           enough ? 101 : 25);
    const milliseconds sample = by_effort(given, milliseconds(1), milliseconds(5), milliseconds(20));
    const auto hz = given.how == effort::tiny ? std::vector<std::uint64_t>{highest_hz} : frequencies;
    list.push_back({thieves_text(thieves), [=] { return measure_steal_frequency(thieves, hz, sample, repetitions); }});
  }
  return list;
}

bool oversubscribed(const row& r) { return r.extra.value("oversubscribed", false); }

claim total_relative_to_lifo(const std::string& id, const char* text, double paper, const char* queue,
                             std::size_t thieves, const suite_rows& rows) {
  claim result{.id = fmt::format("{}_{}", id, thieves == 1 ? "1_thief" : "5_thieves"),
               .text = fmt::format("{} / LIFO BWoS, total throughput, {} trying 1 M times a second", text,
                                   thieves_text(thieves)),
               .paper = {},
               .goal = {},
               .measured = {},
               .note = {}};
  if (thieves != 1) result.paper = paper;  // 000 Table 5.1 is about five
  const std::string name = frequency_name(thieves, highest_hz);
  const row* const other = rows.find(name, queue);
  const row* const lifo = rows.find(name, "bwos-lifo");
  if (other == nullptr || lifo == nullptr) {
    return not_shown(result, fmt::format("{} was not measured with {}", other == nullptr ? queue : "bwos-lifo",
                                         thieves_text(thieves)));
  }
  if (oversubscribed(*other)) {
    return not_shown(result, fmt::format("{} and an owner are more threads than processors", thieves_text(thieves)));
  }
  result.measured = paired_ratio(total_throughput(*other), total_throughput(*lifo));
  return result;
}

std::uint64_t count_of(const row& r, const char* key) {
  const auto counts = r.extra.find("counts");
  return counts == r.extra.end() ? 0 : counts->value(key, std::uint64_t{0});
}

// Table 5.3 was made with two thieves; where these need more processors than there are, one has to do.
claim lost_share(const char* id, const char* text, double paper, const char* queue, const suite_rows& rows) {
  claim result{.id = id,
               .text = fmt::format("{}: lost races among failed steals, 1 M attempts a second", text),
               .paper = paper,
               .goal = {},
               .measured = {},
               .note = {}};
  for (const std::size_t thieves : {std::size_t{2}, std::size_t{1}}) {
    const row* const found = rows.find(frequency_name(thieves, highest_hz), queue);
    if (found == nullptr || oversubscribed(*found)) continue;
    const std::uint64_t lost = count_of(*found, "lost");
    const std::uint64_t failed = lost + count_of(*found, "empty") + count_of(*found, "private_work");
    if (failed == 0) return not_shown(result, fmt::format("with {} no steal failed", thieves_text(thieves)));
    const double share = static_cast<double>(lost) / static_cast<double>(failed);
    result.measured = estimate{share, share, share};  // of all attempts: there is nothing to resample
    result.note = fmt::format("{} of {} failed attempts of {}; the paper's figure is of two thieves", lost, failed,
                              thieves_text(thieves));
    return result;
  }
  return not_shown(result, "there is no run with as many processors as threads");
}

std::vector<claim> steal_frequency_claims(const std::vector<row>& all, const settings& /*given*/) {
  const suite_rows rows(all, steal_frequency_name);
  std::vector<claim> list;
  for (const std::size_t thieves : {std::size_t{5}, std::size_t{1}}) {
    list.push_back(total_relative_to_lifo("abp_total_1m", "ABP", 0.76, "abp", thieves, rows));
    list.push_back(total_relative_to_lifo("chase_lev_total_1m", "Chase-Lev", 0.62, "chase-lev", thieves, rows));
    list.push_back(total_relative_to_lifo("locked_total_1m", "locked", 0.05, "locked", thieves, rows));
  }
  list.push_back(lost_share("lifo_lost_share", "LIFO BWoS", 0.08, "bwos-lifo", rows));
  list.push_back(lost_share("abp_lost_share", "ABP", 0.34, "abp", rows));
  list.push_back(lost_share("chase_lev_lost_share", "Chase-Lev", 0.46, "chase-lev", rows));
  list.push_back(lost_share("locked_lost_share", "locked", 0, "locked", rows));
  return list;
}

std::string crowded_text(const std::vector<const row*>& rows) {
  const bool crowded = std::ranges::any_of(rows, [](const row* r) { return oversubscribed(*r); });
  return crowded ? " (more threads than processors)" : "";
}

page::chart against_frequency(const std::vector<row>& all, std::size_t thieves) {
  const suite_rows rows(all, steal_frequency_name);
  page::chart chart{
      .id = fmt::format("{}-total-{}", steal_frequency_name, thieves),
      .title = fmt::format("Total throughput against steal frequency, {}{}", thieves_text(thieves),
                           crowded_text(rows.named(frequency_name(thieves, highest_hz)))),
      .caption =
          "In the manner of 000 Fig. 5.3 to 5.6: the owner's pushes and pops and what thieves took, 1024 entries. "
          "000 saw LIFO BWoS lose least as the frequency grows.",
      .kind = page::chart_kind::lines,
      .x = {.label = "attempts a second of each thief", .logarithmic = true},
      .y = {.label = "million operations a second"},
      .lines_or_groups = {},
      .reference = {},
      .reference_label = {}};
  for (const std::string& impl : implementations_in(all, steal_frequency_name, fmt::format("thieves-{}/", thieves))) {
    page::series line{.name = impl, .points = {}};
    for (const std::uint64_t hz : frequencies) {
      const row* const found = rows.find(frequency_name(thieves, hz), impl);
      if (found != nullptr) line.points.push_back(point_of(static_cast<double>(hz), total_throughput(*found)));
    }
    chart.lines_or_groups.push_back(std::move(line));
  }
  return chart;
}

page::chart outcomes(const std::vector<row>& all, std::size_t thieves) {
  const suite_rows rows(all, steal_frequency_name);
  const auto measured = rows.named(frequency_name(thieves, highest_hz));
  page::chart chart{.id = fmt::format("{}-outcomes-{}", steal_frequency_name, thieves),
                    .title = fmt::format("How steals end, {} trying 1 M times a second{}", thieves_text(thieves),
                                         crowded_text(measured)),
                    .caption =
                        "In the manner of 000 Fig. 5.7 and Table 5.3. Of the failed steals, 000 saw 8 % lost to a "
                        "race with LIFO BWoS, 34 % with ABP, 46 % with Chase-Lev, none with a lock; all others "
                        "found nothing to take.",
                    .kind = page::chart_kind::stacked_bars,
                    .x = {.label = "queue"},
                    .y = {.label = "attempts (%)"},
                    .lines_or_groups = {},
                    .reference = {},
                    .reference_label = {}};
  for (const auto& [key, title] : {std::pair{"steals", "taken"}, std::pair{"empty", "empty"}, std::pair{"lost", "lost"},
                                   std::pair{"private_work", "private"}}) {
    page::series part{.name = title, .points = {}};
    for (const row* one : measured) {
      std::uint64_t attempts = 0;
      for (const char* each : {"steals", "empty", "lost", "private_work"}) attempts += count_of(*one, each);
      if (attempts == 0) continue;
      page::point point;
      point.category = one->impl;
      point.y = 100 * static_cast<double>(count_of(*one, key)) / static_cast<double>(attempts);
      part.points.push_back(std::move(point));
    }
    chart.lines_or_groups.push_back(std::move(part));
  }
  return chart;
}

std::vector<page::chart> steal_frequency_charts(const std::vector<row>& all) {
  std::vector<page::chart> list;
  for (const std::size_t thieves : thief_counts) {
    experiments::add_if_filled(list, against_frequency(all, thieves));
    experiments::add_if_filled(list, outcomes(all, thieves));
  }
  return list;
}

}  // namespace

experiment steal_frequency_experiment() {
  return {.name = steal_frequency_name,
          .title = "Queues: how often thieves try",
          .source = "000 Fig. 5.3 to 5.7, Tables 5.1 and 5.3",
          .summary =
              "1, 2 and 5 thieves each try 10 thousand, 100 thousand and 1 million times a second to steal one item "
              "from a queue of 1024 entries. Total throughput is the owner's pushes and pops and what thieves took. "
              "000 saw ABP 24 %, Chase-Lev 38 % and a locked queue 95 % behind LIFO BWoS with five thieves.",
          .parts = steal_frequency_parts,
          .claims = steal_frequency_claims,
          .charts = steal_frequency_charts};
}

}  // namespace pilfer::lab::experiments
