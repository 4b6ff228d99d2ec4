// Problems x libraries x numbers of workers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/algorithms/library.hpp"
#include "lab/measure/comparison.hpp"
#include "lab/measure/report.hpp"

namespace pilfer::lab::algorithms {

struct problem_result {
  std::string name;
  std::string text;
  std::size_t size = 0;
  bool full_size = false;  // as the issue has it
  comparison times;
  std::vector<std::string> lacking;  // libraries that were asked for and have no such algorithm
};

// Null if the problem was not run.
[[nodiscard]] const problem_result* find_problem(const std::vector<problem_result>& results, std::string_view name);

// Serial code must be among `who`.
//   Throws  std::runtime_error for a wrong answer; `interrupted`.
[[nodiscard]] problem_result measure_problem(std::string_view name, scale how, const std::vector<const library*>& who,
                                             const std::vector<std::size_t>& workers, std::size_t repetitions);

[[nodiscard]] std::vector<row> rows_of(const problem_result& result);
[[nodiscard]] std::string text_of(const problem_result& result);

}  // namespace pilfer::lab::algorithms
