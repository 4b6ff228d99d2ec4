// pilfer bench priorities
#include "lab/priorities/bench_priorities.hpp"

#include <fmt/format.h>

#include <memory>

#include <pilfer/pool_options.hpp>

#include "bench_command.hpp"
#include "command.hpp"

namespace pilfer::cli {
namespace {

namespace priorities = lab::priorities;

constexpr std::string_view bench_priorities_description =
    "Compare priorities, strict and relaxed, with a single deque per worker: order, cost and latency.\n"
    "\n"
    "Examples:\n"
    "  pilfer bench priorities --quick                               everything, small, in under a minute\n"
    "  pilfer bench priorities                                       everything, with up to 16 workers, some minutes\n"
    "  pilfer bench priorities --only scenario_4,fib --workers 2     two programs, two workers\n"
    "  pilfer bench priorities --only latency                        how long a level-0 request waits\n"
    "  pilfer bench priorities --design strict,single --levels 8     two designs, eight levels\n"
    "  pilfer bench priorities --json result.json                    with all samples, see docs/json-schema.md\n"
    "\n"
    "Samples of all designs are interleaved; ratios are of samples taken close together. Every result is checked, and\n"
    "that every task ran exactly once. Inversions are counted in runs that are not timed. See docs/benchmarking.md.\n"
    "\n"
    "Programs: {}\n"
    "Designs: {}\n";

struct bench_priorities_options {
  priorities::bench_settings settings;
  program_options common;
};

int run_bench_priorities(const bench_priorities_options& chosen) {
  priorities::bench_settings settings = chosen.settings;
  chosen.common.apply_to(settings);
  return run_suite(chosen.common.json,
                   [&](const shower& show) { return priorities::bench_priorities(settings, show); });
}

}  // namespace

void add_bench_priorities(CLI::App& to, action& chosen) {
  auto given = std::make_shared<bench_priorities_options>();
  CLI::App* command = to.add_subcommand("priorities", fmt::format(fmt::runtime(bench_priorities_description),
                                                                  listed_in_lines(priorities::program_names(), 10, 100),
                                                                  listed_in_lines(priorities::design_names(), 9, 100)));
  add_names(*command, {.option = "--design", .kind = "design", .kinds = "designs", .known = priorities::design_names()},
            given->settings.designs, "Only these, separated by commas, and serial code (all)");
  add_names(*command,
            {.option = "--only", .kind = "program", .kinds = "programs", .known = priorities::program_names()},
            given->settings.programs, "Only these programs, separated by commas (all)");
  add_number(
      *command, "--levels", priorities::fewest_levels, most_levels,
      [given](std::uint64_t n) { given->settings.levels = static_cast<unsigned>(n); },
      fmt::format("Levels of priority ({})", priorities::default_levels));
  add_program_options(*command, given->common, given->settings.workers, given->settings.repetitions,
                      "Fewer tasks, workers and repetitions: under a minute", "1, 2, 4, 8 and 16, with --quick to 4");
  command->callback([given, &chosen] { chosen = [given] { return run_bench_priorities(*given); }; });
}

}  // namespace pilfer::cli
