// Lists of implementations by name, whatever is known of them besides: an entry has `name`, `description`,
// `why_unavailable`, `version` and `make`, which is empty where it cannot be made.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/machine.hpp"

namespace pilfer::lab {

[[nodiscard]] inline bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

//   Throws  std::invalid_argument for a name that is not known.
inline void require_known(const std::vector<std::string>& names, const std::vector<std::string>& known,
                          std::string_view kind) {
  for (const std::string& name : names) {
    if (!contains(known, name)) throw std::invalid_argument(fmt::format("there is no {} '{}'", kind, name));
  }
}

template <class Entry>
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const Entry& one : entries) names.push_back(one.name);
  return names;
}

// Null if there is none of that name.
template <class Entry>
[[nodiscard]] const Entry* find_by_name(const std::vector<Entry>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

// Why one that has a name cannot be run; empty if it can.
template <class Entry>
[[nodiscard]] std::string why_unavailable(const std::vector<Entry>& entries, std::string_view name) {
  const Entry* const found = find_by_name(entries, name);
  if (found == nullptr) return "there is nothing of that name";
  return found->make ? "" : found->why_unavailable;
}

// A line for each, with the reason of those that were skipped.
template <class Entry>
[[nodiscard]] std::string descriptions(const std::vector<const Entry*>& who) {
  std::string text;
  for (const Entry* one : who) {
    text += fmt::format("{}: {}", one->name, one->description);
    text += one->make ? ".\n" : fmt::format("; skipped: {}.\n", one->why_unavailable);
  }
  return text;
}

template <class Entry>
void note_versions(machine& on, const std::vector<const Entry*>& who) {
  for (const Entry* one : who) {
    if (!one->version.empty()) on.versions[one->name] = one->version;
  }
}

}  // namespace pilfer::lab
