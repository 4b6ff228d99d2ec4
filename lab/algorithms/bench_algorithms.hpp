// `pilfer bench algorithms`: settings in, report and text out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/programs/workload.hpp"

namespace pilfer::lab::algorithms {

struct bench_settings {
  std::vector<std::string> libraries;  // by name; empty: all. Serial code is always there.
  std::vector<std::string> problems;   // by name; empty: all
  std::vector<std::size_t> workers;    // empty: 1, 2 and as many as there are processors
  std::size_t repetitions = 11;
  programs::scale size = programs::scale::full;
};

// Names that the settings may hold, in the order of the tables; see also problem_names().
[[nodiscard]] std::vector<std::string> library_names();

// Why a library that has a name is not in this build; empty if it is.
[[nodiscard]] std::string why_unavailable(std::string_view name);

// Runs the experiments. `show` gets each part of the text as soon as it is known.
//   Throws  std::invalid_argument for an unknown name; std::runtime_error for a wrong answer; `interrupted`; what `show`
//           throws.
[[nodiscard]] report bench_algorithms(const bench_settings& settings,
                                      const std::function<void(std::string_view)>& show);

}  // namespace pilfer::lab::algorithms
