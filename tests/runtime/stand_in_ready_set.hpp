// A ready set that does what a test tells it, and records what it was asked: for rooms that know it by its interface.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "runtime/stand_in_lane.hpp"
#include "src/runtime/ready_set.hpp"
#include "src/runtime/task_scope.hpp"

namespace pilfer::test {

class stand_in_ready_set final : public detail::ready_set, private detail::wait_rules {
 public:
  // For a pool with that number of levels; every worker has one queue of tasks per level.
  stand_in_ready_set(const detail::roster& workers, const detail::search& thieves, detail::pool_parking& sleepers,
                     unsigned levels)
      : ready_set(levels, {.workers = workers,
                           .thieves = thieves,
                           .sleepers = sleepers,
                           .places = [] { return std::size_t{1}; },
                           .make_lane = [](detail::worker&, unsigned) { return std::make_unique<stand_in_lane>(); }}) {}

  // What is found, the oldest first. By one thread at a time; what other threads bring, they inject.
  std::deque<detail::job*> to_find;
  std::deque<detail::job*> strangers;
  std::deque<detail::job*> elsewhere;
  std::function<void(detail::worker&)> on_leave{};  // a caller is about to leave its seat; may be empty
  unsigned level = 0;                               // of every job
  unsigned level_of_waiters = 0;                    // at which a claimed task begins
  bool leapfrogs = true;
  bool gives_way = false;
  mutable int looks_until_way_is_free = 0;

  std::atomic<int> enters = 0;
  std::atomic<int> leaves = 0;
  std::atomic<int> gifts = 0;  // calls of give_away
  std::atomic<int> looks = 0;  // for work
  std::atomic<int> lifts = 0;
  std::atomic<int> burials = 0;
  std::atomic<int> nested = 0;
  std::atomic<unsigned> last_nested = 1000;  // its level

  [[nodiscard]] detail::wait_rules& rules() noexcept override { return *this; }
  void enter(detail::worker& /*seat*/) noexcept override { ++enters; }
  void leave(detail::worker& seat) noexcept override {
    ++leaves;
    if (on_leave) on_leave(seat);
  }
  void give_away(detail::worker& self) noexcept override {
    ++gifts;
    while (detail::job* const each = self.tasks[0].take()) inject(&self, *each);
  }
  [[nodiscard]] bool will_rise(detail::spawned_job& /*fresh*/) noexcept override { return false; }
  void watch(detail::spawned_job& /*published*/) noexcept override {}
  [[nodiscard]] bool push(detail::worker& self, detail::job& work) noexcept override {
    return self.tasks[0].push(work);
  }
  void inject(detail::worker* by, detail::job& work) noexcept override {
    outside().append(work, 0, told().sleepers, by);
  }
  [[nodiscard]] detail::job* find(detail::worker& self) noexcept override {
    ++looks;
    if (detail::job* const found = next(to_find)) return found;
    return outside().take(self.counts.injected);
  }
  [[nodiscard]] detail::job* find_stranger(detail::worker& /*self*/) noexcept override { return next(strangers); }
  [[nodiscard]] detail::job* find_elsewhere(detail::worker& /*self*/) noexcept override { return next(elsewhere); }
  [[nodiscard]] unsigned level_of(const detail::job& /*work*/) const noexcept override { return level; }
  void begin_nested(detail::worker& /*self*/, unsigned of_level) noexcept override {
    ++nested;
    last_nested = of_level;
  }

 private:
  static detail::job* next(std::deque<detail::job*>& all) noexcept {
    if (all.empty()) return nullptr;
    detail::job* const oldest = all.front();
    all.pop_front();
    return oldest;
  }
  [[nodiscard]] bool lift(detail::worker& /*self*/, detail::task_scope& /*awaited*/) noexcept override { return false; }
  void lift(detail::worker& /*self*/, detail::spawned_job& /*awaited*/) noexcept override { ++lifts; }
  [[nodiscard]] next_task next_of(detail::worker& self, detail::task_scope& awaited,
                                  group_look& look) noexcept override {
    if (must_give_way(self, 0) && look.is_patient && !look.has_given_way) return {.must_give_way = true};
    return {.work = awaited.take_newest(self)};
  }
  [[nodiscard]] unsigned urgency_of(const detail::worker& /*self*/, unsigned of_level) const noexcept override {
    return of_level;
  }
  [[nodiscard]] bool must_give_way(detail::worker& /*self*/, unsigned /*urgency*/) noexcept override {
    return gives_way;
  }
  [[nodiscard]] bool must_still_give_way(const detail::worker& /*self*/, unsigned /*urgency*/) const noexcept override {
    return --looks_until_way_is_free >= 0;
  }
  [[nodiscard]] bool may_leapfrog(const detail::worker& /*self*/, unsigned /*of_level*/) const noexcept override {
    return leapfrogs;
  }
  void bury(const detail::spawned_job& /*work*/) noexcept override { ++burials; }
  [[nodiscard]] unsigned begin(detail::worker& /*self*/, const detail::spawned_job& /*work*/) noexcept override {
    return level_of_waiters;
  }
};

}  // namespace pilfer::test
