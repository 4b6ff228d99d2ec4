// Finds files with the same content.
//
//   progress seen;
//   outcome found = find_duplicates(pool, {.paths = {"photos"}}, seen, stop);
//   for (const group& same : found.groups) …
//
// Stages    walk; size; inode; then small files are compared in memory, a few larger ones side by side, many by hashes (XXH3-128) first:
//           settle.hpp. A file leaves as soon as it is alone.
// Result    the same for every number of workers and every scheduler: groups in the order of their first path, files by path.
// Errors    never stop the search: they are in outcome::problems, and the file or folder is left out.
// Changing  a file whose size or time of change differs after it was read is reported, and in no group.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <pilfer/pool.hpp>

namespace pilfer::dups {

enum class comparison : std::uint8_t {
  bytes,      // what is reported is equal, byte for byte
  hash_only,  // equal XXH3-128 hashes are enough
};

struct search_options {
  // Folders are walked, files are taken as they are. A link to a folder, given here, is followed. Of nested ones the innermost decides
  // about reference and depth; given twice is given once, and a file that is reached as a reference, too, is one.
  std::vector<std::string> paths;
  // The same, of files that nobody must act upon. A group without any other file is not reported.
  std::vector<std::string> reference_paths = {};
  // Groups without a reference file are not reported.
  bool only_with_reference = false;

  std::uint64_t min_size = 0;
  std::uint64_t max_size = std::numeric_limits<std::uint64_t>::max();
  bool empty_files = false;  // all empty files are one group
  // Globs as of fnmatch(3). One with a slash is compared with the whole path as it is printed, and with what follows the given path;
  // another with the name alone. A file must match one of `include`, if there are any. What matches `exclude` is left out; a folder
  // with all that is in it.
  std::vector<std::string> include = {};
  std::vector<std::string> exclude = {};
  bool hidden = true;  // false: names that begin with a dot are left out, but not those that were given
  bool one_file_system = false;
  std::optional<unsigned> max_depth = {};  // 1: files directly in the given folders; 0: given files only
  bool follow_symlinks = false;            // what is reached twice is counted once; loops are reported
  // Names of the same inode are members of a group of their own right, also if there is no other file. Otherwise the first one stands
  // for all, and the others are in duplicate::other_names.
  bool hard_links_are_duplicates = false;
  comparison compare = comparison::bytes;
  std::string cache_file = {};                       // hashes of earlier runs; empty: none
  std::chrono::microseconds load_per_file{0};        // spin so long for each file that is read: for measurements
  std::size_t memory_bytes = std::size_t{64} << 20;  // for buffers, about; 4 MiB at least
  // Files at least twice as large are hashed in parts of this size, by several workers. The hashes in a cache depend on it.
  std::uint64_t part_bytes = std::uint64_t{16} << 20;
};

struct duplicate {
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t links = 1;       // of the inode, wherever they are
  std::uint64_t disk_bytes = 0;  // what it occupies: less than its size if it has holes
  bool reference = false;
  bool hard_link = false;        // an earlier one of the group is the same inode: removing this one frees nothing
  bool through_symlink = false;  // its name is a link to it
  bool behind_symlink = false;   // the same, or a folder above it was reached through a link
  std::vector<std::string> other_names = {};           // of the same inode, as far as the search has seen them
  std::vector<std::string> names_behind_symlink = {};  // those of them that are; in order
};

struct hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const hash128&, const hash128&) = default;
  friend auto operator<=>(const hash128&, const hash128&) = default;
};

struct group {
  std::uint64_t size = 0;            // of each file
  std::optional<hash128> hash = {};  // if it was computed
  std::vector<duplicate> files;      // two at least, by path; reference files first
  std::uint64_t wasted_bytes = 0;  // what is too many: all but one, or all that are no reference; hard links count once
};

enum class problem_kind : std::uint8_t {
  missing,     // a given path that is not there
  unreadable,  // could not be opened, read or looked at
  changed,     // while it was read, or it vanished
  loop,        // a link to a folder above it: not followed
  cache,       // the cache could not be read or written; the search goes on without
};
[[nodiscard]] const char* to_string(problem_kind kind) noexcept;
// Whether something is missing from the result because of it.
[[nodiscard]] bool is_failure(problem_kind kind) noexcept;

