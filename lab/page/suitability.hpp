// Which queue and which scheduler suit which work: ranked by what was measured, never by opinion.
//
// Rows are comparable if suite, name, unit and params are the same, but for params that say who was measured. Within a suite everybody is compared with the leader,
// pair by pair; over several groups of comparable rows by the geometric mean, also of the ends of the intervals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/measure/statistics.hpp"

namespace pilfer::lab::page {

// What a comparison with the leader rests on: one group of comparable rows.
struct evidence {
  std::string name;    // of the rows
  std::string params;  // "size 30, workers 2"
  std::string unit;
  double median = 0;
  double leaders_median = 0;
  estimate to_leader;  // above 1 is worse
  bool paired = true;  // false: samples have no partners, so the interval is that of independent medians
};

struct standing {
  std::string impl;
  estimate to_leader;         // 1 is the leader; above 1 is worse
  bool leads = false;         // best by median among those that took part in most
  bool within_noise = false;  // the interval reaches 1: not shown to be worse than the leader
  std::vector<evidence> rests_on;
};

struct ranking {
  std::string suite;
  std::size_t groups = 0;           // of comparable rows: somebody may have taken part in fewer
  std::vector<standing> standings;  // best first; at least two
};

struct suited_workload {
  std::string id;
  std::string title;
  std::string meaning;            // when it is yours
  std::vector<ranking> rankings;  // none: nothing was measured for it
};

// All workloads, in a fixed order. Sequential code is passed over: nobody can steal from it.
[[nodiscard]] std::vector<suited_workload> suitability(const std::vector<row>& rows);

enum class better : unsigned char { lower, higher, unknown };
// Times and memory: lower. Events per second: higher.
[[nodiscard]] better better_side(std::string_view unit);

// Sequential code, not a scheduler or a queue that can be shared.
[[nodiscard]] bool is_baseline(const row& r);

// "size 30, workers 2"
[[nodiscard]] std::string params_text(const json& params);

}  // namespace pilfer::lab::page
