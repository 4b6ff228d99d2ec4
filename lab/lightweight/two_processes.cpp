// The experiment two-processes: 004's motivation. Two programs, each with as many workers as there are processors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <sstream>
#include <system_error>

#include "lab/balance/rows.hpp"
#include "lab/lightweight/experiments.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/run_log.hpp"
#include "lab/programs/workload.hpp"
#include "lab/schedulers/child_process.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace balance;
using programs::program;
using programs::workload;
using schedulers::child_process;

constexpr const char* two_processes_name = "two-processes";
constexpr const char* tool = "pilfer";  // the program that knows `lab child`
constexpr std::array who = {"serial", "ws-abp", "ws-chase-lev", "bwos-lifo", "lcws-signal", "default", "onetbb"};

struct child_answer {
  double begin = 0;
  double seconds = 0;
  run_costs costs;
};

child_answer understood_answer(const std::string& line) {
  std::istringstream text(line);
  child_answer found;
  std::string stolen;
  text >> found.begin >> found.seconds >> found.costs.voluntary_switches >> found.costs.involuntary_switches >> stolen;
  if (!text) throw std::runtime_error(fmt::format("two-processes: a child answered '{}'", line));
  if (stolen != "-") found.costs.stolen = std::stoull(stolen);
  return found;
}

// Two processes of the same program and scheduler. They sleep until they are asked.
class couple {
 public:
  explicit couple(const std::vector<std::string>& command)
      : first_(command, schedulers::complaints::shown), second_(command, schedulers::complaints::shown) {
    expect_ready(first_);
    expect_ready(second_);
  }

  double alone(run_log& log) {
    const child_answer one = understood_answer(first_.ask("go"));
    log.add(one.costs);
    return one.seconds;
  }

  // From the first one's begin until both are done.
  double together(run_log& log, std::vector<double>& slower_over_faster) {
    first_.say("go");
    second_.say("go");
    const child_answer a = understood_answer(first_.read_line());
    const child_answer b = understood_answer(second_.read_line());
    run_costs both{a.costs.voluntary_switches + b.costs.voluntary_switches,
                   a.costs.involuntary_switches + b.costs.involuntary_switches, std::nullopt};
    if (a.costs.stolen && b.costs.stolen) both.stolen = *a.costs.stolen + *b.costs.stolen;
    log.add(both);
    slower_over_faster.push_back(std::max(a.seconds, b.seconds) / std::min(a.seconds, b.seconds));
    return std::max(a.begin + a.seconds, b.begin + b.seconds) - std::min(a.begin, b.begin);
  }

 private:
  static void expect_ready(child_process& child) {
    const std::string said = child.read_line();
    if (said != "ready") throw std::runtime_error(fmt::format("two-processes: a child said '{}'", said));
  }
  child_process first_;
  child_process second_;
};

struct pairing {
  std::string scheduler;
  std::unique_ptr<couple> processes;
  run_log alone_log;
  run_log together_log;
  std::vector<double> slower_over_faster;
};

row row_of_pairing(const workload& what, const pairing& one, std::size_t workers, std::size_t processes,
                   const std::vector<double>& seconds) {
  row r{.suite = two_processes_name,
        .name = std::string(programs::name_of(what.what)),
        .impl = one.scheduler,
        .params = {{"size", what.size}, {"workers", workers}, {"processes", processes}},
        .unit = "ms",
        .samples = seconds,
        .ratio_to_sequential = {}};
  for (double& each : r.samples) each *= 1e3;
  const run_log& log = processes == 1 ? one.alone_log : one.together_log;
  log.write_to(r.extra);
  r.extra["oversubscribed"] = processes == 2 && workers > 0;
  if (processes == 2) r.extra["slower_over_faster"] = median(one.slower_over_faster);
  return r;
}

// A child that ends because of Ctrl-C is no error of the child's.
template <class Sample>
double sample_of(Sample&& sample) {
  try {
    return sample();
  } catch (const std::runtime_error&) {
    throw_if_interrupted();
    throw;
  }
}

