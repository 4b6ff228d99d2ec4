// Branch and bound, where priorities change how much work there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/comparison.hpp"
#include "lab/measure/report.hpp"
#include "lab/priorities/knapsack.hpp"
#include "lab/priorities/program.hpp"

namespace pilfer::lab::priorities {

// Some knapsacks, one after the other.
struct search_program {
  std::string name;
  std::string text;
  child_order order = child_order::promising_last;
  std::vector<knapsack> knapsacks;
  std::vector<std::int64_t> answers;
};

[[nodiscard]] const std::vector<std::string>& search_names();
//   Throws  std::invalid_argument for an unknown name.
[[nodiscard]] search_program make_search(std::string_view name, scale how);

struct search_figures {
  std::string name;
  std::size_t workers = 0;
  std::vector<double> nodes;  // one per repetition
};

struct search_program_result {
  std::string name;
  std::string text;
  std::size_t knapsacks = 0;
  unsigned levels = 0;
  comparison times;
  std::vector<search_figures> figures;  // in the order of the times' entries
};

//   Throws  std::runtime_error for an answer that is not that of dynamic programming; `interrupted`.
[[nodiscard]] search_program_result measure_search(const search_program& what, const std::vector<const design*>& who,
                                                   unsigned levels, const std::vector<std::size_t>& workers,
                                                   std::size_t repetitions);
//   Throws  std::runtime_error that names `who`.
void check_best(std::int64_t best, const search_program& what, std::size_t number, const std::string& who);

[[nodiscard]] std::vector<row> rows_of(const search_program_result& result);
[[nodiscard]] std::string text_of(const search_program_result& result);

}  // namespace pilfer::lab::priorities
