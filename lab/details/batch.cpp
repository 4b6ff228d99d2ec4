// Experiment `batch`: how much a thief takes at once (001, 2.1.3, Fig. 2d, with a queue instead of a server).
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "lab/details/disturbed_queue.hpp"
#include "lab/details/experiments.hpp"
#include "lab/details/rows.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/queues/alone.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace details;

constexpr const char* batch_suite = "batch";
constexpr double steered_share = 0.10;

std::string batch_row_name(double share) {
  if (share == 0) return "batch/none";
  return share == as_much_as_possible ? "batch/most" : fmt::format("batch/{:g}%", share * 100);
}
// "bwos-lifo/16"; without a thief only the queue.
std::string batch_impl_name(const std::string& queue, std::size_t batch) {
  return batch == 0 ? queue : fmt::format("{}/{}", queue, batch);
}

struct robbery {
  const disturbed_kind* who;
  disturbed_queue* queue;
  double share = 0;
  std::size_t batch = 0;
  queues::thief_totals thief{};
  std::uint64_t pushed = 0;
};

double sample_robbery(robbery& one, crew& other, std::chrono::microseconds length) {
  queues::thief_totals got;
  const owner_sample result = sample_owner(batch_impl_name(one.who->name, one.batch), *one.queue, other, length,
                                           [&](const progress_word& pushed, const stop_flag& stop) {
                                             const std::size_t batch = std::max<std::size_t>(one.batch, 1);
                                             got = one.queue->steal(pushed, one.share, batch, stop);
                                             return got.taken;
                                           });
  one.thief += got;
  one.pushed += result.owner.pushed.count;
  return result.ns;
}

json ratio_or_null(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? json(nullptr) : json(static_cast<double>(part) / static_cast<double>(whole));
}

row row_of_robbery(const robbery& one, const queues::geometry& shape, std::vector<double> samples) {
  return {.suite = batch_suite,
          .name = batch_row_name(one.share),
          .impl = batch_impl_name(one.who->name, one.batch),
          .params = {{"entries", queues::capacity_of(shape)},
                     {"blocks", shape.blocks},
                     {"block_entries", shape.entries},
                     {"queue", one.who->name},
                     {"batch", one.batch},
                     {"share", one.share == as_much_as_possible ? json(nullptr) : json(one.share)}},
          .unit = "ns/op",
          .samples = std::move(samples),
          .ratio_to_sequential = {},
          .extra = {{"achieved_share", ratio_or_null(one.thief.taken.count, one.pushed)},
                    {"items_per_steal", ratio_or_null(one.thief.taken.count, one.thief.steals)},
                    {"counts",
                     {{"pushed", one.pushed},
                      {"taken", one.thief.taken.count},
                      {"steals", one.thief.steals},
                      {"empty", one.thief.empty},
                      {"lost", one.thief.lost},
                      {"private_work", one.thief.private_work}}},
                    {"oversubscribed", false}}};
}

std::vector<std::size_t> batch_sizes(const disturbed_kind& who, const queues::geometry& shape, const settings& given) {
  if (!who.batches) return {1};
  if (given.how == effort::tiny) return {1, shape.entries};
  return {1, 2, 4, 8, 16, 32, shape.entries / 2, shape.entries};
}

findings measure_batch(const settings& given) {
  const queues::geometry shape =
      by_effort(given, queues::small_geometry, queues::large_geometry, queues::large_geometry);
  const std::chrono::microseconds length(by_effort(given, 300, 3000, 10000));
  const std::vector<int> processors = allowed_processors();
  const pinned here(processors.back());
  crew other({processors.front()});

  std::vector<std::unique_ptr<disturbed_queue>> made;
  std::vector<robbery> robberies;
  for (const disturbed_kind& who : disturbed_kinds()) {
    made.push_back(who.make(shape));
    robberies.push_back({.who = &who, .queue = made.back().get()});
    for (const double share : {steered_share, as_much_as_possible}) {
      for (const std::size_t batch : batch_sizes(who, shape, given))
        robberies.push_back({.who = &who, .queue = made.back().get(), .share = share, .batch = batch});
    }
  }
  std::vector<contender> contenders;
  contenders.reserve(robberies.size());
  for (robbery& one : robberies) {
    contenders.push_back({batch_impl_name(one.who->name, one.batch) + ", " + batch_row_name(one.share),
                          [&] { return sample_robbery(one, other, length); }});
  }
  sample_matrix samples = run_interleaved(contenders, by_effort<std::size_t>(given, 2, 35, 101), batch_suite);

  findings found;
  for (std::size_t i = 0; i < robberies.size(); ++i)
    found.rows.push_back(row_of_robbery(robberies[i], shape, std::move(samples[i])));
  for (row& one : found.rows) {
    const auto relative = throughput_ratio(&one, find_row(found.rows, batch_row_name(0), text_param(one, "queue")));
    one.extra["relative_throughput"] = relative ? json(relative->value) : json(nullptr);
  }
  return found;
}

std::vector<part> batch_parts(const settings& given) {
  if (given.processors < 2) return {nothing_measured(why_missing(batch_suite, given, 2))};
  return {{"one thief", [given] { return measure_batch(given); }}};
}

