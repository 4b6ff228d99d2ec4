// Looks among claims.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/measure/report.hpp"

namespace pilfer::lab {

[[nodiscard]] inline const claim& by_id(const std::vector<claim>& claims, const std::string& id) {
  const auto found = std::ranges::find(claims, id, &claim::id);
  if (found == claims.end()) throw std::out_of_range(id);
  return *found;
}

}  // namespace pilfer::lab
