// What one worker finds on the walk.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "finder.hpp"
#include "tree.hpp"

namespace pilfer::dups {

// As getdents64(2) writes it.
struct entry {
  std::uint64_t inode;
  std::int64_t position;
  std::uint16_t bytes;
  std::uint8_t type;
  char name[1];  // NOLINT(modernize-avoid-c-arrays): as long as it is
};

constexpr std::size_t listing_bytes = std::size_t{32} << 10U;  // some 1000 entries: a task's worth of stat calls
using listing = std::unique_ptr<std::byte[]>;                  // NOLINT(modernize-avoid-c-arrays)

// A link that may lead to a folder: followed when all real folders are known.
struct link {
  const folder* where;
  const char* name;
};

// What one worker has found.
struct finds {
  std::vector<file> files;
  std::deque<folder> folders;
  std::vector<link> links;
  search_totals totals;
  std::vector<std::unique_ptr<char[]>> names;  // NOLINT(modernize-avoid-c-arrays)
  std::size_t room = 0;                        // at the end of the last of them
  char* next_name = nullptr;
  listing spare;                      // a buffer to list the next folder with
  std::vector<const entry*> entries;  // of the folder at hand

  const char* keep(const char* name) {
    const std::size_t bytes = std::strlen(name) + 1;
    if (bytes > room) {
      constexpr std::size_t block = std::size_t{64} << 10U;
      static_assert(block > NAME_MAX);
      names.push_back(std::make_unique_for_overwrite<char[]>(block));  // NOLINT(modernize-avoid-c-arrays)
      next_name = names.back().get();
      room = block;
    }
    char* const kept = next_name;
    std::memcpy(kept, name, bytes);
    next_name += bytes;
    room -= bytes;
    return kept;
  }
  listing take_listing() {
    if (spare) return std::move(spare);
    return std::make_unique_for_overwrite<std::byte[]>(listing_bytes);  // NOLINT(modernize-avoid-c-arrays)
  }
};

}  // namespace pilfer::dups
