#include "bench_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/output.hpp"

namespace pilfer::cli {
namespace {

constexpr std::uint64_t bench_most_workers = 256;
constexpr std::uint64_t bench_most_repetitions = 100'000;

void require_available(const name_option& names, const std::string& name) {
  if (!names.everything.empty() && name == names.everything) return;
  if (std::ranges::find(names.known, name) == names.known.end()) {
    refuse(fmt::format("{}: there is no {} '{}'; the {} are: {}{}", names.option, names.kind, name, names.kinds,
                       listed(names.known), names.everything.empty() ? "" : ", and " + names.everything));
  }
  if (!names.why_unavailable) return;
  if (const std::string why = names.why_unavailable(name); !why.empty()) {
    refuse(fmt::format("{}: '{}' cannot be run: {}", names.option, name, why));
  }
}

// An option that takes a list separated by commas.
void add_list(CLI::App& command, const std::string& option, const char* type,
              const std::function<void(const std::vector<std::string>&)>& set, const std::string& text) {
  command.add_option_function<std::vector<std::string>>(option, set, text)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name(type);
}

}  // namespace

void add_names(CLI::App& command, const name_option& names, std::vector<std::string>& chosen, const std::string& text) {
  add_list(
      command, names.option, "NAMES",
      [names, &chosen](const std::vector<std::string>& given) {
        for (const std::string& name : given) require_available(names, name);
        chosen = given;
      },
      text);
}

void add_json(CLI::App& command, std::string& file) {
  command.add_option("--json", file, "Write a report with all samples; - is standard output, then without tables")
      ->type_name("FILE");
}

void add_program_options(CLI::App& command, program_options& options, std::vector<std::size_t>& workers,
                         std::size_t full_repetitions, const std::string& quick_text,
                         const std::string& usual_workers) {
  add_list(
      command, "--workers", "LIST",
      [&workers](const std::vector<std::string>& numbers) {
        workers.clear();
        for (const std::string& text : numbers)
          workers.push_back(whole_number("--workers", text, 1, bench_most_workers));
      },
      fmt::format("Numbers of workers, separated by commas ({})", usual_workers));
  add_number(
      command, "--repetitions", 1, bench_most_repetitions, [&options](std::uint64_t n) { options.repetitions = n; },
      fmt::format("Samples of each ({}, with --quick {})", full_repetitions, program_options::quick_repetitions));
  command.add_flag("--quick", options.quick, quick_text);
  add_json(command, options.json);
  command.add_flag("--tiny", options.tiny, "What takes milliseconds: the figures mean nothing")->group("");
}

int run_suite(const std::string& json, const std::function<lab::report(const shower&)>& suite) {
  std::optional<lab::output_file> file;
  if (!json.empty()) file.emplace(json);
  const bool tables = !file || !file->is_stdout();

  lab::note_interrupts();
  const lab::report report = suite([&](std::string_view text) {
    if (tables) lab::write_stdout(text);
  });
  if (file) file->write(lab::json_text(report));
  return success;
}

}  // namespace pilfer::cli
