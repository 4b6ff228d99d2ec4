// Waiting tasks rise in time, a level after each period: pool_options::ageing.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "age_list.hpp"
#include "level_queues.hpp"

namespace pilfer::detail {

class ageing : immovable {
 public:
  // Zero: tasks do not age.
  ageing(level_queues& queues, injector& outside, const roster& workers, std::chrono::nanoseconds period) noexcept
      : queues_(queues), outside_(outside), workers_(workers), list_(std::min(period, longest)) {}

  // Before a task can be seen. Returns true if it will rise, and has an entry for the list: that comes into the list after the task was
  // published, because other threads may find it as soon as it is there.
  [[nodiscard]] bool admit(spawned_job& fresh) const noexcept {
    if (!list_.is_used() || fresh.level() == 0) return false;
    fresh.add_entry();
    return true;
  }
  void watch(spawned_job& published) noexcept { list_.add(published, now()); }
  // The same for a coroutine that is to go on: it rises in the injection queue. It has one entry only, so that it cannot be in a list beside
  // its queue. Returns true if it will rise, and is to be injected.
  bool admit(job& work) const noexcept;

  // By a worker that looks for work: raises the tasks that are due.
  void raise_old(worker& self) noexcept {
    const std::int64_t first = list_.first_rise();
    const std::int64_t first_resumed = outside_.first_rise();
    if (first == 0 && first_resumed == 0) return;
    const std::int64_t now_ns = now();
    if (first != 0 && now_ns >= first) {
      list_.raise_due(now_ns, [&](spawned_job& oldest) noexcept { raise(self, oldest, now_ns); });
    }
    if (first_resumed != 0 && now_ns >= first_resumed) raise_resumed(self, now_ns);
  }
  void clear() noexcept { list_.clear(); }

 private:
  static constexpr std::chrono::nanoseconds longest = std::chrono::hours(24 * 365 * 100);  // so that no sum overflows

  void raise(worker& self, spawned_job& oldest, std::int64_t now_ns) noexcept;
  void raise_resumed(worker& self, std::int64_t now_ns) noexcept;
  // Returns false if it was not found.
  [[nodiscard]] bool move_up(worker& self, spawned_job& oldest, std::int64_t now_ns) noexcept;
  void lift_one(worker& self, spawned_job& work, unsigned level, std::int64_t now_ns) noexcept;
  [[nodiscard]] std::int64_t now() const noexcept {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now() - made_at_).count();
  }

  level_queues& queues_;
  injector& outside_;
  const roster& workers_;
  age_list list_;
  const std::chrono::steady_clock::time_point made_at_ = std::chrono::steady_clock::now();
};

}  // namespace pilfer::detail
