// The walk: folders are tasks, and so are parts of large ones. Reads no file.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "search.hpp"
#include "tree.hpp"

namespace pilfer::dups {

// Owns what files and folders point at.
struct walked {
  std::vector<file> files;
  search_totals totals;  // folders, files, bytes, skipped
  std::vector<std::deque<folder>> folders;
  std::vector<std::unique_ptr<char[]>> names;  // NOLINT(modernize-avoid-c-arrays)
};

// Complete, unless the search was stopped.
[[nodiscard]] walked walk(search& with);

}  // namespace pilfer::dups
