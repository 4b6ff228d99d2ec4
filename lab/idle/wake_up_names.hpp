// What `wake-up` is made of: its measuring, its judging.
#pragma once

#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

inline constexpr const char* wake_up_suite = "wake-up";
// Rows of latency have the name of the way; these are the others.
inline constexpr const char* idle_row = "idle";
inline constexpr const char* ticking_row = "ticking";
inline constexpr const char* overrun_row = "overrun";

[[nodiscard]] std::vector<claim> wake_up_claims(const std::vector<row>& rows, const settings& given);
[[nodiscard]] std::vector<page::chart> wake_up_charts(const std::vector<row>& rows);

}  // namespace pilfer::lab::experiments
