// What the rows of the experiment `victims` are called, and what they say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

inline constexpr const char* victims_suite = "victims";

[[nodiscard]] std::string victims_name(double balancing);                                 // "pool/k=10%"
[[nodiscard]] std::string victims_impl(std::string_view queue, std::string_view policy);  // "abp/rand"

[[nodiscard]] std::vector<claim> victims_claims(const std::vector<row>& rows, const settings& given);
[[nodiscard]] std::vector<page::chart> victims_charts(const std::vector<row>& rows);

}  // namespace pilfer::lab::experiments
