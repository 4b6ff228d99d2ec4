// Programs x schedulers x numbers of workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/measure/comparison.hpp"
#include "lab/measure/report.hpp"
#include "lab/programs/workload.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::forkjoin {

using programs::program;
using programs::workload;

struct program_result {
  workload what;
  std::uint64_t forks = 0;
  comparison times;
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
