// Hashes of earlier searches, in a file. An entry is found by device, inode, size and time of change: a file that has been written to since
// has none. Files that were written to less than 2 s before they were hashed are not kept: that could happen again under the same time.
//
// Format     all numbers little-endian: "pilferdC", version (4 bytes), size of a part (8), number of entries (8), entries of 72 bytes (device, inode,
//            size, mtime in ns, hash of the first and last block, hash of all; low half first; zeros: not known), then XXH3-64 of all that
//            precedes.
// Damage     a file that begins so and is not exactly that is ignored, with a message, and replaced by the next save.
// Others     a file that is neither empty nor begins so is somebody's: it is never replaced.
// Writers    each writes a file of its own and renames it: whoever comes last wins, after having taken over what others had saved
//            meanwhile. Readers see one or the other, whole.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "finder.hpp"
#include "tree.hpp"

namespace pilfer::dups {

struct cached_hashes {
  hash128 edges;
  std::optional<hash128> full;
};

// Why the path cannot be that of a cache: it is something else, which must stay. Empty: it can, or there is nothing.
[[nodiscard]] std::string why_no_cache(const std::string& path);

class hash_cache {
 public:
  hash_cache(std::string path, std::uint64_t part_bytes) : path_(std::move(path)), part_bytes_(part_bytes) {}

  // The result is what went wrong; empty: nothing. No file is no error.
  [[nodiscard]] std::string load();
  // If there is anything new, and load() has not found something else there.
  [[nodiscard]] std::string save();

  [[nodiscard]] std::optional<cached_hashes> find(const file& what) const;
  void keep(const file& what, const cached_hashes& hashes);
  [[nodiscard]] std::size_t size() const { return entries_.size() + fresh_.size(); }

 private:
  struct key {
    file_identity identity;
    std::uint64_t size;
    std::int64_t mtime_ns;
    friend bool operator==(const key&, const key&) = default;
  };
  struct key_hash {
    [[nodiscard]] std::size_t operator()(const key& of) const noexcept {
      return identity_hash()(of.identity) ^ static_cast<std::size_t>(of.mtime_ns) ^
             static_cast<std::size_t>(of.size << 20U);
    }
  };
  using table = std::unordered_map<key, cached_hashes, key_hash>;

  [[nodiscard]] static key key_of(const file& what) noexcept { return {what.identity, what.size, what.mtime_ns}; }
  [[nodiscard]] std::string read_into(table& entries, bool quiet) const;
  [[nodiscard]] std::string text_of(const table& entries) const;

  std::string path_;
  std::uint64_t part_bytes_;
  bool somebodys_ = false;   // what load() found is no cache
  table entries_;            // as loaded; not written to meanwhile
  mutable std::mutex lock_;  // for fresh_
  table fresh_;
};

}  // namespace pilfer::dups