// The row of a queue with the largest batch that was measured.
const row* largest_batch(const std::vector<row>& rows, const std::string& name, std::string_view queue) {
  const row* largest = nullptr;
  for (const row* one : rows_of_suite(rows, batch_suite)) {
    if (one->name != name || text_param(*one, "queue") != queue) continue;
    if (largest == nullptr || number_param(*one, "batch") > number_param(*largest, "batch")) largest = one;
  }
  return largest;
}

std::vector<claim> batch_claims(const std::vector<row>& rows, const settings& given) {
  const auto gain = [&](claim of, const char* queue) {
    const std::string name = batch_row_name(steered_share);
    of.suite = batch_suite;
    const row* const one = find_row(rows, name, batch_impl_name(queue, 1));
    const row* const all = largest_batch(rows, name, queue);
    if (all != one) of.measured = throughput_ratio(all, one);
    if (!of.measured) of.note = why_missing(queue, given, 2);
    return of;
  };
  return {
      gain({.id = "batch_gain_bwos_lifo", .text = "LIFO BWoS, 10 % stolen, owner with a block at a time / one item"},
           "bwos-lifo"),
      gain({.id = "batch_gain_bwos_fifo", .text = "FIFO BWoS, 10 % stolen, owner with a block at a time / one item"},
           "bwos-fifo"),
  };
}

using figure_of = std::optional<page::point> (*)(double batch, const row& one, const std::vector<row>& rows);

std::optional<page::point> relative_point(double batch, const row& one, const std::vector<row>& rows) {
  const auto relative = throughput_ratio(&one, find_row(rows, batch_row_name(0), text_param(one, "queue")));
  if (!relative) return std::nullopt;
  return line_point(batch, *relative);
}

std::optional<page::point> stolen_point(double batch, const row& one, const std::vector<row>& /*rows*/) {
  const auto share = one.extra.find("achieved_share");
  if (share == one.extra.end() || !share->is_number()) return std::nullopt;
  const double percent = share->get<double>() * 100;
  return page::point{.x = batch, .category = {}, .y = percent, .low = {}, .high = {}, .samples = {}};
}

void add_chart(std::vector<page::chart>& charts, page::chart shown, const std::vector<row>& rows, double share,
               figure_of figure) {
  shown.kind = page::chart_kind::lines;
  for (const disturbed_kind& who : disturbed_kinds()) {
    page::series line{.name = who.name, .points = {}};
    for (const row* one : rows_of_suite(rows, batch_suite)) {
      const auto batch = number_param(*one, "batch");
      if (one->name != batch_row_name(share) || text_param(*one, "queue") != who.name || !batch) continue;
      if (const auto point = figure(*batch, *one, rows)) line.points.push_back(*point);
    }
    if (!line.points.empty()) shown.lines_or_groups.push_back(std::move(line));
  }
  if (!shown.lines_or_groups.empty()) charts.push_back(std::move(shown));
}

std::vector<page::chart> batch_charts(const std::vector<row>& rows) {
  std::vector<page::chart> charts;
  const page::axis sizes{.label = "items at a time, at most", .logarithmic = true};
  const page::axis relative{.label = "owner's throughput / without a thief"};
  add_chart(charts,
            {.id = "batch-owner-10",
             .title = "Owner's throughput against batch size, 10 % stolen",
             .caption = "The thief takes the same share whatever the batch: larger batches are fewer steals. A single "
                        "point is a queue without batches.",
             .x = sizes,
             .y = relative,
             .reference = 1,
             .reference_label = "without a thief"},
            rows, steered_share, relative_point);
  add_chart(
      charts,
      {.id = "batch-owner-most",
       .title = "Owner's throughput against batch size, a thief that never rests",
       .caption = "In the manner of 001, Fig. 2d, with a queue instead of a server. What is stolen the owner need "
                  "not pop: it does fewer operations in the same time.",
       .x = sizes,
       .y = relative,
       .reference = 1,
       .reference_label = "without a thief"},
      rows, as_much_as_possible, relative_point);
  add_chart(charts,
            {.id = "batch-stolen",
             .title = "Stolen share against batch size, a thief that never rests",
             .caption = "In the manner of 001, Fig. 2d: larger batches are fewer steals, but more is stolen.",
             .x = sizes,
             .y = {"stolen items (% of the pushed ones)"}},
            rows, as_much_as_possible, stolen_point);
  return charts;
}

}  // namespace

experiment batch_experiment() {
  return {.name = batch_suite,
          .title = "How much a thief takes at once",
          .source = "001 section 2.1.3, Fig. 2d",
          .summary =
              "An owner fills and empties its queue; a thief takes one item at a time, or up to so many with one "
              "claim, up to a block. Once it aims at 10 % of the items, once it never rests. 001 saw larger batches "
              "need fewer steals, steal more, and gain nothing in the end.",
          .parts = batch_parts,
          .claims = batch_claims,
          .charts = batch_charts,
          .quick_seconds = 6};
}

}  // namespace pilfer::lab::experiments
