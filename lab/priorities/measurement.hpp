// Programs x designs x numbers of workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pilfer/statistics.hpp>

#include "lab/measure/comparison.hpp"
#include "lab/measure/report.hpp"
#include "lab/priorities/design.hpp"
#include "lab/priorities/program.hpp"

namespace pilfer::lab::priorities {

inline constexpr const char* suite_name = "priorities";
inline constexpr const char* serial_name = "serial";
inline constexpr double ns_per_second = 1e9;

// What is known of a design with so many workers besides its times. Sums are over all repetitions.
struct design_figures {
  std::string name;
  std::size_t workers = 0;
  unsigned levels = 1;                             // of the pool
  std::vector<std::vector<double>> level_seconds;  // [level][repetition]: from the release to the end of its last task
  std::vector<double> processor_seconds;           // [repetition]
  std::vector<std::uint64_t> early;                // [repetition]: tasks that began before a more urgent one did
  worker_statistics counted;
  std::vector<std::uint64_t> steals_of_worker;
  // In runs of their own, because counting takes time; none where there is one level.
  std::optional<std::uint64_t> inversions;
};

struct program_result {
  std::string name;
  std::string text;
  std::size_t tasks = 0;
  unsigned levels = 0;
  bool full_size = false;
  std::size_t counted_runs = 0;  // of each design, for the inversions
  comparison times;
  std::vector<design_figures> figures;

  // Null if it was not run.
  [[nodiscard]] const design_figures* find(std::string_view design, std::size_t workers) const;
};

// Null if the program was not run.
[[nodiscard]] const program_result* find_program(const std::vector<program_result>& results, std::string_view name);

struct sampling {
  std::vector<std::size_t> workers;
  std::size_t repetitions = 0;
  std::size_t counted_runs = 0;
};

//   Throws  std::runtime_error for a wrong result; `interrupted`.
[[nodiscard]] program_result measure_program(const program& what, const std::vector<const design*>& who,
                                             const sampling& how);

[[nodiscard]] std::vector<row> rows_of(const program_result& result);
[[nodiscard]] std::string text_of(const program_result& result);
// 003's figures 9 and 10: who stole what.
[[nodiscard]] std::string steals_text(const program_result& result);

}  // namespace pilfer::lab::priorities
