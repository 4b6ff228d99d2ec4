// The experiment fairness: FIFO against LIFO by how long tasks wait.
#include <algorithm>
#include <array>
#include <cmath>

#include "lab/balance/experiments.hpp"
#include "lab/balance/rows.hpp"
#include "lab/balance/waiting.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/run_log.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace balance;

constexpr const char* fairness_name = "fairness";
constexpr std::size_t most_samples = 1000;

struct queue_kind {
  const char* scheduler;
  const char* order;  // in which a worker takes its own tasks
};
constexpr std::array kinds = {
    queue_kind{plain_fifo, "fifo"},  queue_kind{"bwos-fifo", "fifo"},    queue_kind{"ws-global", "fifo"},
    queue_kind{"bwos-lifo", "lifo"}, queue_kind{"ws-chase-lev", "lifo"}, queue_kind{"default", "lifo"},
};

double variance_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double one : values) mean += one;
  mean /= static_cast<double>(values.size());
  double sum = 0;
  for (const double one : values) sum += (one - mean) * (one - mean);
  return sum / static_cast<double>(values.size());
}

// Evenly chosen from all, in their order.
std::vector<double> thinned(const std::vector<double>& all) {
  if (all.size() <= most_samples) return all;
  std::vector<double> some;
  some.reserve(most_samples);
  for (std::size_t i = 0; i < most_samples; ++i) some.push_back(all[i * all.size() / most_samples]);
  return some;
}

// One scheduler's runs.
struct visitor {
  queue_kind kind;
  std::unique_ptr<waiting_room> room;
  run_log log;
  std::vector<double> all_us;     // of all runs
  std::vector<double> variances;  // of each run

  double sample(const waiting_plan& plan) {
    const auto timed = [&] {
      const waiting_run found = room->run(plan);
      all_us.insert(all_us.end(), found.waited_us.begin(), found.waited_us.end());
      variances.push_back(variance_of(found.waited_us));
      return found.seconds;
    };
    return log.watch(timed, [this] { return room->steals_so_far(); });
  }
};

row row_of_visitor(const visitor& one, const waiting_plan& plan, std::size_t workers,
                   const std::vector<double>& seconds) {
  row r{.suite = fairness_name,
        .name = std::string(name_of(plan.how)),
        .impl = one.kind.scheduler,
        .params = {{"order", one.kind.order},
                   {"workers", one.kind.scheduler == std::string_view(plain_fifo) ? 0 : workers},
                   {"tasks", plan.tasks},
                   {"fib", plan.fib}},
        .unit = "us",
        .samples = thinned(one.all_us),
        .ratio_to_sequential = {}};
  if (plan.how == arrival::steady) r.params["chains"] = plan.chains;
  one.log.write_to(r.extra);
  r.extra["oversubscribed"] = false;
  r.extra["variance_us2"] = median(one.variances);
  r.extra["variances_us2"] = one.variances;
  r.extra["p50_us"] = percentile(one.all_us, 50);
  r.extra["p99_us"] = percentile(one.all_us, 99);
  r.extra["max_us"] = *std::ranges::max_element(one.all_us);
  r.extra["run_ms"] = median(seconds) * 1e3;
  return r;
}

findings measure(const waiting_plan& plan, const settings& given) {
  std::vector<visitor> visitors;
  for (const queue_kind& kind : kinds) {
    visitors.push_back({kind, make_waiting_room(kind.scheduler, given.processors), {}, {}, {}});
    static_cast<void>(visitors.back().room->run(plan));  // threads and memory are there
  }
  std::vector<contender> contenders;
  contenders.reserve(visitors.size());
  for (visitor& one : visitors) {
    contenders.push_back({one.kind.scheduler, [&one, &plan] { return one.sample(plan); }});
  }
  const sample_matrix seconds =
      run_interleaved(contenders, by_effort<std::size_t>(given, 2, 25, 101), name_of(plan.how));
  findings found;
  for (std::size_t i = 0; i < visitors.size(); ++i) {
    found.rows.push_back(row_of_visitor(visitors[i], plan, given.processors, seconds[i]));
  }
  return found;
}

std::vector<part> parts_of(const settings& given) {
  const std::size_t chains = by_effort<std::size_t>(given, 10, 50, 50);
  const std::size_t tasks = by_effort<std::size_t>(given, 50, 1000, 1000);
  const int fib = by_effort(given, 10, 18, 20);
  std::vector<part> parts;
  for (const arrival how : {arrival::batch, arrival::steady}) {
    const waiting_plan plan{.how = how, .tasks = tasks, .chains = chains, .fib = fib};
    parts.push_back({std::string(name_of(how)), [plan, given] { return measure(plan, given); }});
  }
  return parts;
}

