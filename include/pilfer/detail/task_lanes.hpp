// A worker's queues of spawned tasks: one per level.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <pilfer/detail/lane.hpp>
#include <pilfer/detail/level_summary.hpp>
#include <pilfer/pool_options.hpp>

namespace pilfer::detail {

// For counting inversions: what came into a queue. A walk that reads `published` before a scan, and the queue's size and then
// `begun` after it, can tell that a task has lain there all the while: begun - size have left at most.
struct lane_audit {
  ext::default_sync::atomic<std::uint64_t> begun{0};
  ext::default_sync::atomic<std::uint64_t> published{0};
};

// Tombstones in a queue: entries of tasks that were claimed elsewhere, or have risen. A hint.
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

class task_lanes {
  using orders = level_orders;

 public:
  using writer = level_entry<ext::default_sync>::writer;

  task_lanes() = default;
  task_lanes(const task_lanes&) = delete;
  task_lanes& operator=(const task_lanes&) = delete;

  void add(std::unique_ptr<task_lane> least_urgent) noexcept { lanes_[count_++] = std::move(least_urgent); }
  // With several levels: where it shows what it has.
  void show_in(level_entry<ext::default_sync>& entry) noexcept { shown_ = writer(entry); }
  void begin_audit() { audit_ = std::make_unique<std::array<lane_audit, most_levels>>(); }

  [[nodiscard]] bool exist() const noexcept { return count_ != 0; }  // false: this pool has no tasks, only forks
  [[nodiscard]] unsigned count() const noexcept { return count_; }
  [[nodiscard]] task_lane& operator[](unsigned level) noexcept { return *lanes_[level]; }
  [[nodiscard]] const task_lane& operator[](unsigned level) const noexcept { return *lanes_[level]; }
  // After begin_audit.
  [[nodiscard]] lane_audit& audit(unsigned level) noexcept { return (*audit_)[level]; }

  [[nodiscard]] tombstone_count& tombstones(unsigned level) noexcept { return tombstones_[level]; }

  // By the owner. False: no room.
  [[nodiscard]] bool push(unsigned level, job& work) noexcept {
    if (count_ == 1) return lanes_[0]->push(work);
    shown_.show(level);
    if (audit_ == nullptr) [[likely]]
      return lanes_[level]->push(work);
    return push_audited(level, work);
  }
  [[nodiscard]] job* take(unsigned level) noexcept {
    job* const found = lanes_[level]->take();
    if (found == nullptr && count_ != 1 && !lanes_[level]->has_items()) shown_.hide(level);
    return found;
  }
  // The most urgent.
  [[nodiscard]] job* take() noexcept {
    for (unsigned level = 0; level < count_; ++level) {
      if (job* const found = take(level)) return found;
    }
    return nullptr;
  }
  // Which of that level are there already, and the level: for run_record.
  [[nodiscard]] std::uint64_t mark(unsigned level) const noexcept {
    return lanes_[level]->mark() * most_levels + level;
  }
  // Levels that may have some; of several levels.
  [[nodiscard]] level_set shown() const noexcept { return shown_.tasks(); }
  [[nodiscard]] writer& entry() noexcept { return shown_; }

  [[nodiscard]] bool has_items() const noexcept {
    return any([](const task_lane& each) noexcept { return each.has_items(); });
  }
  [[nodiscard]] bool hides_some() const noexcept {
    return any([](const task_lane& each) noexcept { return each.hides_some(); });
  }
  void leave_requests() noexcept {
    for (unsigned level = 0; level < count_; ++level) lanes_[level]->leave_request();
  }
  void bind() noexcept {
    for (unsigned level = 0; level < count_; ++level) lanes_[level]->bind();
  }
  void unbind() noexcept {
    for (unsigned level = count_; level != 0; --level) lanes_[level - 1]->unbind();
  }

 private:
  template <class Question>
  [[nodiscard]] bool any(Question&& question) const noexcept {
    for (unsigned level = 0; level < count_; ++level) {
      if (question(*lanes_[level])) return true;
    }
    return false;
  }
  [[nodiscard]] bool push_audited(unsigned level, job& work) noexcept {
    lane_audit& counts = (*audit_)[level];
    const std::uint64_t before = counts.begun.load(orders::relaxed);  // own variable
    counts.begun.store(before + 1, orders::relaxed);                  // carried by the queue
    if (!lanes_[level]->push(work)) {
      counts.begun.store(before, orders::relaxed);  // hint
      return false;
    }
    counts.published.store(counts.published.load(orders::relaxed) + 1, orders::relaxed);  // hint; own variable
    return true;
  }

  std::array<std::unique_ptr<task_lane>, most_levels> lanes_;
  unsigned count_ = 0;
  writer shown_;
  std::array<tombstone_count, most_levels> tombstones_;
  std::unique_ptr<std::array<lane_audit, most_levels>> audit_;
};

}  // namespace pilfer::detail
