// A worker's queues of spawned tasks: one per level. Others have a const one, and through it only what thieves may do.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <pilfer/pool_options.hpp>

#include "lane.hpp"

namespace pilfer::detail {

class task_lanes : immovable {
 public:
  void add(std::unique_ptr<task_lane> least_urgent) noexcept { lanes_[count_++] = std::move(least_urgent); }

  [[nodiscard]] bool exist() const noexcept { return count_ != 0; }  // false: this pool has no tasks, only forks
  [[nodiscard]] unsigned count() const noexcept { return count_; }
  [[nodiscard]] task_lane& operator[](unsigned level) noexcept { return *lanes_[level]; }
  [[nodiscard]] lane& operator[](unsigned level) const noexcept { return *lanes_[level]; }

  // Which of that level are there already, and the level: for run_record.
  [[nodiscard]] std::uint64_t mark(unsigned level) const noexcept {
    return lanes_[level]->mark() * most_levels + level;
  }

  [[nodiscard]] bool has_items() const noexcept {
    for (unsigned level = 0; level < count_; ++level) {
      if (lanes_[level]->has_items()) return true;
    }
    return false;
  }
  // All queues of a pool are of one kind.
  [[nodiscard]] bool hide_some() const noexcept { return exist() && lanes_[0]->hides_some(); }
  [[nodiscard]] bool are_shared() const noexcept { return exist() && lanes_[0]->is_shared(); }
  [[nodiscard]] bool are_newest_first() const noexcept { return exist() && lanes_[0]->newest_first(); }  // by the owner
  void leave_requests() const noexcept {
    for (unsigned level = 0; level < count_; ++level) lanes_[level]->leave_request();
  }
  void bind() noexcept {
    for (unsigned level = 0; level < count_; ++level) lanes_[level]->bind();
  }
  void unbind() noexcept {
    for (unsigned level = count_; level != 0; --level) lanes_[level - 1]->unbind();
  }

 private:
  std::array<std::unique_ptr<task_lane>, most_levels> lanes_;
  unsigned count_ = 0;
};

}  // namespace pilfer::detail
