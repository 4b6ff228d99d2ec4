// Looks into the JSON that the tool writes.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace pilfer::test {

// What the elements of an array say under one key.
[[nodiscard]] inline std::set<std::string> values(const nlohmann::ordered_json& array, const char* key) {
  std::set<std::string> found;
  for (const auto& element : array) found.insert(element.at(key).get<std::string>());
  return found;
}

}  // namespace pilfer::test
