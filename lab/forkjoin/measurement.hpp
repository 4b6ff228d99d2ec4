// Programs x schedulers x numbers of workers, interleaved: everything that runs a program takes turns with everything else
// that runs it, so that any two of its samples with the same index are a pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/programs/workload.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::forkjoin {

using programs::program;
using programs::workload;

struct measurement {
  const schedulers::entry* who = nullptr;
  std::size_t workers = 0;  // 0: serial code
  std::vector<double> seconds;
  estimate time_ratio;  // to serial code: above 1 is slower
};

struct program_result {
  workload what;
  std::uint64_t forks = 0;
  std::size_t processors = 0;
  std::vector<measurement> entries;

  // Null if it was not measured; workers 0 is serial code.
  [[nodiscard]] const measurement* find(std::string_view name, std::size_t workers) const;
};

// Null if the program was not run.
[[nodiscard]] const program_result* find_program(const std::vector<program_result>& results, program what);

// Serial code must be among `who`; a scheduler that cannot run the program is left out.
//   Throws  std::runtime_error for a wrong answer; `interrupted`.
[[nodiscard]] program_result measure_program(const workload& what, const std::vector<const schedulers::entry*>& who,
                                             const std::vector<std::size_t>& workers, std::size_t repetitions);

[[nodiscard]] std::vector<row> rows_of(const program_result& result);
[[nodiscard]] std::string text_of(const program_result& result);

}  // namespace pilfer::lab::forkjoin
