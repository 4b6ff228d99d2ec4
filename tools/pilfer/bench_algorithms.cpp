// pilfer bench algorithms
#include "lab/algorithms/bench_algorithms.hpp"

#include <fmt/format.h>

#include <memory>

#include "bench_command.hpp"
#include "command.hpp"
#include "lab/algorithms/problems.hpp"

namespace pilfer::cli {
namespace {

namespace algorithms = lab::algorithms;

constexpr std::string_view bench_algorithms_description =
    "Compare loops, sorts, reductions and scans with serial code and other libraries.\n"
    "\n"
    "Examples:\n"
    "  pilfer bench algorithms --quick                            everything, small, in under a minute\n"
    "  pilfer bench algorithms                                    everything, some minutes and 3 GB of memory\n"
    "  pilfer bench algorithms --only sort_int,scan --workers 2   two problems, two workers\n"
    "  pilfer bench algorithms --library pilfer,onetbb --quick    two libraries (and serial code)\n"
    "  pilfer bench algorithms --json result.json                 with all samples, see docs/json-schema.md\n"
    "\n"
    "Samples of all libraries are interleaved; ratios are of samples taken close together. Every answer is checked.\n"
    "See docs/benchmarking.md.\n"
    "\n"
    "Problems: {}\n"
    "Libraries: {}\n";

struct bench_algorithms_options {
  algorithms::bench_settings settings;
  program_options common;
};

int run_bench_algorithms(const bench_algorithms_options& chosen) {
  algorithms::bench_settings settings = chosen.settings;
  chosen.common.apply_to(settings);
  return run_suite(chosen.common.json,
                   [&](const shower& show) { return algorithms::bench_algorithms(settings, show); });
}

}  // namespace

void add_bench_algorithms(CLI::App& to, action& chosen) {
  auto given = std::make_shared<bench_algorithms_options>();
  CLI::App* command =
      to.add_subcommand("algorithms", fmt::format(fmt::runtime(bench_algorithms_description),
                                                  listed_in_lines(algorithms::problem_names(), 10, 100),
                                                  listed_in_lines(algorithms::library_names(), 11, 100)));
  add_names(*command,
            {.option = "--library",
             .kind = "library",
             .kinds = "libraries",
             .known = algorithms::library_names(),
             .why_unavailable = algorithms::why_unavailable},
            given->settings.libraries, "Only these, separated by commas, and serial code (all)");
  add_names(*command,
            {.option = "--only", .kind = "problem", .kinds = "problems", .known = algorithms::problem_names()},
            given->settings.problems, "Only these problems, separated by commas (all)");
  add_program_options(*command, given->common, given->settings.workers, given->settings.repetitions,
                      "Smaller problems and fewer repetitions: under a minute");
  command->callback([given, &chosen] { chosen = [given] { return run_bench_algorithms(*given); }; });
}

}  // namespace pilfer::cli
