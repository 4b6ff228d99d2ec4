// What all parts of a search share.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "filter.hpp"
#include "finder.hpp"

namespace pilfer::dups {

struct search {
  search(pool& where, const search_options& wanted, progress& shown, std::stop_token ending);

  pool& home;
  const search_options& options;
  progress& seen;
  std::stop_token stop;
  filter rules;
  std::atomic<int> folders_to_keep;  // descriptors that folders may keep open
  std::size_t files_at_a_time;       // descriptors for files that are compared with each other
  std::atomic<std::uint64_t> files_read{0};
  std::atomic<std::uint64_t> hashes_cached{0};

  // Whether one more folder may stay open; counts it.
  [[nodiscard]] bool may_keep_folder() noexcept {
    return folders_to_keep.load(std::memory_order_relaxed) > 0 &&        // hint: a few too many do no harm
           folders_to_keep.fetch_sub(1, std::memory_order_relaxed) > 0;  // orders nothing
  }
  [[nodiscard]] bool stopped() const noexcept { return stop.stop_requested(); }
  void report(std::string path, problem_kind kind, int error, std::string what);
  [[nodiscard]] std::vector<problem> take_problems();
  void found(group&& same);
  [[nodiscard]] std::vector<group> take_groups();

 private:
  std::mutex lock_;
  std::vector<problem> problems_;
  std::vector<group> groups_;
};

// Counters of progress: nothing is ordered by them.
inline void add(std::atomic<std::uint64_t>& to, std::uint64_t amount) noexcept {
  to.fetch_add(amount, std::memory_order_relaxed);  // a sum that others only show
}

}  // namespace pilfer::dups
