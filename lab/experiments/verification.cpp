// The checker as an experiment: what 001's section 5 reports, for the text that ships.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/experiments/suites.hpp"
#include "lab/measure/interrupt.hpp"
#include "model/verify/verify.hpp"

namespace pilfer::lab::experiments {
namespace {

namespace verify = model::verify;

constexpr const char* suite = "verification";
constexpr const char* quick_client = "two-thieves";
constexpr const char* full_client = "fig9";
constexpr const char* fifo_client = "empty-and-full";
constexpr const char* orders_name = "orders";
constexpr const char* fifo = "bwos-fifo";

struct published {
  const char* queue;
  double minutes;  // of Fig. 9's client, on six cores
  // Barriers by order.
  double seq_cst;
  double acquire;
  double release;
  double relaxed;
};
constexpr published table_two[] = {{"bwos-lifo", 62, 0, 2, 2, 14}, {fifo, 53, 0, 3, 3, 16}, {"abp", 16, 4, 3, 1, 7}};

bool interrupted_now() { return interrupt_signal() != 0; }

row row_of(const verify::row& found) {
  if (!found.as_expected())
    throw std::runtime_error(fmt::format("{} {}: {}", found.queue, found.client, found.failed.text));
  return {.suite = suite,
          .name = found.client,
          .impl = found.queue,
          .params = {{"client", found.client}, {"search", found.mode}},
          .unit = "s",
          .samples = {found.seconds},
          .extra = {{"executions", found.executions}, {"graphs", found.graphs}, {"exhausted", found.exhausted}}};
}

findings check(const std::vector<std::string>& queues, const std::string& client, bool full) {
  findings found;
  verify::settings how;
  how.queues = queues;
  how.client = client;
  how.full = full;
  how.stop = interrupted_now;
  for (const verify::row& one : verify::verify(how, [](const verify::row&) {}, [](const verify::progress&) {})) {
    throw_if_interrupted();
    found.rows.push_back(row_of(one));
  }
  return found;
}

// 001's Table 2: sites by order, and whether any could be weaker.
findings orders_of(const std::string& queue) {
  verify::settings how;
  how.stop = interrupted_now;
  const verify::weaken_report found = verify::weaken_orders(queue, how, [](const verify::weakened&) {});
  throw_if_interrupted();
  json survivors = json::array();
  for (const verify::weakened& one : found.tried) {
    if (!one.caught) survivors.push_back(one.reason.empty() ? "nobody has said why" : one.reason);
  }
  row r{.suite = suite,
        .name = orders_name,
        .impl = queue,
        .params = json::object(),
        .unit = "sites",
        .samples = {static_cast<double>(found.counts.seq_cst + found.counts.acquire + found.counts.release +
                                        found.counts.acq_rel + found.counts.relaxed)}};
  r.extra = {{"seq_cst", found.counts.seq_cst},     {"acquire", found.counts.acquire},
             {"release", found.counts.release},     {"acq_rel", found.counts.acq_rel},
             {"relaxed", found.counts.relaxed},     {"weaker_tried", found.tried.size()},
             {"weaker_survived", survivors.size()}, {"survivors", survivors}};
  return {.rows = {std::move(r)}};
}

std::vector<std::string> queues_with(const char* client) {
  std::vector<std::string> all;
  for (const std::string& name : verify::queue_names()) {
    if (verify::is_queue(name) && verify::has_client(name, client)) all.push_back(name);
  }
  return all;
}

std::vector<part> parts(const settings& given) {
  const bool tiny = given.how == effort::tiny;
  const std::vector<std::string> all = tiny ? std::vector<std::string>{"abp"} : queues_with(quick_client);
  std::vector<part> list = {{quick_client, [all] { return check(all, quick_client, false); }}};
  if (!tiny) list.push_back({fifo_client, [] { return check({fifo}, fifo_client, false); }});
  for (const published& one : table_two) {
    if (tiny && one.queue != std::string_view("abp")) continue;
    list.push_back({fmt::format("{} {}", orders_name, one.queue), [name = one.queue] { return orders_of(name); }});
    if (given.how == effort::full) {
      list.push_back({fmt::format("{} {}", full_client, one.queue),
                      [name = one.queue] { return check({name}, full_client, true); }});
    }
  }
  return list;
}

// The table of barriers: ours beside 001's. No goal: the two texts are not the same, and a place with both orders (acq_rel) is one of ours only.
void add_barriers(std::vector<claim>& to, const published& one, const std::vector<row>& rows) {
  const row* const found = find_row(rows, orders_name, one.queue);
  const std::pair<const char*, double> orders[] = {
      {"seq_cst", one.seq_cst}, {"acquire", one.acquire}, {"release", one.release}, {"relaxed", one.relaxed}};
  for (const auto& [order, paper] : orders) {
    claim c{.id = fmt::format("verify_{}_{}", order, one.queue),
            .text = fmt::format("places with {} in {}", order, one.queue),
            .paper = paper,
            .goal_is = goal_side::at_most};
    std::ranges::replace(c.id, '-', '_');
    if (found == nullptr) {
      c.note = "not measured";
    } else {
      c.measured = exactly(extra_number(*found, order));
      if (const double both = extra_number(*found, "acq_rel"); both > 0)
        c.note = fmt::format("and {:g} with acq_rel, which 001 has not", both);
    }
    to.push_back(std::move(c));
  }
}

std::vector<claim> claims(const std::vector<row>& rows, const settings& given) {
  std::vector<claim> all;
  for (const published& one : table_two) {
    claim c{.id = fmt::format("verify_minutes_{}", one.queue),
            .text = fmt::format("minutes to check the client of 001's Fig. 9: {}", one.queue),
            .paper = one.minutes,
            .goal = one.minutes,
            .goal_is = goal_side::at_most};
    std::ranges::replace(c.id, '-', '_');
    constexpr double seconds_per_minute = 60;
    if (const row* found = find_row(rows, full_client, one.queue); found != nullptr) {
      c.measured = exactly(median(found->samples) / seconds_per_minute);
    } else {
      c.note = given.how == effort::full ? "not measured" : "takes minutes: with --full";
    }
    all.push_back(std::move(c));
  }
  for (const published& one : table_two) add_barriers(all, one, rows);
  claim passed{.id = "verify_queues_passed",
               .text = "queues whose client with two thieves was searched to its end without a fault",
               .goal = static_cast<double>(queues_with(quick_client).size())};
  const auto exhausted = [](const row& r) { return r.name == quick_client && r.extra.value("exhausted", false); };
  const auto searched = std::ranges::count_if(rows, [](const row& r) { return r.name == quick_client; });
  if (searched > 0) {
    passed.measured = exactly(static_cast<double>(std::ranges::count_if(rows, exhausted)));
  } else {
    passed.note = "not measured";
  }
  all.push_back(std::move(passed));

  claim survived{.id = "verify_weaker_orders",
                 .text = "memory orders of LIFO and FIFO BWoS and ABP that could be weaker unnoticed",
                 .goal = 0,
                 .goal_is = goal_side::at_most};
  double sum = 0;
  bool any = false;
  for (const row& r : rows) {
    if (r.name != orders_name) continue;
    any = true;
    sum += extra_number(r, "weaker_survived");
    for (const json& why : r.extra.value("survivors", json::array()))
      survived.note += fmt::format("{}{}: {}", survived.note.empty() ? "" : "; ", r.impl, why.get<std::string>());
  }
  if (any) {
    survived.measured = exactly(sum);
  } else {
    survived.note = "not measured";
  }
  all.push_back(std::move(survived));

  claim both{.id = "verify_empty_and_full",
             .text = "executions in which FIFO BWoS was empty and full at once (000 section 3.2)",
             .goal = 0,
             .goal_is = goal_side::at_most};
  if (find_row(rows, fifo_client, fifo) != nullptr) {
    both.measured = exactly(0);  // a row is only there if none was found
  } else {
    both.note = "not measured";
  }
  all.push_back(std::move(both));
  return all;
}

std::vector<page::chart> charts(const std::vector<row>& rows) {
  std::vector<page::chart> all;
  page::chart sites{
      .id = "verification-orders",
      .title = "Memory orders by strength",
      .caption =
          "001's Table 2 has, as seq/acq/rel/rlx: LIFO 0/2/2/14, FIFO 0/3/3/16, ABP 4/3/1/7. Ours is counted by "
          "the checker in the text that ships.",
      .kind = page::chart_kind::stacked_bars,
      .x = {"queue"},
      .y = {"places in the code"}};
  for (const char* order : {"seq_cst", "acq_rel", "acquire", "release", "relaxed"}) {
    page::series one{.name = order};
    for (const row& r : rows) {
      if (r.name != orders_name) continue;
      page::point shown;
      shown.category = r.impl;
      shown.y = extra_number(r, order);
      one.points.push_back(std::move(shown));
    }
    if (!one.points.empty()) sites.lines_or_groups.push_back(std::move(one));
  }
  add_if_filled(all, std::move(sites));
  page::chart effort_shown{
      .id = "verification-executions",
      .title = "Executions that were searched",
      .caption = "All executions that C++20 allows of an owner and two thieves, by queue; none had a fault.",
      .kind = page::chart_kind::bars,
      .x = {"client"},
      .y = {"executions", true},
      .lines_or_groups = bars_of(
          rows, [](const row& r) { return r.name != orders_name && extra_number(r, "executions") > 0; },
          [](const row& r) { return exactly(extra_number(r, "executions")); })};
  add_if_filled(all, std::move(effort_shown));
  return all;
}

}  // namespace

experiment verification_experiment() {
  return {
      .name = suite,
      .title = "Verification",
      .source = "001 section 5 and Table 2; 000 section 3.2",
      .summary =
          "The checker searches all executions of small clients of the shipped queues, and tries every memory order "
          "weaker. `pilfer verify` does it for everything; --full adds the client of 001's Fig. 9.",
      .parts = parts,
      .claims = claims,
      .charts = charts,
      .quick_seconds = 20};
}

}  // namespace pilfer::lab::experiments
