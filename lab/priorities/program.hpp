// The programs of 003, section IV.A: tasks, their levels, and on which worker they begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/programs/workload.hpp"

namespace pilfer::lab::priorities {

using programs::scale;

// 003 has three levels.
inline constexpr unsigned default_levels = 3;
inline constexpr unsigned fewest_levels = 2;

// Calculates fib(n).
struct planned_task {
  unsigned level = 0;
  int n = 0;
};
// What one worker begins with, in the order of its pushes.
using share = std::vector<planned_task>;

// How many tasks there are, and what each of them calculates, depends on the scale alone. So all numbers of workers do the same work.
struct program {
  std::string name;
  std::string text;  // "scenario 1: 2880 tasks of fib(20), …"
  unsigned levels = default_levels;
  std::vector<int> inputs;
  std::int64_t sum = 0;  // of the results, as it must be
  int smallest = 0;      // of the inputs that there may be
  int largest = 0;
  bool full_size = false;
  std::vector<share> (*deal)(const program& what, std::size_t workers) = nullptr;

  [[nodiscard]] std::vector<share> shares(std::size_t workers) const { return deal(*this, workers); }
};

// Where level 0 is one eighth of the work and was pushed first: a deque runs it last.
inline constexpr const char* level0_first_name = "level0_first";

// In the order of the tables.
[[nodiscard]] const std::vector<std::string>& scenario_names();
//   Throws  std::invalid_argument for an unknown name.
[[nodiscard]] program make_program(std::string_view name, scale how, unsigned levels);

// What a task does: out of line, so that serial code and all designs run the same instructions.
[[nodiscard]] std::int64_t fib_of(int n) noexcept;

}  // namespace pilfer::lab::priorities
