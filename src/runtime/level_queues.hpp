// Where the work of a pool with several levels lies: in a queue of tasks per worker and level, and in the injection queue. A task may have
// several entries, of which one claim decides; the others are tombstones, which are counted by queue and dropped when they are met.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pilfer/detail/protocol/level_summary.hpp>
#include <pilfer/detail/protocol/parking.hpp>

#include "injector.hpp"
#include "roster.hpp"
#include "spawned_job.hpp"
#include "worker.hpp"

namespace pilfer::detail {

// Tombstones in a queue. A hint.
class tombstone_count {
 public:
  void add(std::int64_t n) noexcept { count_.fetch_add(n, level_orders::relaxed); }  // hint
  [[nodiscard]] std::int64_t value() const noexcept {
    const std::int64_t now = count_.load(level_orders::relaxed);  // hint
    return now > 0 ? now : 0;
  }
  void clear() noexcept { count_.store(0, level_orders::relaxed); }  // hint

 private:
  ext::default_sync::atomic<std::int64_t> count_{0};
};

// What a worker of such a pool has besides.
struct worker::by_level {
  explicit by_level(level_entry<ext::default_sync>& entry) noexcept : shown(entry) {}

  level_entry<ext::default_sync>::writer shown;
  unsigned sunk_to = 0;  // the level at which it has found its last job
};

// Hears of everything that is put into a queue. `to` is the worker whose queue it is, null for the injection queue.
class level_observer {
 public:
  virtual ~level_observer() = default;
  virtual void before_push(const worker_face* to, unsigned level) noexcept = 0;
  virtual void after_push(const worker_face* to, unsigned level, bool pushed) noexcept = 0;
};

class level_queues : immovable {
 public:
  level_queues(const roster& workers, injector& outside, parking<ext::default_sync>& sleepers) noexcept
      : workers_(workers), outside_(outside), sleepers_(sleepers) {}

  void add_observer(level_observer& each) { observers_.push_back(&each); }
  //   Throws  std::bad_alloc
  void equip(worker& fresh) { fresh.levels = std::make_unique<worker::by_level>(summary_[fresh.index]); }

  // By the owner. Returns false if there is no room.
  [[nodiscard]] bool push(worker& self, job& work, unsigned level) noexcept;
  // By the owner. Returns the next job of its queue that is no tombstone, or null if the queue has no such job.
  [[nodiscard]] job* take(worker& self, unsigned level) noexcept;
  // Puts back what take() has returned.
  void put_back(worker& self, job& work, unsigned level) noexcept {
    if (!push(self, work, level)) inject(&self, work, level);
  }
  // One more entry for the task, in the own queue of the level to which it has risen.
  void push_again(worker& self, spawned_job& work, unsigned level) noexcept;
  // Drops the tombstones of the own queue, if there are many, or if it is full of them.
  void tidy_if_many(worker& self, unsigned level) noexcept;
  void tidy(worker& self, unsigned level) noexcept;
  // Drops those on top of the own queues that are more urgent than that level.
  void settle(worker& self, unsigned level) noexcept;

  // By any thread; `by` is null if it is not a worker.
  void inject(worker* by, job& work, unsigned level) noexcept;
  [[nodiscard]] job* take_injected(worker& self, unsigned level) noexcept {
    return outside_.take(level, self.counts.injected);
  }
  // An entry of the task has become a tombstone.
  void bury(const spawned_job& work) noexcept;
  // One has come out of that worker's queue.
  void drop(const worker_face& from, spawned_job& work, unsigned level) noexcept;
  [[nodiscard]] std::int64_t tombstones_of(const worker_face& owner, unsigned level) const noexcept {
    return tombstones_[owner.index][level].value();
  }
  [[nodiscard]] std::int64_t tombstones_outside(unsigned level) const noexcept {
    return tombstones_[injected_][level].value();
  }

  // Levels at which something may be found.
  [[nodiscard]] level_entry<ext::default_sync>::view shown_by(std::size_t worker) const noexcept {
    return summary_[worker].load();
  }
  [[nodiscard]] level_set shown_outside() const noexcept { return outside_.levels(); }
  // Does a task wait, in a queue where it can be had, that is more urgent than that level?
  [[nodiscard]] bool has_urgent(const worker_face& self, unsigned level) const noexcept;

 private:
  const roster& workers_;
  injector& outside_;
  parking<ext::default_sync>& sleepers_;
  std::vector<level_observer*> observers_;
  static constexpr std::size_t injected_ = roster::most_workers;
  std::array<std::array<tombstone_count, most_levels>, injected_ + 1>
      tombstones_;  // by queue; of the injection queue the last
  alignas(ext::isolation_bytes) std::array<level_entry<ext::default_sync>, roster::most_workers> summary_;
};

}  // namespace pilfer::detail
