// Fences and compare-and-swaps of LCWS and of what it is compared with (004), in the counting build.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/programs/workload.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::forkjoin {

struct counted_result {
  struct entry {
    std::string name;
    std::vector<schedulers::synchronization> of_program;  // in the order of `programs`
    [[nodiscard]] schedulers::synchronization total() const;
  };
  std::size_t workers = 0;
  std::vector<programs::workload> programs;
  std::vector<entry> entries;

  [[nodiscard]] const entry* find(std::string_view name) const;
};

//   Throws  std::runtime_error for a wrong answer; `interrupted`.
[[nodiscard]] counted_result count_synchronization(const std::vector<programs::workload>& what, std::size_t workers);

[[nodiscard]] std::vector<row> rows_of(const counted_result& result);
[[nodiscard]] std::string text_of(const counted_result& result);

}  // namespace pilfer::lab::forkjoin
