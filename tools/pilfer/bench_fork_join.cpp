// pilfer bench fork-join
#include "lab/forkjoin/bench_fork_join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench_command.hpp"
#include "command.hpp"
#include "lab/forkjoin/instructions.hpp"

namespace pilfer::cli {
namespace {

constexpr std::string_view bench_fork_join_description =
    "Compare what a fork costs, and how well work is shared, with serial code and other libraries.\n"
    "\n"
    "Examples:\n"
    "  pilfer bench fork-join --quick                                   everything, small, in under a minute\n"
    "  pilfer bench fork-join                                           everything, some minutes\n"
    "  pilfer bench fork-join --programs fib,nqueens --workers 1        two programs, one worker\n"
    "  pilfer bench fork-join --scheduler default,ws-chase-lev --quick  two schedulers (and serial code)\n"
    "  pilfer bench fork-join --scheduler all --quick                   every scheduler; takes a few minutes\n"
    "  pilfer bench fork-join --json result.json                        with all samples, see docs/json-schema.md\n"
    "\n"
    "Samples of all schedulers are interleaved; ratios are of samples taken close together. Every answer is checked.\n"
    "See docs/benchmarking.md.\n"
    "\n"
    "Programs: {}\n"
    "Schedulers: {}\n";

struct bench_fork_join_options {
  lab::forkjoin::bench_settings settings;
  program_options common;
  std::vector<std::string> instructions;
};

// For callgrind, see lab/forkjoin/instructions.hpp.
int run_one_form(const std::vector<std::string>& form_and_n) {
  const auto& forms = lab::forkjoin::instruction_forms();
  if (form_and_n.size() != 2 || std::ranges::find(forms, form_and_n[0]) == forms.end()) {
    fmt::print(stderr, "pilfer: --instructions: a form ({}) and a number are needed\n", listed(forms));
    return wrong_usage;
  }
  const auto n = static_cast<int>(whole_number("--instructions", form_and_n[1], 0, 45));
  return lab::forkjoin::run_for_instructions(form_and_n[0], n) ? success : failure;
}

int run_bench_fork_join(const bench_fork_join_options& chosen) {
  if (!chosen.instructions.empty()) return run_one_form(chosen.instructions);
  lab::forkjoin::bench_settings settings = chosen.settings;
  chosen.common.apply_to(settings);
  return run_suite(chosen.common.json,
                   [&](const shower& show) { return lab::forkjoin::bench_fork_join(settings, show); });
}

}  // namespace

void add_bench_fork_join(CLI::App& to, action& chosen) {
  auto given = std::make_shared<bench_fork_join_options>();
  CLI::App* command =
      to.add_subcommand("fork-join", fmt::format(fmt::runtime(bench_fork_join_description),
                                                 listed_in_lines(lab::forkjoin::program_names(), 10, 100),
                                                 listed_in_lines(lab::forkjoin::scheduler_names(), 12, 100)));

  add_names(*command,
            {.option = "--scheduler",
             .kind = "scheduler",
             .kinds = "schedulers",
             .known = lab::forkjoin::scheduler_names(),
             .why_unavailable = lab::forkjoin::why_unavailable,
             .everything = lab::forkjoin::all_schedulers},
            given->settings.schedulers,
            "Only these, separated by commas, and serial code; 'all' is every one (default, its forms and the peers)");
  add_names(*command,
            {.option = "--programs", .kind = "program", .kinds = "programs", .known = lab::forkjoin::program_names()},
            given->settings.programs, "Only these, separated by commas (all)");
  add_program_options(*command, given->common, given->settings.workers, given->settings.repetitions,
                      "Smaller programs and fewer repetitions: under a minute");
  // Not in the help: for callgrind.
  command->add_option("--instructions", given->instructions, "Only fib, in this form")->expected(2)->group("");
  command->callback([given, &chosen] { chosen = [given] { return run_bench_fork_join(*given); }; });
}

}  // namespace pilfer::cli