const row* found_row(const std::vector<row>& rows, std::string_view name, std::string_view impl) {
  const auto found = std::ranges::find_if(
      rows, [&](const row& one) { return one.suite == fairness_name && one.name == name && one.impl == impl; });
  return found == rows.end() ? nullptr : &*found;
}

// Variance of the one over the other's, run by run.
std::optional<estimate> variance_ratio(const std::vector<row>& rows, std::string_view name, const char* of,
                                       const char* to) {
  const row* const a = found_row(rows, name, of);
  const row* const b = found_row(rows, name, to);
  if (a == nullptr || b == nullptr) return std::nullopt;
  const std::vector<double> over = extra_numbers(*a, "variances_us2");
  const std::vector<double> under = extra_numbers(*b, "variances_us2");
  if (over.empty() || over.size() != under.size() || std::ranges::find(under, 0.0) != under.end()) return std::nullopt;
  return paired_ratio(over, under);
}

std::vector<claim> claims_of(const std::vector<row>& rows, const settings& /*given*/) {
  claim c{.id = "fairness_fifo_vs_lifo",
          .text = "variance of the waiting time, chains of tasks: block-based FIFO / LIFO",
          .paper = {},
          .goal = {},
          .measured = {},
          .note = {},
          .goal_is = goal_side::at_most,
          .suite = fairness_name};
  c.measured = variance_ratio(rows, "steady", "bwos-fifo", "bwos-lifo");
  if (!c.measured) {
    leave_unshown(c, "bwos-fifo and bwos-lifo were not measured together");
    return {c};
  }
  const auto say = [&](const char* text, const std::optional<estimate>& ratio) {
    if (ratio) c.note += fmt::format("{}{} {:.3g}", c.note.empty() ? "" : "; ", text, ratio->value);
  };
  say("one batch:", variance_ratio(rows, "batch", "bwos-fifo", "bwos-lifo"));
  say("ws-global / ws-chase-lev, chains:", variance_ratio(rows, "steady", "ws-global", "ws-chase-lev"));
  say("one batch:", variance_ratio(rows, "batch", "ws-global", "ws-chase-lev"));
  return {c};
}

std::vector<page::chart> charts_of(const std::vector<row>& rows) {
  std::vector<page::chart> charts;
  for (const arrival how : {arrival::batch, arrival::steady}) {
    page::chart c{
        .id = fmt::format("fairness-{}", name_of(how)),
        .title = how == arrival::batch ? "How long tasks of one batch wait" : "How long tasks wait whose chains go on",
        .caption = how == arrival::batch
                       ? "All tasks are spawned at once by one worker. Somebody has to be last: the order changes who, "
                         "and hardly how the waiting times spread."
                       : "Each task spawns the next one of its chain. A LIFO goes on with the same chain, which waits "
                         "for nothing, and lets the others wait until it ends; a FIFO takes turns.",
        .kind = page::chart_kind::violins,
        .x = {"scheduler", false},
        .y = {"waiting time (us)", false},
        .lines_or_groups = {},
        .reference = {},
        .reference_label = {}};
    for (const char* order : {"fifo", "lifo"}) {
      page::series s{order, {}};
      for (const row& one : rows) {
        if (one.suite != fairness_name || one.name != name_of(how) || one.params.value("order", "") != order ||
            one.samples.empty()) {
          continue;
        }
        page::point p = bar_point(one.impl, median(one.samples));
        p.samples = one.samples;
        s.points.push_back(std::move(p));
      }
      add_series(c, std::move(s));
    }
    experiments::add_if_filled(charts, std::move(c));
  }
  return charts;
}

}  // namespace

experiment fairness_experiment() {
  return {.name = fairness_name,
          .title = "Fairness: how long tasks wait, FIFO against LIFO",
          .source = "000 section 6",
          .summary =
              "Small tasks are spawned by a worker of the pool, all at once or each by the one before it in its chain; "
              "measured is the time from a task's spawn to its begin. 000 names the comparison of FIFO and LIFO as "
              "future work, so there is no figure to compare with.",
          .parts = parts_of,
          .claims = claims_of,
          .charts = charts_of,
          .quick_seconds = 5};
}

}  // namespace pilfer::lab::experiments
