// Which files of one size are equal.
//
// Three ways, by what is at hand:
//   whole         small files: each is read at once, and the contents are compared in memory
//   side by side  larger ones, a few of them: first block, last block, then the rest, all files at the same time, each part by whichever
//                 worker is free. What differs leaves at once, and nothing is read twice.
//   by hash       many of them, or if hashes are wanted (a cache, hash_only): first and last block, then all, in parts; equal hashes are
//                 verified side by side
// All of them are coroutines: where a read has to wait for the disk, the worker goes on with other files.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pilfer/coro/schedule.hpp>
#include <pilfer/coro/semaphore.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/coro/when_all.hpp>

#include "search.hpp"
#include "tree.hpp"

namespace pilfer::dups {

class hash_cache;

// An inode, and its names among the files found.
struct member {
  const file* names = nullptr;
  std::uint32_t count = 0;
  bool grouped = false;  // written by the one task that reports its group

  [[nodiscard]] const file& first() const noexcept { return *names; }
};

struct size_class {
  std::span<member> members;  // two at least
  std::uint64_t size = 0;
};

constexpr std::size_t block_bytes = 4096;                     // what a first and a last block are
constexpr std::size_t small_bytes = std::size_t{16} << 10U;   // files up to here are read whole
constexpr std::size_t chunk_bytes = std::size_t{128} << 10U;  // what is read at a time: two of them stay in the cache
constexpr std::size_t side_by_side_limit = 256;               // files, hence descriptors, of one comparison
constexpr std::size_t side_by_side_bytes = std::size_t{4} << 20U;  // buffers of one comparison, at most
constexpr std::size_t batch_bytes = std::size_t{1} << 20U;         // of small files, per task
constexpr std::size_t batch_files = 64;                            // the same
constexpr std::uint64_t parallel_bytes = std::uint64_t{8} << 20U;  // a task's worth of reading

using bytes_buffer = std::unique_ptr<std::byte[]>;  // NOLINT(modernize-avoid-c-arrays)

// Chunks that are used again and again.
class buffer_store {
 public:
  [[nodiscard]] bytes_buffer take();
  void give(bytes_buffer used);

 private:
  std::mutex lock_;
  std::vector<bytes_buffer> free_;
};

// Chunks of one comparison, given back at its end.
class borrowed_buffers {
 public:
  explicit borrowed_buffers(buffer_store& from) noexcept : from_(from) {}
  ~borrowed_buffers() {
    for (bytes_buffer& each : mine_) from_.give(std::move(each));
  }
  borrowed_buffers(const borrowed_buffers&) = delete;
  borrowed_buffers& operator=(const borrowed_buffers&) = delete;
  [[nodiscard]] std::byte* at(std::size_t index) {
    while (mine_.size() <= index) mine_.push_back(from_.take());
    return mine_[index].get();
  }

 private:
  buffer_store& from_;
  std::vector<bytes_buffer> mine_;
};

struct settling {
  explicit settling(search& shared, hash_cache* known);

  search& with;
  hash_cache* cache;  // null: none
  buffer_store buffers;
  async_semaphore descriptors;  // for files that are open at the same time, more than one of a lane
  std::size_t lanes;            // coroutines that read at the same time
  std::size_t together;         // files that may be compared side by side
  std::atomic<std::uint64_t> seen_before{0};
};

// --- Reading. In reading.cpp.

constexpr int ended_early = -1;
// Reads until the buffer is full. 0, errno, or ended_early.
task<int> fill(search& with, int from, std::span<std::byte> into, std::uint64_t offset);
// By any of its names; -errno. Counts it.
[[nodiscard]] int open_member(search& with, const member& what);
// Is the open file what the walk has seen?
[[nodiscard]] bool unchanged(int opened, const file& seen);
// Reports it, unless the search was stopped meanwhile.
void report_unreadable(search& with, const member& what, int error);
void report_changed(search& with, const member& what);
// The simulated load of a file.
void spin_for_load(const search& with);
// Where the next data is, from there on; `end` if there is none before.
[[nodiscard]] std::uint64_t next_data(int opened, std::uint64_t from, std::uint64_t end);

// --- The three ways.

// Room of a lane for small files.
struct lane_room {
  bytes_buffer contents;  // batch_bytes
};
task<void> settle_whole(settling& with, size_class files, lane_room& room);
task<void> settle_side_by_side(settling& with, size_class files);
task<void> settle_by_hash(settling& with, size_class files);

// Which of them are equal: classes of two at least, by index. `bad` could not be read, or have changed.
using partition = std::vector<std::vector<std::uint32_t>>;
struct compared {
  partition classes;
  std::vector<bool> bad;
};
task<compared> compare(settling& with, std::span<member* const> files, std::uint64_t size);

// A group, if it is one by the options: equal members, or a single one with several names.
void report_group(settling& with, std::uint64_t size, std::span<member* const> same, std::optional<hash128> hash);

// Calls body(i) for each i < count, up to `lanes` of them at the same time.
template <class Body>
task<void> spread(settling& with, std::size_t count, Body& body) {
  std::atomic<std::size_t> next{0};
  const auto run = [](settling& all, std::size_t limit, Body& each, std::atomic<std::size_t>& from) -> task<void> {
    // What has begun is finished before anything new begins: memory stays bounded, and groups are known early.
    if (all.with.home.levels() > 1) co_await all.with.home.at(priority::high).schedule();
    while (!all.with.stopped()) {
      const std::size_t index = from.fetch_add(1, std::memory_order_relaxed);  // each index once; ordered by when_all
      if (index >= limit) co_return;
      co_await each(index);
    }
  };
  const std::size_t runners = count < with.lanes ? count : with.lanes;
  if (runners <= 1) {
    co_await run(with, count, body, next);
    co_return;
  }
  std::vector<task<void>> all;
  all.reserve(runners);
  for (std::size_t i = 0; i < runners; ++i) all.push_back(run(with, count, body, next));
  co_await when_all(std::move(all));
}

}  // namespace pilfer::dups
