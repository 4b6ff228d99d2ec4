// pilfer verify --litmus, and --differential: the checker against known answers, and against the oracle.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "command.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/measure/table.hpp"
#include "litmus/differential.hpp"
#include "litmus/run.hpp"
#include "litmus/table.hpp"
#include "verify_command.hpp"

namespace pilfer::cli {
namespace {

namespace litmus = model::litmus;

// Its executions per second come from passes over the whole set, at least so many and so long.
constexpr std::size_t least_passes = 5;
constexpr double least_seconds_of_passes = 0.5;

struct parsed_test {
  const litmus::litmus_test* test;
  litmus::program program;
};

struct found_answer {
  litmus::answer answer;
  model::result search;
};

model::options with(model::sc_mode sc) {
  model::options how;
  how.sc = sc;
  return how;
}

found_answer ask_checker(const parsed_test& of, model::sc_mode sc) {
  const litmus::run_result found = litmus::check_outcomes(of.program, with(sc));
  const bool seen = litmus::condition(of.test->outcome, of.program).holds_somewhere(found.outcomes);
  return {{seen ? litmus::verdict::allowed : litmus::verdict::forbidden, found.search.graphs}, found.search};
}

const char* to_text(litmus::verdict v) { return v == litmus::verdict::allowed ? "allowed" : "forbidden"; }

bool right(const found_answer& found, const litmus::answer& expected) {
  return found.search.passed() && found.search.exhausted && found.answer == expected;
}

std::vector<std::string> cells(const parsed_test& of, const found_answer& axiomatic, const found_answer& executed,
                               bool ok) {
  const auto with_brackets = [](const auto& rc11, const auto& in_order) {
    return rc11 == in_order ? fmt::format("{}", rc11) : fmt::format("{} ({})", rc11, in_order);
  };
  const auto verdicts = [&](const litmus::answer& rc11, const litmus::answer& in_order) {
    return with_brackets(std::string(to_text(rc11.outcome)), std::string(to_text(in_order.outcome)));
  };
  const litmus::answer& rc11 = of.test->rc11;
  const litmus::answer& in_order = of.test->sc_execution;
  const auto verdict_text = [&]() -> std::string {
    if (ok) return "ok";
    const std::string found = verdicts(axiomatic.answer, executed.answer);
    return found == verdicts(rc11, in_order) ? "FAILED: number of graphs" : "FAILED: found " + found;
  };
  return {std::string(of.test->name), verdicts(rc11, in_order), with_brackets(rc11.graphs, in_order.graphs),
          with_brackets(axiomatic.answer.graphs, executed.answer.graphs), verdict_text()};
}

lab::row litmus_json_row(const parsed_test& of, const found_answer& axiomatic, const found_answer& executed, bool ok) {
  return {.suite = "verify",
          .name = fmt::format("litmus/{}", of.test->name),
          .impl = "checker",
          .params = {{"program", std::string(of.test->program)}, {"outcome", std::string(of.test->outcome)}},
          .unit = "s",
          .samples = {executed.search.seconds},
          .ratio_to_sequential = {},
          .extra = {{"mode", "exhaustive"},
                    {"executions", executed.search.executions},
                    {"cut_off", executed.search.cut_off},
                    {"graphs", executed.search.graphs},
                    {"graphs_expected", of.test->sc_execution.graphs},
                    {"graphs_rc11", axiomatic.search.graphs},
                    {"graphs_rc11_expected", of.test->rc11.graphs},
                    {"exhausted", executed.search.exhausted && axiomatic.search.exhausted},
                    {"bound_hit", executed.search.bound_hit},
                    {"verdict", ok ? "ok" : "failed"}}};
}

// Enough to see what is wrong.
std::string first_lines(const std::string& text) {
  constexpr std::size_t shown = 20;
  std::size_t end = 0;
  for (std::size_t n = 0; n < shown; ++n) {
    end = text.find('\n', end);
    if (end == std::string::npos) return text;
    ++end;
  }
  const auto left = std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n');
  return left == 0 ? text : text.substr(0, end) + fmt::format("  ... {} more lines\n", left);
}

// Nothing if interrupted.
std::optional<lab::estimate> measured_rate(const std::vector<parsed_test>& tests, const live_output& out) {
  std::vector<double> rates;
  double spent = 0;
  while (rates.size() < least_passes || spent < least_seconds_of_passes) {
    std::uint64_t executions = 0;
    const double start = out.seconds();
    for (const parsed_test& each : tests)
      executions += litmus::check_outcomes(each.program, with(model::sc_mode::execution)).search.executions;
    const double seconds = out.seconds() - start;
    if (out.stop()) return std::nullopt;
    rates.push_back(static_cast<double>(executions) / seconds);
    spent += seconds;
  }
  return lab::median_estimate(rates);
}

std::string litmus_summary(const litmus_outcome& of) {
  std::string text = fmt::format("{} litmus tests, {} failed, {} executions", of.tests, of.failed, of.executions);
  if (of.executions_per_second) {
    text += fmt::format("; {} executions/s on one core",
                        lab::short_count(static_cast<std::uint64_t>(of.executions_per_second->value)));
  }
  return text + "\n";
}

}  // namespace

litmus_outcome run_litmus_set(live_output& out) {
  lab::table shown({{"litmus test", lab::align::left},
                    {"outcome", lab::align::left},
                    {"graphs"},
                    {"found"},
                    {"verdict", lab::align::left}});
  lab::table wrong = shown;
  litmus_outcome made;
  std::vector<parsed_test> tests;
  for (const litmus::litmus_test& test : litmus::litmus_table()) tests.push_back({&test, litmus::parse(test.program)});
  for (const parsed_test& each : tests) {
    if (out.stop()) break;
    out.progress(fmt::format("litmus {} {}/{} {}", progress_bar(made.tests, tests.size()), made.tests, tests.size(),
                             each.test->name));
    const found_answer axiomatic = ask_checker(each, model::sc_mode::axiomatic);
    const found_answer executed = ask_checker(each, model::sc_mode::execution);
    const bool ok = right(axiomatic, each.test->rc11) && right(executed, each.test->sc_execution);
    ++made.tests;
    made.executions += axiomatic.search.executions + executed.search.executions;
    shown.add(cells(each, axiomatic, executed, ok));
    made.rows.push_back(litmus_json_row(each, axiomatic, executed, ok));
    if (ok) continue;
    ++made.failed;
    wrong.add(cells(each, axiomatic, executed, ok));
  }
  made.executions_per_second = measured_rate(tests, out);
  made.text = shown.text();
  if (made.failed > 0) made.failures = wrong.text();
  return made;
}

int verify_litmus(const verify_options& chosen) {
  std::optional<lab::output_file> file;
  if (!chosen.json.empty()) file.emplace(chosen.json);
  live_output out(file && file->is_stdout());
  lab::note_interrupts();
  lab::report report{.on = lab::describe_machine(), .rows = {}, .claims = {}};
  const litmus_outcome found = run_litmus_set(out);
  out.conclude(fmt::format(
      "{}\nIn brackets: with seq_cst operations that take effect as they are executed, where that differs from RC11.\n"
      "The programs: model/litmus/table.cpp\n\n{}{}",
      found.text, litmus_summary(found), blind_spots()));
  report.rows = found.rows;
  report.claims = verify_claims({.not_whole = "only the litmus set was run", .litmus = &found});
  if (file) file->write(lab::json_text(report));
  return found.failed == 0 ? success : failure;
}

int verify_differential(const verify_options& chosen) {
  live_output out;
  lab::note_interrupts();
  unsigned jobs = chosen.settings.jobs != 0 ? chosen.settings.jobs : std::max(std::thread::hardware_concurrency(), 1U);
  jobs = static_cast<unsigned>(std::min<std::uint64_t>(jobs, chosen.differential));

  std::mutex lock;  // guards the following, and the output
  litmus::differential_result sum;
  std::exception_ptr error;
  const auto run_part = [&](std::uint64_t count, std::uint64_t seed) {
    std::uint64_t counted = 0;
    const litmus::differential_result part = litmus::differential(count, seed, [&](std::uint64_t done) {
      const std::lock_guard guard(lock);
      sum.programs += done - counted;
      counted = done;
      out.progress(fmt::format("differential {} {}/{} programs", progress_bar(sum.programs, chosen.differential),
                               sum.programs, chosen.differential));
      return !out.stop();
    });
    const std::lock_guard guard(lock);
    sum.programs += part.programs - counted;
    sum.graphs += part.graphs;
    sum.mismatches += part.mismatches;
    const bool smaller = part.smallest_mismatch.size() < sum.smallest_mismatch.size();
    if (part.mismatches > 0 && (sum.smallest_mismatch.empty() || smaller))
      sum.smallest_mismatch = part.smallest_mismatch;
  };
  {
    std::vector<std::jthread> threads;
    std::uint64_t begun = 0;
    for (unsigned j = 0; j < jobs; ++j) {
      const std::uint64_t end = chosen.differential / jobs * (j + 1) + chosen.differential % jobs * (j + 1) / jobs;
      threads.emplace_back([&, count = end - begun, seed = chosen.seed + begun] {
        try {
          run_part(count, seed);
        } catch (...) {
          const std::lock_guard guard(lock);
          if (!error) error = std::current_exception();
        }
      });
      begun = end;
    }
  }
  if (error) std::rethrow_exception(error);
  std::string text = fmt::format(
      "{}{} random programs from seed {}: {} graphs, {} mismatches with the oracle, {:.1f} s\n",
      out.stop() ? "Interrupted after " : "", sum.programs, chosen.seed, sum.graphs, sum.mismatches, out.seconds());
  if (sum.mismatches > 0) text += "The smallest:\n" + first_lines(sum.smallest_mismatch) + "\n";
  out.conclude(text + blind_spots());
  return sum.mismatches == 0 ? success : failure;
}

}  // namespace pilfer::cli
