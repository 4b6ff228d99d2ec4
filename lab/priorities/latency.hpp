// A request of level 0 every millisecond into a pool that is saturated with tasks of the last level: how long until it begins, and
// how many of those tasks begin before it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/priorities/design.hpp"
#include "lab/priorities/program.hpp"

namespace pilfer::lab::priorities {

inline constexpr const char* latency_name = "latency";

// Of one request.
struct request_figures {
  double delay_us = 0;   // from just before its submission to its begin
  double overtaken = 0;  // tasks of the last level that any worker has begun in between
};

struct latency_entry {
  std::string name;
  std::vector<request_figures> requests;

  [[nodiscard]] std::vector<double> delays() const;
  [[nodiscard]] std::vector<double> overtaken() const;
};

struct latency_result {
  std::size_t workers = 0;
  unsigned levels = 0;
  double task_us = 0;  // of the last level: what it took, on average, when nothing else ran
  std::vector<latency_entry> entries;

  // Null if it was not run.
  [[nodiscard]] const latency_entry* find(std::string_view design) const;
};

//   Throws  `interrupted`.
[[nodiscard]] latency_result measure_latency(const std::vector<const design*>& who, unsigned levels, scale how);

[[nodiscard]] std::vector<row> rows_of(const latency_result& result);
[[nodiscard]] std::string text_of(const latency_result& result);

}  // namespace pilfer::lab::priorities
