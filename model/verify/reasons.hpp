// Why an order that no client misses is kept all the same.
#pragma once

#include <string>

#include "model/check.hpp"

namespace pilfer::model::verify {

// Empty: no reason is known, which is a finding.
[[nodiscard]] std::string reason_for_site(const std::string& queue, const site& at, std::memory_order weaker);
[[nodiscard]] std::string reason_for_edge(const std::string& queue, const std::string& edge);

}  // namespace pilfer::model::verify
