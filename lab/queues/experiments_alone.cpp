// `queues-alone`.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "lab/queues/experiment_tools.hpp"
#include "lab/queues/experiments.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace queues;

constexpr const char* queues_alone_name = "queues-alone";
constexpr std::string_view narrow_suffix = "/4-byte";

// The large geometry also holds the queues with items of four bytes: in the same interleaved run, so that they are pairs.
findings measure_queues_alone(const geometry& shape, bool narrow, std::size_t repetitions) {
  findings found;
  std::vector<const implementation*> who = available({}, found);
  if (narrow) {
    for (const implementation& one : narrow_implementations()) who.push_back(&one);
  }
  found.rows = under(queues_alone_name, rows_of(measure_alone(shape, who, repetitions)));
  return found;
}

std::vector<part> queues_alone_parts(const settings& given) {
  const std::size_t repetitions = by_effort<std::size_t>(given, 1, 75, 201);
  return {
      {"8192 entries", [=] { return measure_queues_alone(large_geometry, true, repetitions); }},
      {"1024 entries", [=] { return measure_queues_alone(small_geometry, false, repetitions); }},
  };
}

// Eight bytes against four, of the same queue.
claim wide_over_narrow(const char* id, const char* text, const char* wide, const char* narrow, const suite_rows& rows) {
  return judged({id, text, {}, {}, wide, narrow}, rows, alone_claims_name);
}

std::vector<claim> queues_alone_claims(const std::vector<row>& all, const settings& /*given*/) {
  const suite_rows rows(all, queues_alone_name);
  std::vector<claim> list = alone_claims(rows);
  list.push_back(judged({"fifo_over_eigen_4x", "FIFO BWoS / Eigen RunQueue, alone, as a fixed factor", 10.15, 4.0,
                         "bwos-fifo", "eigen-runqueue"},
                        rows, alone_claims_name));
  std::ranges::move(fifo_over_absent_queues({.bbq = 8.9, .tokio = 3.55, .go = 1.61}, "", "alone"),
                    std::back_inserter(list));
  list.push_back(wide_over_narrow("lifo_8_over_4_bytes", "LIFO BWoS, 8-byte / 4-byte items, alone", "bwos-lifo",
                                  "bwos-lifo/4-byte", rows));
  list.push_back(wide_over_narrow("fifo_8_over_4_bytes", "FIFO BWoS, 8-byte / 4-byte items, alone", "bwos-fifo",
                                  "bwos-fifo/4-byte", rows));
  list.push_back(judged({"lifo_alone_4_bytes",
                         "LIFO BWoS / sequential stack, alone, 4-byte items",
                         {},
                         {},
                         "bwos-lifo/4-byte",
                         "seq-stack/4-byte"},
                        rows, alone_claims_name));
  list.push_back(judged({"fifo_alone_4_bytes",
                         "FIFO BWoS / sequential ring, alone, 4-byte items",
                         {},
                         {},
                         "bwos-fifo/4-byte",
                         "seq-ring/4-byte"},
                        rows, alone_claims_name));
  return with_reasons(std::move(list));
}

bool is_narrow(std::string_view impl) { return impl.ends_with(narrow_suffix); }

page::chart by_capacity(const suite_rows& rows) {
  page::chart chart{.id = "queues-alone-owner",
                    .title = "The owner alone: pushes and pops a second",
                    .caption =
                        "In the manner of 001 Fig. 10 and 11 at 0 % and of 000 Fig. 5.2. The first two bars are "
                        "the limits: a stack and a ring for one thread. 001 saw LIFO BWoS at 0.89 and FIFO BWoS "
                        "at 0.95 of them, ABP at a fifth; 000 saw all but the locked queue close together.",
                    .kind = page::chart_kind::bars,
                    .x = {.label = "queue"},
                    .y = {.label = "million operations a second"},
                    .lines_or_groups = {},
                    .reference = {},
                    .reference_label = {}};
  for (const auto& [name, title] : {std::pair{"alone/8192", "8192 entries"}, std::pair{"alone/1024", "1024 entries"}}) {
    page::series series{.name = title, .points = {}};
    for (const row* one : rows.named(name)) {
      if (!is_narrow(one->impl)) series.points.push_back(point_of(one->impl, owners_throughput(*one)));
    }
    chart.lines_or_groups.push_back(std::move(series));
  }
  return chart;
}

page::chart by_item_size(const suite_rows& rows) {
  page::chart chart{.id = "queues-alone-item-size",
                    .title = "The owner alone: items of eight and of four bytes",
                    .caption =
                        "8192 entries. 000 saw slightly more throughput with eight bytes (section 5.2.2), and "
                        "explained it by fewer cache misses.",
                    .kind = page::chart_kind::bars,
                    .x = {.label = "queue"},
                    .y = {.label = "million operations a second"},
                    .lines_or_groups = {},
                    .reference = {},
                    .reference_label = {}};
  page::series wide{.name = "8 bytes", .points = {}};
  page::series narrow{.name = "4 bytes", .points = {}};
  for (const row* one : rows.named(alone_claims_name)) {
    if (!is_narrow(one->impl)) continue;
    const std::string queue = one->impl.substr(0, one->impl.size() - narrow_suffix.size());
    narrow.points.push_back(point_of(queue, owners_throughput(*one)));
    if (const row* other = rows.find(alone_claims_name, queue)) {
      wide.points.push_back(point_of(queue, owners_throughput(*other)));
    }
  }
  chart.lines_or_groups = {std::move(wide), std::move(narrow)};
  return chart;
}

std::vector<page::chart> queues_alone_charts(const std::vector<row>& all) {
  const suite_rows rows(all, queues_alone_name);
  std::vector<page::chart> list;
  experiments::add_if_filled(list, by_capacity(rows));
  experiments::add_if_filled(list, by_item_size(rows));
  return list;
}

}  // namespace

experiment queues_alone_experiment() {
  return {.name = queues_alone_name,
          .title = "Queues: the owner alone",
          .source = "001 Fig. 10 and 11 at 0 %, section 6.2.1; 000 Fig. 5.2, section 5.2.1",
          .summary =
              "The owner fills a queue and empties it, again and again; nobody steals. Sequential structures are "
              "measured in the same run as the limit. 001 saw block-based queues close to that limit and 4.55 "
              "times (LIFO over ABP) and 10.15 times (FIFO over Eigen) ahead of others.",
          .parts = queues_alone_parts,
          .claims = queues_alone_claims,
          .charts = queues_alone_charts};
}

}  // namespace pilfer::lab::experiments