findings measure(const workload& what, const std::vector<std::string>& child, const settings& given) {
  findings found;
  std::vector<pairing> pairings;
  for (const char* name : who) {
    const schedulers::entry* const entry = schedulers::find_scheduler(name);
    if (entry == nullptr || !entry->make) {
      found.notes.push_back(fmt::format("{}: {}", name, entry == nullptr ? "there is none" : entry->why_unavailable));
      continue;
    }
    throw_if_interrupted();
    std::vector<std::string> command = child;
    command.insert(command.end(), {std::string(programs::name_of(what.what)), name, std::to_string(given.processors),
                                   std::to_string(what.size), "1"});
    try {
      pairings.push_back({name, std::make_unique<couple>(command), {}, {}, {}});
    } catch (const std::runtime_error& wrong) {
      throw_if_interrupted();
      // A peer's crash is worth a note; one of ours is a failure.
      if (entry->of != schedulers::family::peer) throw;
      found.notes.push_back(fmt::format("{}: {}", name, wrong.what()));
    }
  }
  std::vector<contender> contenders;
  for (pairing& one : pairings) {
    contenders.push_back(
        {one.scheduler + ", alone", [&one] { return sample_of([&] { return one.processes->alone(one.alone_log); }); }});
    contenders.push_back({one.scheduler + ", two", [&one] {
                            return sample_of(
                                [&] { return one.processes->together(one.together_log, one.slower_over_faster); });
                          }});
  }
  const sample_matrix seconds =
      run_interleaved(contenders, by_effort<std::size_t>(given, 2, 5, 21), programs::name_of(what.what));
  for (std::size_t i = 0; i < pairings.size(); ++i) {
    const std::size_t workers = pairings[i].scheduler == schedulers::serial_name ? 0 : given.processors;
    for (const std::size_t processes : {1U, 2U}) {
      const std::vector<double>& own = seconds[2 * i + processes - 1];
      found.rows.push_back(row_of_pairing(what, pairings[i], workers, processes, own));
      // Serial code is the first of them.
      found.rows.back().ratio_to_sequential = paired_ratio(seconds[processes - 1], own);
    }
  }
  return found;
}

std::vector<part> parts_of(const settings& given, const std::vector<std::string>& child) {
  std::vector<part> parts;
  const std::array all = {
      workload{program::fib, by_effort<std::int64_t>(given, 12, 30, 34)},
      workload{program::uts_t1, by_effort<std::int64_t>(given, 3, 7, 10)},
  };
  parts.reserve(all.size());
  for (const workload& what : all) {
    parts.push_back({std::string(programs::name_of(what.what)), [what, child, given]() -> findings {
                       if (!child.empty()) return measure(what, child, given);
                       findings none;
                       none.notes.push_back(fmt::format(
                           "two-processes: left out, only the program `{}` can start itself as a child", tool));
                       return none;
                     }});
  }
  return parts;
}

