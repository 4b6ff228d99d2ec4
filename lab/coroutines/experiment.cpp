#include "lab/coroutines/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/schedulers/child_process.hpp"

namespace pilfer::lab::experiments {
namespace coroutines {
namespace {

constexpr double await_goal_ns = 10;
constexpr double resume_goal_ns = 25;
constexpr double elsewhere_goal_us = 1;
constexpr int few_rounds = 2;
constexpr int many_rounds = 12;

std::optional<std::uint64_t> allocations_of(const std::vector<std::string>& child, int rounds) {
  throw_if_interrupted();
  std::vector<std::string> command{"valgrind", "--undef-value-errors=no", "--leak-check=no", "--log-fd=1"};
  command.insert(command.end(), child.begin(), child.end());
  command.push_back(std::to_string(rounds));
  schedulers::child_process valgrind(command, schedulers::complaints::dropped);
  return allocations_in(valgrind.read_to_end());
}

claim await_claim(const std::vector<row>& rows) {
  claim of = at_most("await_ready_ns", "co_await of a task that is ready, ns", await_goal_ns);
  const row* const mine = find_row(rows, step_row, await_step);
  if (mine == nullptr) {
    of.note = cannot_be_shown("no step was measured");
    return of;
  }
  of.measured = median_estimate(mine->samples);
  if (const row* const call = find_row(rows, step_row, call_step)) {
    of.note = fmt::format("its frame is allocated and freed; a function call takes {:.1f} ns", median(call->samples));
  }
  return of;
}

claim resume_claim(const std::vector<row>& rows) {
  claim of =
      at_most("resume_here_ns", "a coroutine suspended, queued and resumed by the same worker, ns", resume_goal_ns);
  if (const row* const mine = find_row(rows, step_row, schedule_step)) {
    of.measured = median_estimate(mine->samples);
    of.note = "co_await pool.schedule(); the job lies in the coroutine's frame";
  } else {
    of.note = cannot_be_shown("no step was measured");
  }
  return of;
}

claim allocations_claim(const std::vector<row>& rows) {
  claim of = at_most("resume_allocations", "a coroutine suspended and resumed by the same worker, allocations", 0);
  if (const row* const mine = find_row(rows, allocations_row, resumed_impl)) {
    of.measured = median_estimate(mine->samples);
  } else {
    of.note = cannot_be_shown("allocations were not counted: valgrind is not installed, or cannot run this program");
  }
  return of;
}

claim elsewhere_claim(const std::vector<row>& rows, const settings& given) {
  claim of = at_most("resume_elsewhere_us", "from spawning a coroutine to its going on on another worker, median, us",
                     elsewhere_goal_us);
  if (given.processors < 2) {
    of.note = cannot_be_shown("another worker needs another processor");
    return of;
  }
  const row* const mine = find_row(rows, elsewhere_row, spawned);
  if (mine == nullptr) {
    of.note = cannot_be_shown("no hand-over was measured");
    return of;
  }
  of.measured = median_estimate(mine->samples);
  of.note = fmt::format("to a worker that is awake; 99 % within {:.2g} us", extra_number(*mine, "p99"));
  for (const char* other : {woken, helped, continued}) {
    if (const row* const r = find_row(rows, elsewhere_row, other)) {
      of.note += fmt::format("; {} {:.2f}", other, median(r->samples));
    }
  }
  return of;
}

claim work_first_claim(const std::vector<row>& rows, const settings& given) {
  claim of{.id = "work_first_vs_help_first",
           .text = "fib of coroutines: time with fork_now (work-first) / with fork (help-first)",
           .paper = {},
           .goal = {},
           .measured = {},
           .note = {}};
  const auto workers = static_cast<double>(given.processors);
  const auto ratio = [&](const char* program, double count) -> std::optional<estimate> {
    const row* const work = find_row(rows, program, work_first_impl, count);
    const row* const help = find_row(rows, program, help_first_impl, count);
    if (work == nullptr || help == nullptr || work->samples.size() != help->samples.size()) return std::nullopt;
    return paired_ratio(work->samples, help->samples);
  };
  of.measured = ratio(fib_program, workers);
  if (!of.measured) {
    of.note = cannot_be_shown(fmt::format("fib was not run both ways with {} workers", given.processors));
    return of;
  }
  of.note = fmt::format("{} workers", given.processors);
  if (const auto alone = ratio(fib_program, 1); alone && given.processors > 1) {
    of.note += fmt::format("; one worker {:.2f}", alone->value);
  }
  if (const auto tree = ratio(tree_program, workers)) of.note += fmt::format("; tree {:.2f}", tree->value);
  if (const row* const help = find_row(rows, fib_program, help_first_impl, workers)) {
    if (const row* const plain = find_row(rows, fib_program, fork_join_impl, workers);
        plain != nullptr && plain->samples.size() == help->samples.size()) {
      of.note += fmt::format("; help-first / fork_join {:.1f}", paired_ratio(help->samples, plain->samples).value);
    }
  }
  return of;
}

page::chart steps_chart(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "coroutines-steps";
  shown.title = "What a step of a coroutine costs, on one worker";
  shown.caption =
      "Nobody else is there: no lock is contended, no channel full. A task's frame comes from the thread's own memory.";
  shown.kind = page::chart_kind::bars;
  shown.x.label = "step";
  shown.y = {.label = "ns", .logarithmic = true};
  shown.reference = await_goal_ns;
  shown.reference_label = "goal for a ready task";
  page::series all{.name = "one worker", .points = {}};
  for (const row& r : rows) {
    if (r.name == step_row) all.points.push_back(point_for(r.impl, median_estimate(r.samples)));
  }
  shown.lines_or_groups.push_back(std::move(all));
  return shown;
}

page::chart elsewhere_chart(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "coroutines-elsewhere";
  shown.title = "Going on on another worker";
  shown.caption =
      "From just before the hand-over until the coroutine runs on the other worker, which is awake and looks for work. "
      "spawn and fork: a new coroutine. receive: one that has waited for a value. fork_now: the continuation of who "
      "forks.";
  shown.kind = page::chart_kind::violins;
  shown.x.label = "how it is handed over";
  shown.y = {.label = "us", .logarithmic = true};
  shown.reference = elsewhere_goal_us;
  shown.reference_label = "goal for the median";
  page::series all{.name = "two workers", .points = {}};
  for (const row& r : rows) {
    if (r.name != elsewhere_row) continue;
    page::point one;
    one.category = r.impl;
    one.y = median(r.samples);
    one.samples = r.samples;
    all.points.push_back(std::move(one));
  }
  shown.lines_or_groups.push_back(std::move(all));
  return shown;
}

page::chart forks_chart(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "coroutines-forks";
  shown.title = "Help-first and work-first forks of coroutines";
  shown.caption =
      "003 section II and 000's Nowa fork work-first: the child runs, the continuation is stolen. fib is nothing but "
      "forks; the leaves of the tree work for about half a microsecond. fork_join keeps its children on the stack, "
      "which "
      "coroutines cannot: it is what forks should be made with where nothing has to wait.";
  shown.kind = page::chart_kind::bars;
  shown.x.label = "program, workers";
  shown.y = {.label = "time / serial", .logarithmic = true};
  shown.reference = 1;
  shown.reference_label = "serial code";
  for (const char* impl : {fork_join_impl, help_first_impl, work_first_impl}) {
    page::series one{.name = impl, .points = {}};
    for (const row& r : rows) {
      if (r.impl != impl || (r.name != fib_program && r.name != tree_program)) continue;
      const row* const serial = find_row(rows, r.name, serial_impl);
      if (serial == nullptr || serial->samples.size() != r.samples.size()) continue;
      one.points.push_back(
          point_for(fmt::format("{}, {}", r.name, workers_of(r)), paired_ratio(r.samples, serial->samples)));
    }
    shown.lines_or_groups.push_back(std::move(one));
  }
  return shown;
}

}  // namespace

std::optional<std::uint64_t> allocations_in(const std::string& valgrind_output) {
  constexpr std::string_view key = "total heap usage: ";
  const auto found = valgrind_output.find(key);
  if (found == std::string::npos) return std::nullopt;
  std::string digits;  // in groups of three
  for (auto at = found + key.size(); at < valgrind_output.size(); ++at) {
    const char each = valgrind_output[at];
    if (each >= '0' && each <= '9') {
      digits += each;
    } else if (each != ',') {
      break;
    }
  }
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (digits.empty() || error != std::errc()) return std::nullopt;
  return count;
}

findings count_allocations(const std::vector<std::string>& child, const settings& /*given*/) {
  findings found;
  std::string why_not = "valgrind could not run this program";
  try {
    const auto few = allocations_of(child, few_rounds);
    const auto many = allocations_of(child, many_rounds);
    if (few && many) {
      const double resumptions = (many_rounds - few_rounds) * static_cast<double>(resumptions_of_round);
      found.rows.push_back({.suite = suite_name,
                            .name = allocations_row,
                            .impl = resumed_impl,
                            .params = {{"steps", resumptions}, {"workers", 1}},
                            .unit = "allocations",
                            .samples = {(static_cast<double>(*many) - static_cast<double>(*few)) / resumptions},
                            .ratio_to_sequential = {}});
      return found;
    }
  } catch (const std::system_error&) {
    why_not = "valgrind is not installed";
  }
  found.notes.push_back("allocations: " + why_not);
  return found;
}

std::vector<claim> claims(const std::vector<row>& rows, const settings& given) {
  std::vector<claim> all{await_claim(rows), resume_claim(rows), allocations_claim(rows), elsewhere_claim(rows, given),
                         work_first_claim(rows, given)};
  for (claim& each : all) each.suite = suite_name;
  return all;
}

std::vector<page::chart> charts(const std::vector<row>& rows) {
  std::vector<page::chart> all;
  add_if_filled(all, steps_chart(rows));
  add_if_filled(all, elsewhere_chart(rows));
  add_if_filled(all, forks_chart(rows));
  return all;
}

}  // namespace coroutines

std::vector<std::string> usual_resume_child() {
  return {std::filesystem::read_symlink("/proc/self/exe").string(), "lab", "child", "resume"};
}

experiment coroutines_experiment(std::vector<std::string> child) {
  using namespace coroutines;
  return {
      .name = suite_name,
      .title = "Coroutines: their cost, their way to other workers, and two ways to fork",
      .source = "ours; 003 section II and 000's Nowa for work-first forks",
      .summary =
          "What each step of a coroutine costs on one worker, and that resuming allocates nothing; how soon another "
          "worker goes on with a coroutine that "
          "was handed to it; and fib and an uneven tree as coroutines that fork help-first (thieves take the child) "
          "or work-first (thieves take the continuation), beside fork_join and serial code.",
      .parts =
          [child = std::move(child)](const settings& given) {
            return std::vector<part>{
                {.name = step_row, .run = [given] { return measure_steps(given); }},
                {.name = allocations_row, .run = [given, child] { return count_allocations(child, given); }},
                {.name = elsewhere_row, .run = [given] { return measure_elsewhere(given); }},
                {.name = fib_program, .run = [given] { return measure_forks(fib_program, given); }},
                {.name = tree_program, .run = [given] { return measure_forks(tree_program, given); }}};
          },
      .claims = claims,
      .charts = charts,
      .quick_seconds = 12};
}

}  // namespace pilfer::lab::experiments
