// The same work done by several, with several numbers of workers, beside serial code. Everybody takes turns with everybody
// else, so that any two samples with the same index are a pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/measure/run_log.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/measure/table.hpp"

namespace pilfer::lab {

struct candidate {
  std::string name;
  std::size_t workers = 0;          // 0: serial code
  std::function<double()> seconds;  // does the work once
  // How many tasks were stolen so far; empty: nobody says.
  std::function<std::optional<std::uint64_t>()> steals_so_far{};
};

struct measurement {
  std::string name;
  std::size_t workers = 0;
  std::vector<double> seconds;
  estimate time_ratio;  // to serial code: above 1 is slower
  run_log costs{};      // what the runs cost besides time
};

struct comparison {
  std::size_t processors = 0;
  std::vector<measurement> entries;

  // Null if it was not measured.
  [[nodiscard]] const measurement* find(std::string_view name, std::size_t workers) const;
  [[nodiscard]] const measurement& serial() const;
};

// Serial code must be among them. Each runs once before anything is timed, so that threads and memory are there.
//   Throws  what a candidate throws; `interrupted`.
[[nodiscard]] comparison compare(const std::vector<candidate>& candidates, std::size_t repetitions,
                                 std::string_view title);

// Ascending, each once; of an empty list: 1, 2 and as many as there are processors.
[[nodiscard]] std::vector<std::size_t> worker_counts(std::vector<std::size_t> asked);

struct time_unit {
  const char* name;
  double per_second;
};
inline constexpr time_unit milliseconds{"ms", 1e3};
inline constexpr time_unit microseconds{"us", 1e6};
[[nodiscard]] std::vector<double> in_unit(const time_unit& unit, const std::vector<double>& seconds);

// What was compared, as a row says it.
struct row_heading {
  const char* suite;
  std::string name;
  std::int64_t size;
  time_unit unit = milliseconds;
};
[[nodiscard]] row row_of(const row_heading& heading, const comparison& all, const measurement& one);

// The columns that each such table begins with, and the cells of a line.
[[nodiscard]] std::vector<table::column> timing_columns(const char* who, const time_unit& unit);
[[nodiscard]] std::vector<std::string> timing_cells(const time_unit& unit, const comparison& all,
                                                    const measurement& one);

// The measurement that a claim is about. Null, and the claim's note says why, if `all` is null (the program was not run),
// there are fewer processors than workers, or it was not measured.
[[nodiscard]] const measurement* measured_for(claim& of, const comparison* all, std::string_view program,
                                              std::string_view who, std::size_t workers);

}  // namespace pilfer::lab
