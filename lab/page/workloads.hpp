// The workloads of the report's table, and which rows say something about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"

namespace pilfer::lab::page {

enum class order : unsigned char { any, lifo, fifo };
enum class cores : unsigned char { own, shared, any };

// Rows of a suite. All conditions must hold.
struct row_source {
  std::string_view suite;               // empty: any
  std::vector<std::string_view> names;  // a row's name contains one of them; none: any name
  order by = order::any;                // of the queue
  cores on = cores::own;
  double least_share = 0;  // of what is stolen; rows without a share have it neither small nor large
  double most_share = 1;
  std::string_view figures{};  // key of `extra` with a number for each repetition, in place of the samples
  std::string_view unit{};     // of these

  [[nodiscard]] bool has(const row& r) const;
};

struct workload_kind {
  std::string id;
  std::string title;
  std::string meaning;
  std::vector<row_source> sources;
};

[[nodiscard]] const std::vector<workload_kind>& workload_kinds();

}  // namespace pilfer::lab::page
