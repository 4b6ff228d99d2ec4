// The ready set of a pool with one level: a queue of tasks per worker, and the injection queue.
#pragma once

#include <utility>

#include "ready_set.hpp"

namespace pilfer::detail {

class one_level final : public ready_set, private wait_rules {
 public:
  explicit one_level(neighbours told) : ready_set(1, std::move(told)) {}

  [[nodiscard]] wait_rules& rules() noexcept override { return *this; }
  void equip(worker& fresh) override;
  void enter(worker& /*seat*/) noexcept override {}
  void leave(worker& /*seat*/) noexcept override {}
  void give_away(worker& self) noexcept override;
  [[nodiscard]] bool will_rise(spawned_job& /*fresh*/) noexcept override { return false; }
  void watch(spawned_job& /*published*/) noexcept override {}
  [[nodiscard]] bool push(worker& self, job& work) noexcept override;
  void inject(worker* by, job& work) noexcept override { outside().append(work, 0, told().sleepers, by); }
  [[nodiscard]] job* find(worker& self) noexcept override;
  [[nodiscard]] job* find_stranger(worker& self) noexcept override;
  [[nodiscard]] job* find_elsewhere(worker& self) noexcept override;
  [[nodiscard]] unsigned level_of(const job& /*work*/) const noexcept override { return 0; }
  void begin_nested(worker& /*self*/, unsigned /*level*/) noexcept override {}

 private:
  [[nodiscard]] bool lift(worker& /*self*/, task_scope& /*awaited*/) noexcept override { return false; }
  void lift(worker& /*self*/, spawned_job& /*awaited*/) noexcept override {}
  [[nodiscard]] next_task next_of(worker& self, task_scope& awaited, group_look& look) noexcept override;
  [[nodiscard]] unsigned urgency_of(const worker& /*self*/, unsigned /*level*/) const noexcept override { return 0; }
  [[nodiscard]] bool must_give_way(worker& /*self*/, unsigned /*urgency*/) noexcept override { return false; }
  [[nodiscard]] bool must_still_give_way(const worker& /*self*/, unsigned /*urgency*/) const noexcept override {
    return false;
  }
  [[nodiscard]] bool may_leapfrog(const worker& /*self*/, unsigned /*level*/) const noexcept override { return true; }
  void bury(const spawned_job& /*work*/) noexcept override {}
  [[nodiscard]] unsigned begin(worker& /*self*/, const spawned_job& /*work*/) noexcept override { return 0; }

  [[nodiscard]] job* take_injected(worker& self) noexcept { return outside().take(0, self.counts.injected); }
};

}  // namespace pilfer::detail
