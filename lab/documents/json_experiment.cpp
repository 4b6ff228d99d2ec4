#include "lab/documents/json_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <pilfer/pool.hpp>

#include "lab/documents/runners.hpp"
#include "lab/documents/work.hpp"
#include "lab/experiments/row_query.hpp"
#include "lab/measure/comparison.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/run_log.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/measure/stopwatch.hpp"

namespace pilfer::lab::experiments {
namespace {

using documents::operation;
using documents::runner;
using documents::runner_entry;
using documents::work;

constexpr const char* experiment_name = "json";
constexpr const char* serial_name = "serial";

struct participant {
  std::string name;
  std::size_t workers = 0;  // 0: serial code
  std::unique_ptr<runner> with;
  run_log log{};
};

// Microseconds per document.
double sample(participant& who, work& what) {
  what.reset();
  const double seconds = who.log.watch(
      [&] { return seconds_taken_by([&] { who.with->run(what.tasks(), [&](std::size_t i) { what.run(i); }); }); },
      [&] { return who.with->stolen_so_far(); });
  who.with->calm_down();
  what.check(who.name);
  return seconds * microseconds.per_second / static_cast<double>(what.tasks());
}

std::vector<std::string> schedulers(effort how) {
  switch (how) {
    case effort::tiny: return {"default", "bwos-fifo", "ws-global"};
    case effort::quick: return {"default", "ws-chase-lev", "bwos-lifo", "bwos-fifo", "ws-global", "lcws-signal"};
    case effort::full: return scheduler_names();
  }
  return {};
}

std::vector<participant> participants(const settings& given, findings& found) {
  std::vector<participant> all;
  all.push_back({.name = serial_name, .with = documents::make_serial_runner()});
  std::vector<runner_entry> entries;
  for (const std::string& one : schedulers(given.how)) entries.push_back(documents::pilfer_runner(one));
  entries.push_back(documents::tbb_runner());
  entries.push_back(documents::openmp_runner());
  std::vector<std::size_t> workers = {1};
  if (given.processors > 1) workers.push_back(given.processors);
  for (const runner_entry& one : entries) {
    if (!one.make) {
      found.notes.push_back(fmt::format("{}: {}", one.name, one.why_unavailable));
      continue;
    }
    if (!one.version.empty()) found.versions[one.name] = one.version;
    for (const std::size_t count : workers) {
      all.push_back({.name = one.name, .workers = count, .with = one.make(count)});
    }
  }
  return all;
}

row row_of(const operation& what, const work& done, const participant& who, const settings& given,
           std::vector<double> samples, const std::vector<double>& serial) {
  row r{.suite = experiment_name,
        .name = what.name,
        .impl = who.name,
        .params = {{"size", done.tasks()},
                   {"records", what.records},
                   {"bytes", done.bytes()},
                   {"parser", what.parser},
                   {"workers", who.workers}},
        .unit = "us/document",
        .samples = std::move(samples),
        .ratio_to_sequential = {}};
  r.ratio_to_sequential = paired_ratio(serial, r.samples);
  who.log.write_to(r.extra);
  r.extra["oversubscribed"] = who.workers > given.processors;
  return r;
}

findings measure(const operation& what, const settings& given) {
  findings found;
  if (!what.make) {
    found.notes.push_back(fmt::format("{}: {}", what.parser, what.why_unavailable));
    return found;
  }
  if (what.parser == "simdjson") found.versions["simdjson"] = documents::simdjson_version();
  const std::unique_ptr<work> mine = what.make();
  std::vector<participant> all = participants(given, found);
  std::vector<contender> contenders;
  for (participant& one : all) {
    static_cast<void>(sample(one, *mine));  // warms up: threads, parsers, memory
    one.log.clear();
    contenders.push_back({fmt::format("{}, {} workers", one.name, one.workers), [&] { return sample(one, *mine); }});
  }
  const sample_matrix samples = run_interleaved(contenders, by_effort<std::size_t>(given, 2, 11, 31), what.name);
  for (std::size_t i = 0; i < all.size(); ++i) {
    found.rows.push_back(row_of(what, *mine, all[i], given, samples[i], samples.front()));
  }
  return found;
}

std::vector<part> parts(const settings& given) {
  std::vector<part> list;
  for (const operation& what : documents::operations(given.how)) {
    list.push_back({.name = what.name, .run = [what, given] { return measure(what, given); }});
  }
  return list;
}

// The time of `slow` over that of `fast`: of each repetition, the geometric mean over what was done.
claim ratio_claim(const char* id, const char* text, const char* slow, const char* fast, const std::vector<row>& rows,
                  const settings& given) {
  claim c{.id = id, .text = text, .paper = {}, .goal = {}, .measured = {}, .note = {}};
  c.suite = experiment_name;
  if (given.processors < 2) {
    c.note = cannot_be_shown("there is one processor");
    return c;
  }
  const auto workers = static_cast<double>(given.processors);
  std::vector<double> products;
  std::string each;
  std::size_t count = 0;
  for (const std::string& name : each_once(rows, &row::name)) {
    const row* const numerator = find_row(rows, name, slow, workers);
    const row* const denominator = find_row(rows, name, fast, workers);
    if (numerator == nullptr || denominator == nullptr || numerator->suite != experiment_name) continue;
    if (numerator->samples.size() != denominator->samples.size()) continue;  // not from one run: no pairs
    if (count != 0 && numerator->samples.size() != products.size()) continue;
    const std::vector<double> ratios = paired_ratios(numerator->samples, denominator->samples);
    if (count++ == 0) products.assign(ratios.size(), 1.0);
    for (std::size_t i = 0; i < ratios.size(); ++i) products[i] *= ratios[i];
    each += fmt::format(", {} {:.3f}", name, median(ratios));
  }
  if (count == 0) {
    c.note = fmt::format("cannot be shown on this machine: no rows of {} and {} with {} workers", slow, fast,
                         given.processors);
    return c;
  }
  for (double& product : products) product = std::pow(product, 1.0 / static_cast<double>(count));
  c.measured = median_estimate(products);
  c.note = fmt::format("{} workers; geometric mean{}", given.processors, each);
  return c;
}

std::vector<claim> claims(const std::vector<row>& rows, const settings& given) {
  claim go{.id = "json_bwos_vs_go",
           .text = "json: Go's run queue / FIFO BWoS in Go's runtime, time",
           .paper = 1.258,
           .goal = {},
           .measured = {},
           .note =
               "cannot be shown on this machine: Go's run queue is inside Go's runtime; the claims below compare our "
               "queues"};
  go.suite = experiment_name;
  const auto ratio = [&](const char* id, const char* text, const char* slow, const char* fast) {
    return ratio_claim(id, text, slow, fast, rows, given);
  };
  return {
      go,
      ratio("json_bwos_fifo_vs_global", "json: time with one locked FIFO / with FIFO BWoS", "ws-global", "bwos-fifo"),
      ratio("json_bwos_fifo_vs_chase_lev", "json: time with Chase-Lev / with FIFO BWoS", "ws-chase-lev", "bwos-fifo"),
      ratio("json_bwos_lifo_vs_chase_lev", "json: time with Chase-Lev / with LIFO BWoS", "ws-chase-lev", "bwos-lifo"),
      ratio("json_default_vs_onetbb", "json: time with oneTBB / with the default scheduler", "onetbb", "default")};
}

std::vector<page::chart> charts(const std::vector<row>& rows) {
  std::vector<page::chart> all;
  std::vector<double> counts;
  for (const row& r : rows) {
    const double workers = workers_of(r);
    if (r.suite == experiment_name && workers > 0 && std::ranges::find(counts, workers) == counts.end())
      counts.push_back(workers);
  }
  std::ranges::sort(counts);
  for (const double workers : counts) {
    page::chart c{
        .id = fmt::format("json-{:.0f}", workers),
        .title = fmt::format("JSON, {:.0f} worker{}: documents per second", workers, workers == 1 ? "" : "s"),
        .caption =
            "001 Fig. 17 shows operations of Go's JSON libraries, 25.8 % faster on average with BWoS as Go's run "
            "queue. Here a task decodes or encodes one document, and each scheduler has its own queue; "
            "more is better. The line is serial code.",
        .kind = page::chart_kind::bars,
        .x = {.label = "what is done, and the size of the documents"},
        .y = {.label = "throughput relative to serial code"},
        .lines_or_groups = bars_of(
            rows,
            [&](const row& r) {
              return r.suite == experiment_name && workers_of(r) == workers && r.ratio_to_sequential.has_value();
            },
            [](const row& r) { return r.ratio_to_sequential.value(); }),
        .reference = 1.0,
        .reference_label = "serial code"};
    if (!c.lines_or_groups.empty()) all.push_back(std::move(c));
  }
  return all;
}

}  // namespace

experiment json_experiment() {
  return {
      .name = experiment_name,
      .title = "JSON: a task for each document",
      .source = "001 section 6.3.3, Fig. 17",
      .summary =
          "Generated documents are decoded and encoded, each by a task of its own, a fraction of a microsecond to a "
          "millisecond long; one thread spawns them all. The paper put BWoS into Go's runtime and saw operations of "
          "nine "
          "JSON libraries become 25.8 % faster on average.",
      .parts = parts,
      .claims = claims,
      .charts = charts};
}

}  // namespace pilfer::lab::experiments
