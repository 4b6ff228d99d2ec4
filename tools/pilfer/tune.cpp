// pilfer tune
#include "lab/tune/tune.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include <pilfer/pool.hpp>

#include "bench_command.hpp"
#include "command.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/output.hpp"

namespace pilfer::cli {
namespace {

namespace tune = lab::tune;

constexpr std::uint64_t tune_most_repetitions = 1000;
constexpr std::uint64_t most_seconds = 86'400;

constexpr std::string_view tune_description =
    "Find the scheduler that suits your own program, and whether it matters.\n"
    "\n"
    "Examples:\n"
    "  pilfer tune -- ./program --its-own option           under every scheduler, some hundred runs\n"
    "  pilfer tune --quick -- ./program                    half as many\n"
    "  pilfer tune --scheduler bwos-lifo,lace -- ./program two of them, beside the default\n"
    "  pilfer tune --same-output -- ./program              what it prints must not depend on the scheduler\n"
    "  pilfer tune --json result.json -- ./program         with all samples, see docs/json-schema.md\n"
    "\n"
    "The program is run as it is, with PILFER_SCHEDULER, PILFER_BLOCK_ENTRIES and PILFER_VICTIM set, in random order, "
    "and\n"
    "what it prints is dropped. It must end with 0 each time. What looks faster is measured once more before it is\n"
    "recommended. Let it take a tenth of a second or more, and the machine do nothing else.\n"
    "Link it with pilfer::research: otherwise it has the default scheduler only, and victim policies are compared.\n"
    "\n"
    "Schedulers: {}\n";

struct tune_options {
  tune::settings settings;
  std::optional<std::size_t> repetitions;
  std::string json;
};

int run_tune(const tune_options& given) {
  tune::settings settings = given.settings;
  if (settings.quick) settings.repetitions = tune::quick_repetitions;
  if (given.repetitions) settings.repetitions = *given.repetitions;
  std::optional<lab::output_file> file;
  if (!given.json.empty()) file.emplace(given.json);
  const bool tables = !file || !file->is_stdout();
  const auto show = [&](std::string_view text) {
    if (tables) lab::write_stdout(text);
  };

  lab::note_interrupts();
  lab::report report;
  report.on = lab::describe_machine();
  show(lab::machine_text(report.on) + "\n");
  const tune::tuning found = tune::tune(settings, show);
  show(tune::advice_text(found));
  if (found.interrupted_by != 0) {
    if (file) fmt::print(stderr, "pilfer: interrupted, no report was written\n");
    return 128 + found.interrupted_by;
  }
  report.add(tune::rows_of(found, std::filesystem::path(settings.command.front()).filename().string()));
  if (file) file->write(lab::json_text(report, tune::further_keys(found, settings)));
  return success;
}

}  // namespace

void add_tune(CLI::App& to, action& chosen) {
  auto given = std::make_shared<tune_options>();
  CLI::App* command = to.add_subcommand(
      "tune", fmt::format(fmt::runtime(tune_description), listed_in_lines(scheduler_names(), 12, 100)));
  add_names(*command, {.option = "--scheduler", .kind = "scheduler", .kinds = "schedulers", .known = scheduler_names()},
            given->settings.schedulers, "Only these, separated by commas, and the default (all)");
  add_number(
      *command, "--repetitions", 3, tune_most_repetitions, [given](std::uint64_t n) { given->repetitions = n; },
      fmt::format("Runs of each, after one to warm up ({}, with --quick {})", given->settings.repetitions,
                  tune::quick_repetitions));
  command->add_flag("--quick", given->settings.quick, "Fewer runs, and fewer victim policies");
  command->add_flag("--same-output", given->settings.same_output,
                    "A configuration fails if the program prints something else than with the default");
  add_number(
      *command, "--timeout", 1, most_seconds,
      [given](std::uint64_t n) { given->settings.limit = std::chrono::seconds(n); },
      "Seconds after which a run has failed (60)");
  add_json(*command, given->json);
  command->add_option("COMMAND", given->settings.command, "The program and its arguments, after --")->required();
  command->callback([given, &chosen] { chosen = [given] { return run_tune(*given); }; });
}

}  // namespace pilfer::cli
