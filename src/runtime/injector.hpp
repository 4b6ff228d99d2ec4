// Work that comes from outside of a pool's workers, or that a worker passes on: a list per level, first in, first out.
//
// State        writer            reader      meaning
//   lists_     under the lock    same        the jobs of each level, the oldest first
//   levels_    under the lock    all         levels whose list is not empty; a hint without the lock
//   first_rise_ under the lock   all         when a coroutine may rise to the next level; a hint
//
// Edges
//   guard      the lock's (queue/brief_lock.hpp): it carries what a job is. A thread that is about to sleep reads `levels_` after the fence of its
//              parking, or after it has held the mutex of the pool's places; a thread that appends does the other half of either.
#pragma once

#include <array>
#include <cstdint>

#include <pilfer/detail/fork/job.hpp>
#include <pilfer/detail/protocol/level_summary.hpp>
#include <pilfer/detail/protocol/parking.hpp>
#include <pilfer/detail/resume.hpp>
#include <pilfer/pool_options.hpp>
#include <pilfer/queue/brief_lock.hpp>

#include "counter.hpp"
#include "worker.hpp"

namespace pilfer::detail {

class injector : immovable {
  using orders = queue::brief_lock_orders;

 public:
  // Returns true if the job is a task whose older entry was here and has ended: the caller lets go of that one.
  [[nodiscard]] bool append(job& work, unsigned level) noexcept;
  // The same, but lets go of it itself, and wakes a sleeper. `by` is null if the caller is not a worker.
  void append(job& work, unsigned level, parking<ext::default_sync>& sleepers, worker* by) noexcept;
  // Removes and returns the oldest job of that level, and counts it in `taken`. Returns null if there is none.
  [[nodiscard]] job* take(unsigned level, counter& taken) noexcept;
  // The same of the most urgent level that has a job.
  [[nodiscard]] job* take(counter& taken) noexcept;
  // Returns true if the job was here; it is the caller's now. `level` is a task's; a fork is looked for at every level.
  [[nodiscard]] bool take_back(job& work, unsigned level) noexcept;
  // The same, but looks at the oldest of that level alone.
  [[nodiscard]] bool take_back_oldest(job& work, unsigned level) noexcept;

  // Removes the coroutines that rise at that time or before, of each level up to the first that rises later. Returns them linked by
  // `next_injected`.
  [[nodiscard]] job* take_due(std::int64_t now_ns) noexcept;

  // Hints.
  [[nodiscard]] std::int64_t first_rise() const noexcept { return first_rise_.load(orders::relaxed); }  // hint; 0: none
  [[nodiscard]] bool has_any() const noexcept { return !levels().empty(); }
  [[nodiscard]] level_set levels() const noexcept { return level_set(levels_.load(orders::relaxed)); }  // hint
  [[nodiscard]] std::uint64_t size(unsigned level) const noexcept {
    return lists_[level].size.load(orders::relaxed);
  }  // hint

 private:
  struct list {
    job* first = nullptr;
    job* last = nullptr;
    ext::default_sync::atomic<std::uint64_t> size{0};
  };
  class holder : immovable {
   public:
    explicit holder(injector& list) noexcept;
    ~holder() { list_.lock_.unlock(); }

   private:
    injector& list_;
  };
  // All under the lock.
  void unlink(unsigned level, job* before, job& work) noexcept;
  bool unlink_from(unsigned level, job& work) noexcept;
  bool unlink_from_any(job& work) noexcept;
  void note_rise(std::int64_t at_ns) noexcept;
  void show(level_set now) noexcept {
    levels_.store(now.bits(), orders::relaxed);
  }  // hint, and ordered by the fences above
  static void resize(list& all, std::uint64_t by) noexcept {
    all.size.store(all.size.load(orders::relaxed) + by, orders::relaxed);  // hint; guarded
  }

  queue::brief_lock<ext::default_sync> lock_;
  ext::default_sync::atomic<std::uint32_t> levels_{0};
  ext::default_sync::atomic<std::int64_t> first_rise_{0};  // 0: none rises
  std::array<list, most_levels> lists_;
};

}  // namespace pilfer::detail
