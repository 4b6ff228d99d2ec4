// `pilfer bench priorities`: settings in, report and text out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/priorities/program.hpp"

namespace pilfer::lab::priorities {

struct bench_settings {
  std::vector<std::string> designs;   // by name; empty: all. Serial code is always there.
  std::vector<std::string> programs;  // by name; empty: all
  std::vector<std::size_t> workers;   // empty: as 003 and beyond, 1 to 16; to 4 if it is to be quick
  unsigned levels = default_levels;
  std::size_t repetitions = 21;
  scale size = scale::full;
};

// Names that the settings may hold, in the order of the tables.
[[nodiscard]] std::vector<std::string> design_names();
[[nodiscard]] std::vector<std::string> program_names();

// Runs the experiments. `show` gets each part of the text as soon as it is known.
//   Throws  std::invalid_argument for an unknown name; std::runtime_error for a wrong result; `interrupted`; what `show` throws.
[[nodiscard]] report bench_priorities(const bench_settings& settings,
                                      const std::function<void(std::string_view)>& show);

}  // namespace pilfer::lab::priorities
