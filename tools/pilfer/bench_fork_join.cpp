// pilfer bench fork-join
#include "lab/forkjoin/bench_fork_join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "command.hpp"
#include "lab/forkjoin/instructions.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/output.hpp"

namespace pilfer::cli {
namespace {

constexpr std::size_t quick_repetitions = 7;
constexpr std::uint64_t most_workers = 256;

constexpr std::string_view description =
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

struct options {
  lab::forkjoin::bench_settings settings;
  bool quick = false;
  bool tiny = false;
  std::optional<std::size_t> repetitions;
  std::string json;
  std::vector<std::string> instructions;
};

void choose_schedulers(lab::forkjoin::bench_settings& settings, const std::vector<std::string>& names) {
  const std::vector<std::string> known = lab::forkjoin::scheduler_names();
  for (const std::string& name : names) {
    if (name == lab::forkjoin::all_schedulers) continue;
    if (std::ranges::find(known, name) == known.end()) {
      refuse(
          fmt::format("--scheduler: there is no scheduler '{}'; the schedulers are: {}, and all", name, listed(known)));
    }
    if (const std::string why = lab::forkjoin::why_unavailable(name); !why.empty()) {
      refuse(fmt::format("--scheduler: '{}' cannot be run: {}", name, why));
    }
  }
  settings.schedulers = names;
}

void choose_programs(lab::forkjoin::bench_settings& settings, const std::vector<std::string>& names) {
  const std::vector<std::string> known = lab::forkjoin::program_names();
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) {
      refuse(fmt::format("--programs: there is no program '{}'; the programs are: {}", name, listed(known)));
    }
  }
  settings.programs = names;
}

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

int run(const options& chosen) {
  if (!chosen.instructions.empty()) return run_one_form(chosen.instructions);
  lab::forkjoin::bench_settings settings = chosen.settings;
  if (chosen.quick) {
    settings.repetitions = quick_repetitions;
    settings.size = lab::programs::scale::quick;
  }
  if (chosen.tiny) settings.size = lab::programs::scale::tiny;
  if (chosen.repetitions) settings.repetitions = *chosen.repetitions;

  std::optional<lab::output_file> file;
  if (!chosen.json.empty()) file.emplace(chosen.json);
  const bool tables = !file || !file->is_stdout();

  lab::note_interrupts();
  const lab::report report = lab::forkjoin::bench_fork_join(settings, [&](std::string_view text) {
    if (tables) lab::write_stdout(text);
  });
  if (file) file->write(lab::json_text(report));
  return success;
}

}  // namespace

void add_bench_fork_join(CLI::App& to, action& chosen) {
  auto given = std::make_shared<options>();
  CLI::App* command = to.add_subcommand(
      "fork-join", fmt::format(fmt::runtime(description), listed_in_lines(lab::forkjoin::program_names(), 10, 100),
                               listed_in_lines(lab::forkjoin::scheduler_names(), 12, 100)));

  const auto add_names = [&](const char* name, auto choose, const char* text) {
    command
        ->add_option_function<std::vector<std::string>>(
            name, [given, choose](const std::vector<std::string>& names) { choose(given->settings, names); }, text)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAMES");
  };
  add_names("--scheduler", choose_schedulers,
            "Only these, separated by commas, and serial code; 'all' is every one (default, its forms and the peers)");
  add_names("--programs", choose_programs, "Only these, separated by commas (all)");
  command
      ->add_option_function<std::vector<std::string>>(
          "--workers",
          [given](const std::vector<std::string>& numbers) {
            given->settings.workers.clear();
            for (const std::string& text : numbers) {
              given->settings.workers.push_back(whole_number("--workers", text, 1, most_workers));
            }
          },
          "Numbers of workers, separated by commas (1, 2 and as many as there are processors)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  add_number(
      *command, "--repetitions", 1, 100'000, [given](std::uint64_t n) { given->repetitions = n; },
      fmt::format("Samples of each ({}, with --quick {})", given->settings.repetitions, quick_repetitions));
  command->add_flag("--quick", given->quick, "Smaller programs and fewer repetitions: under a minute");
  command
      ->add_option("--json", given->json, "Write a report with all samples; - is standard output, then without tables")
      ->type_name("FILE");
  // Not in the help: for tests, and for callgrind.
  command->add_flag("--tiny", given->tiny, "Programs that take milliseconds: the figures mean nothing")->group("");
  command->add_option("--instructions", given->instructions, "Only fib, in this form")->expected(2)->group("");
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace pilfer::cli
