// Names that look like one that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pilfer::lab {

// Insertions, deletions, replacements and exchanges of neighbours that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// Up to `most` of the known names, the nearest first. A name that contains the wanted one, or is contained in it, is near.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& known,
                                                     std::size_t most = 3);

}  // namespace pilfer::lab