struct problem {
  std::string path;
  problem_kind kind = problem_kind::unreadable;
  int error = 0;  // errno, or 0
  std::string what;
};

struct skipped_counts {
  std::uint64_t empty = 0;
  std::uint64_t size = 0;         // outside of min_size and max_size
  std::uint64_t pattern = 0;      // files and folders
  std::uint64_t hidden = 0;       // files and folders
  std::uint64_t symlinks = 0;     // not followed
  std::uint64_t special = 0;      // devices, pipes, sockets
  std::uint64_t file_system = 0;  // folders
  std::uint64_t depth = 0;        // folders
  std::uint64_t seen_before = 0;  // folders and files reached a second time
};

struct search_totals {
  std::uint64_t folders = 0;
  std::uint64_t files = 0;          // that passed the filters
  std::uint64_t bytes = 0;          // of them
  std::uint64_t hard_links = 0;     // further names of an inode among them
  std::uint64_t files_read = 0;     // opened and read, each time counted
  std::uint64_t bytes_read = 0;     // all reads
  std::uint64_t hashes_cached = 0;  // taken from the cache
  std::uint64_t duplicates = 0;     // files in groups, but one per group
  std::uint64_t wasted_bytes = 0;
  skipped_counts skipped;
};

struct outcome {
  std::vector<group> groups;
  std::vector<problem> problems;  // by path
  search_totals totals;
  bool interrupted = false;  // stopped: the groups are those that were finished, and correct
};

enum class search_stage : std::uint8_t { walking, reading, finished };

// Written by the search, read by whoever shows it. The numbers only grow; bytes_done <= bytes_to_do once the stage is `reading`.
struct progress {
  std::atomic<search_stage> stage{search_stage::walking};
  std::atomic<std::uint64_t> folders_found{0};
  std::atomic<std::uint64_t> files_found{0};
  std::atomic<std::uint64_t> bytes_found{0};
  std::atomic<std::uint64_t> files_to_do{0};  // of a size that several have
  std::atomic<std::uint64_t> bytes_to_do{0};
  std::atomic<std::uint64_t> files_done{0};
  std::atomic<std::uint64_t> bytes_done{0};  // read to the end, or known to be needless
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> groups_found{0};
  std::atomic<std::uint64_t> wasted_bytes{0};
};

// Searches on the pool; the caller works too. Levels of priority are used if the pool has several.
//   Stops   soon after `stop` is requested, with what is finished.
//   Throws  std::invalid_argument for contradictory sizes or no path; std::bad_alloc. Nothing else.
[[nodiscard]] outcome find_duplicates(pool& home, const search_options& options, progress& seen,
                                      std::stop_token stop = {});
[[nodiscard]] outcome find_duplicates(pool& home, const search_options& options);

// The look at two files right before something is done to one of them.
enum class verdict : std::uint8_t {
  equal,       // both are what the search saw, and equal now, byte for byte
  differ,      // the bytes are not equal
  changed,     // another inode, size or time of change than the search saw, or it changed under our hands
  same_file,   // two names of one inode
  unreadable,  // see error; a vanished file, too
};
struct recheck_result {
  verdict what = verdict::equal;
  int error = 0;          // errno, if unreadable
  std::string path = {};  // of the one that changed or is unreadable
};
[[nodiscard]] const char* to_string(verdict what) noexcept;
// Reads both whole, on the calling thread. Links are not followed, unless the file was found through one.
[[nodiscard]] recheck_result recheck(const duplicate& kept, const duplicate& other, std::uint64_t size,
                                     const std::stop_token& stop = {});
// Whether so many bytes are the same in both: of descriptors, for who wants to act on what was compared.
[[nodiscard]] recheck_result compare_bytes(int left, int right, std::uint64_t size, const std::stop_token& stop = {});
// The same for paths that nobody has searched.
[[nodiscard]] bool still_equal(const std::string& left, const std::string& right);

}  // namespace pilfer::dups
