#include "tools/serve/registry.hpp"

#include <utility>

namespace pilfer::serve {

connection* registry::open(io::socket& with) {
  const std::lock_guard lock(guard_);
  if (open_.size() >= around_.given.connections) return nullptr;
  if (free_.empty()) {
    all_.push_back(std::make_unique<connection>(around_));
    free_.reserve(all_.capacity());  // close() must not need memory
    open_.reserve(all_.capacity());
    free_.push_back(all_.back().get());
  }
  connection* const one = free_.back();
  free_.pop_back();
  one->place = open_.size();
  one->begin(std::move(with));
  open_.push_back(one);
  return one;
}

void registry::close(connection& which) noexcept {
  {
    const std::lock_guard lock(guard_);
    open_[which.place] = open_.back();
    open_[which.place]->place = which.place;
    open_.pop_back();
  }
  which.end();
  const std::lock_guard lock(guard_);
  total_ += which.so_far();
  free_.push_back(&which);
  if (free_.size() == all_.size()) none_left_.notify_all();  // under the lock: who waits may end this object
}

bool registry::are_over(std::chrono::milliseconds limit) {
  std::unique_lock lock(guard_);
  return none_left_.wait_for(lock, limit, [this] { return free_.size() == all_.size(); });
}

void registry::count_turned_away() noexcept {
  const std::lock_guard lock(guard_);
  ++total_.turned_away;
}

void registry::sweep(std::uint32_t now_ms) noexcept {
  const std::lock_guard lock(guard_);
  for (connection* const each : open_) each->check(now_ms);
}

void registry::cut_all() noexcept {
  const std::lock_guard lock(guard_);
  for (connection* const each : open_) each->cut();
}

std::size_t registry::size() const noexcept {
  const std::lock_guard lock(guard_);
  return open_.size();
}

counts registry::total() const noexcept {
  const std::lock_guard lock(guard_);
  return total_;
}

}  // namespace pilfer::serve