const row* found_row(const std::vector<row>& rows, std::string_view name, std::string_view impl,
                     std::size_t processes) {
  const auto found = std::ranges::find_if(rows, [&](const row& one) {
    return one.suite == two_processes_name && one.name == name && one.impl == impl &&
           parameter(one, "processes") == processes;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> programs_in(const std::vector<row>& rows) {
  return balance::each_once(rows, two_processes_name, [](const row& one) { return one.name; });
}

// Time of both together over twice the time of one alone: 1 is a machine well shared.
std::optional<estimate> price_of_company(const std::vector<row>& rows, std::string_view name, std::string_view impl) {
  const row* const alone = found_row(rows, name, impl, 1);
  const row* const two = found_row(rows, name, impl, 2);
  if (!paired(two, alone)) return std::nullopt;
  const estimate ratio = paired_ratio(two->samples, alone->samples);
  return estimate{ratio.value / 2, ratio.low / 2, ratio.high / 2};
}

claim reported(const char* id, const char* text) {
  return {.id = id,
          .text = text,
          .paper = {},
          .goal = {},
          .measured = {},
          .note = {},
          .goal_is = goal_side::at_most,
          .suite = two_processes_name};
}

std::vector<claim> claims_of(const std::vector<row>& rows, const settings& /*given*/) {
  claim company =
      reported("two_processes_default", "two processes, default: time / twice the time of one alone, the worst");
  claim light = reported("two_processes_lcws", "two processes: time of lcws-signal / ws-abp, the worst program");
  for (const std::string& name : programs_in(rows)) {
    if (const auto price = price_of_company(rows, name, "default");
        price && (!company.measured || price->value > company.measured->value)) {
      company.measured = price;
      company.note = name;
    }
    const row* const signal = found_row(rows, name, "lcws-signal", 2);
    const row* const classic = found_row(rows, name, "ws-abp", 2);
    if (!paired(signal, classic)) continue;
    const estimate ratio = paired_ratio(signal->samples, classic->samples);
    if (!light.measured || ratio.value > light.measured->value) {
      light.measured = ratio;
      light.note = name;
    }
  }
  const std::string why = "no two processes were run";
  if (!company.measured) leave_unshown(company, why);
  if (!light.measured) leave_unshown(light, why);
  return {company, light};
}

std::vector<page::chart> charts_of(const std::vector<row>& rows) {
  page::chart price{.id = "two-processes-company",
                    .title = "Two programs at a time, each with a worker per processor",
                    .caption =
                        "Time until both are done, over twice the time of one alone. At 1 the two share the "
                        "processors without loss; above, they take them from each other in vain. Serial programs "
                        "need one processor each, and so gain.",
                    .kind = page::chart_kind::bars,
                    .x = {"program", false},
                    .y = {"time of two / (2 x time of one)", false},
                    .lines_or_groups = {},
                    .reference = 1.0,
                    .reference_label = "well shared"};
  page::chart switches{.id = "two-processes-switches",
                       .title = "Context switches of two programs at a time",
                       .caption =
                           "Median per run of both. Involuntary: a worker lost its processor to the other program. "
                           "Voluntary: it had nothing to do and slept.",
                       .kind = page::chart_kind::bars,
                       .x = {"program, kind of switch", false},
                       .y = {"context switches per run", false},
                       .lines_or_groups = {},
                       .reference = {},
                       .reference_label = {}};
  for (const char* impl : who) {
    page::series prices{impl, {}};
    page::series counts{impl, {}};
    for (const std::string& name : programs_in(rows)) {
      if (const auto one = price_of_company(rows, name, impl)) prices.points.push_back(bar_point(name, *one));
      const row* const two = found_row(rows, name, impl, 2);
      if (two == nullptr) continue;
      for (const char* kind : {"voluntary", "involuntary"}) {
        const auto count = balance::extra_number(*two, fmt::format("{}_switches", kind).c_str());
        if (count) counts.points.push_back(bar_point(fmt::format("{}, {}", name, kind), *count));
      }
    }
    add_series(price, std::move(prices));
    add_series(switches, std::move(counts));
  }
  std::vector<page::chart> charts;
  experiments::add_if_filled(charts, std::move(price));
  experiments::add_if_filled(charts, std::move(switches));
  return charts;
}

// A test program that started itself would run its tests again, and again.
std::vector<std::string> own_program() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || self.filename() != tool) return {};
  return {self.string(), "lab", "child"};
}

}  // namespace

experiment two_processes_experiment(const std::vector<std::string>& child) {
  return {.name = two_processes_name,
          .title = "Two programs on the same processors",
          .source = "004, sections 1 and 2",
          .summary =
              "The same program in two processes at a time, each with a worker per processor, against one alone. "
              "004 wants schedulers to be cheap where a program does not have all processors for itself, but "
              "prints no figure for this case.",
          .parts = [child](const settings& given) { return parts_of(given, child); },
          .claims = claims_of,
          .charts = charts_of,
          .quick_seconds = 8};
}

experiment two_processes_experiment() { return two_processes_experiment(own_program()); }

}  // namespace pilfer::lab::experiments
