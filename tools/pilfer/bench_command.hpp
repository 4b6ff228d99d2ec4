// What the suites of benchmarks have in common on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/programs/workload.hpp"

namespace pilfer::cli {

// Names that an option takes, separated by commas.
struct name_option {
  std::string option;  // "--queue"
  std::string kind;    // "queue"
  std::string kinds;   // "queues"
  std::vector<std::string> known;
  std::function<std::string(std::string_view)> why_unavailable{};  // empty if it is there; may be missing
  std::string everything{};  // a name that stands for all of them, if there is one
};
// Anything else than a name that is known and available is an error that says so.
void add_names(CLI::App& command, const name_option& names, std::vector<std::string>& chosen, const std::string& text);

// The options of suites that run programs of several sizes.
struct program_options {
  bool quick = false;
  bool tiny = false;
  std::optional<std::size_t> repetitions;
  std::string json;

  static constexpr std::size_t quick_repetitions = 7;

  template <class Settings>
  void apply_to(Settings& settings) const {
    using lab::programs::scale;
    if (quick) {
      settings.repetitions = quick_repetitions;
      settings.size = scale::quick;
    }
    if (tiny) settings.size = scale::tiny;
    if (repetitions) settings.repetitions = *repetitions;
  }
};
// --workers, --repetitions, --quick and --json; and --tiny for tests, which the help does not name.
void add_program_options(CLI::App& command, program_options& options, std::vector<std::size_t>& workers,
                         std::size_t full_repetitions, const std::string& quick_text,
                         const std::string& usual_workers = "1, 2 and as many as there are processors");

void add_json(CLI::App& command, std::string& file);

// Runs a suite, which shows its tables as it goes, and writes its report into the file named, if any. Returns a code of
// exit.
using shower = std::function<void(std::string_view)>;
[[nodiscard]] int run_suite(const std::string& json, const std::function<lab::report(const shower&)>& suite);

}  // namespace pilfer::cli
