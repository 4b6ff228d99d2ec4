// Experiment `barriers`: what careful memory orders are worth to an owner alone (001, 6.2.1, Fig. 10 at 0 %).
#include <fmt/format.h>

#include <algorithm>

#include "lab/details/barrier_queues.hpp"
#include "lab/details/experiments.hpp"
#include "lab/details/rows.hpp"
#include "lab/queues/alone.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace details;

constexpr const char* barriers_suite = "barriers";

row row_of_entry(const barrier_queue& one, const queues::alone_result& result,
                 const queues::alone_result::entry& entry) {
  return {.suite = barriers_suite,
          .name = fmt::format("alone/{}", queues::capacity_of(result.shape)),
          .impl = one.who.name,
          .params = {{"entries", queues::capacity_of(result.shape)},
                     {"blocks", result.shape.blocks},
                     {"block_entries", result.shape.entries},
                     {"queue", one.queue},
                     {"orders", one.orders}},
          .unit = "ns/op",
          .samples = entry.ns,
          .ratio_to_sequential = entry.ratio,
          .extra = {{"sequential", one.who.baseline}, {"oversubscribed", false}}};
}

findings measure_barriers(const settings& given) {
  const queues::geometry shape =
      by_effort(given, queues::small_geometry, queues::large_geometry, queues::large_geometry);
  const auto repetitions = by_effort<std::size_t>(given, 2, 45, 201);
  std::vector<const queues::implementation*> who;
  for (const barrier_queue& one : barrier_queues()) who.push_back(&one.who);
  const queues::alone_result result = queues::measure_alone(shape, who, repetitions);
  findings found;
  for (std::size_t i = 0; i < barrier_queues().size(); ++i)
    found.rows.push_back(row_of_entry(barrier_queues()[i], result, result.entries[i]));
  return found;
}

std::vector<part> barrier_parts(const settings& given) {
  return {{"alone", [given] { return measure_barriers(given); }}};
}

// Any geometry: rows of one run have one.
const row* measured_row(const std::vector<row>& rows, const char* queue, const char* orders) {
  for (const row* one : rows_of_suite(rows, barriers_suite)) {
    if (one->impl == barrier_impl(queue, orders)) return one;
  }
  return nullptr;
}

struct gain {
  const char* id;
  const char* text;
  std::optional<double> paper;
  const char* queue;
  const char* before;
  const char* note;
};

claim judged(const gain& g, const std::vector<row>& rows, const settings& given) {
  claim result{.id = g.id,
               .text = g.text,
               .paper = g.paper,
               .goal = {},
               .measured = {},
               .note = g.note,
               .suite = barriers_suite};
  result.measured =
      throughput_ratio(measured_row(rows, g.queue, orders_shipped), measured_row(rows, g.queue, g.before));
  if (!result.measured) result.note = why_missing(g.queue, given, 1);
  return result;
}

std::vector<claim> barrier_claims(const std::vector<row>& rows, const settings& given) {
  const auto claimed = [&](const gain& g) { return judged(g, rows, given); };
  return {
      claimed({"barrier_gain_bwos_lifo", "LIFO BWoS as it ships / every order seq_cst, alone", 5.39, "bwos-lifo",
               orders_seq_cst,
               "our owner works in its block with plain variables and writes no atomic there, so there is little to "
               "gain; 001's has atomic positions"}),
      claimed({"barrier_gain_bwos_lifo_entries",
               "LIFO BWoS as it ships / every order seq_cst and the entries atomic, alone",
               {},
               "bwos-lifo",
               orders_seq_cst_entries,
               "one fence per push, which is nearer to what 001 began with"}),
      claimed({"barrier_gain_bwos_fifo",
               "FIFO BWoS as it ships / every order seq_cst, alone",
               {},
               "bwos-fifo",
               orders_seq_cst,
               ""}),
      claimed({"barrier_gain_abp", "ABP as it ships / every order seq_cst, alone", 1.65, "abp", orders_seq_cst,
               "without the explicit fence, which such accesses make superfluous"}),
      claimed({"barrier_gain_chase_lev",
               "Chase-Lev as it ships / every order seq_cst, alone",
               {},
               "chase-lev",
               orders_seq_cst,
               ""}),
  };
}

std::vector<page::chart> barrier_charts(const std::vector<row>& rows) {
  page::chart shown{
      .id = "barriers-alone",
      .title = "Throughput of an owner alone, before and after thinking about memory orders",
      .caption = "In the manner of 001, Fig. 10 at 0 % (sc against opt): there LIFO BWoS gains 5.39x and ABP 1.65x.",
      .kind = page::chart_kind::bars,
      .x = {"queue"},
      .y = {"million operations per second"},
      .lines_or_groups = {},
      .reference = {},
      .reference_label = {}};
  for (const auto& [orders, name] :
       {std::pair{orders_seq_cst_entries, "every order seq_cst, entries too"},
        std::pair{orders_seq_cst, "every order seq_cst"}, std::pair{orders_shipped, "as it ships"}}) {
    page::series bars{.name = name, .points = {}};
    for (const row* one : rows_of_suite(rows, barriers_suite)) {
      if (text_param(*one, "orders") == orders) bars.points.push_back(bar(text_param(*one, "queue"), *one));
    }
    if (!bars.points.empty()) shown.lines_or_groups.push_back(std::move(bars));
  }
  if (shown.lines_or_groups.empty()) return {};
  return {shown};
}

}  // namespace

experiment barriers_experiment() {
  return {
      .name = barriers_suite,
      .title = "Memory orders: what they are worth",
      .source = "001 section 6.2.1, Fig. 10 at 0 %",
      .summary =
          "Each queue with the memory orders that ship beside the same text with every access sequentially "
          "consistent; an owner fills it and empties it alone. On x86 that turns each atomic store into an exchange, "
          "a full fence; loads stay plain, read-modify-writes are locked anyway, and explicit fences are left out, "
          "because such accesses make them superfluous. 001 saw 5.39x for LIFO BWoS and 1.65x for ABP.",
      .parts = barrier_parts,
      .claims = barrier_claims,
      .charts = barrier_charts,
      .quick_seconds = 5};
}

}  // namespace pilfer::lab::experiments
