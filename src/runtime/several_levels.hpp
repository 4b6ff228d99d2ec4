// The ready set of a pool with several levels: pool_options::levels. The rules are in docs/guarantees.md.
#pragma once

#include <memory>

#include "ageing.hpp"
#include "level_queues.hpp"
#include "level_search.hpp"
#include "ready_set.hpp"

namespace pilfer::detail {

// Waits in such a pool: a waiter lifts what it waits for, and gives way to what is more urgent.
class level_waits : public wait_rules {
 public:
  level_waits(level_queues& queues, ageing& ages, unsigned levels, bool is_strict) noexcept
      : queues_(queues), ages_(ages), levels_(levels), is_strict_(is_strict) {}

  [[nodiscard]] bool lift(worker& self, task_scope& awaited) noexcept override;
  void lift(worker& self, spawned_job& awaited) noexcept override;
  [[nodiscard]] next_task next_of(worker& self, task_scope& awaited, group_look& look) noexcept override;
  [[nodiscard]] unsigned urgency_of(const worker& self, unsigned level) const noexcept override;
  [[nodiscard]] bool must_give_way(worker& self, unsigned urgency) noexcept override;
  [[nodiscard]] bool must_still_give_way(const worker& self, unsigned urgency) const noexcept override {
    return queues_.has_urgent(self, urgency);
  }
  [[nodiscard]] bool may_leapfrog(const worker& self, unsigned level) const noexcept override;
  void bury(const spawned_job& work) noexcept override { queues_.bury(work); }
  [[nodiscard]] unsigned begin(worker& self, const spawned_job& work) noexcept override;

  // A more urgent task waits for it: queues it once more, at that level. The caller holds its group's lock, or its future.
  void raise(worker& self, spawned_job& work, unsigned level) noexcept;

 private:
  // The level at which the worker waits: of a caller, the least urgent.
  [[nodiscard]] unsigned own_level(const worker& self) const noexcept {
    return self.level.lifts() ? self.level.number() : levels_ - 1;
  }

  level_queues& queues_;
  ageing& ages_;
  const unsigned levels_;
  const bool is_strict_;
};

class several_levels : public ready_set {
 public:
  using searcher = std::unique_ptr<level_search> (*)(const level_search::neighbours& told, const pool_options& options);
  static std::unique_ptr<level_search> default_searcher(const level_search::neighbours& told,
                                                        const pool_options& options) {
    return std::make_unique<level_search>(told, options.levels, options.rule);
  }
  //   Throws  std::bad_alloc
  several_levels(const pool_options& options, neighbours told, searcher make_search = &default_searcher);

  [[nodiscard]] level_queues& queues() noexcept { return queues_; }
  [[nodiscard]] wait_rules& rules() noexcept override { return waits_; }
  void equip(worker& fresh) override;
  void enter(worker& seat) noexcept override;
  void leave(worker& seat) noexcept override;
  void give_away(worker& self) noexcept override;
  void clear() noexcept override;
  [[nodiscard]] bool will_rise(spawned_job& fresh) noexcept override { return ages_.admit(fresh); }
  void watch(spawned_job& published) noexcept override { ages_.watch(published); }
  [[nodiscard]] bool push(worker& self, job& work) noexcept override;
  void inject(worker* by, job& work) noexcept override;
  [[nodiscard]] job* find(worker& self) noexcept override;
  [[nodiscard]] job* find_stranger(worker& self) noexcept override { return look(self, true); }
  [[nodiscard]] job* find_elsewhere(worker& self) noexcept override { return look(self, false); }
  [[nodiscard]] unsigned level_of(const job& work) const noexcept override { return level_search::level_of(work); }
  void begin_nested(worker& self, unsigned level) noexcept override;

 protected:
  [[nodiscard]] virtual job* look(worker& self, bool own_too) noexcept;
  [[nodiscard]] ageing& ages() noexcept { return ages_; }

 private:
  level_queues queues_;
  ageing ages_;
  const std::unique_ptr<level_search> search_;
  level_waits waits_;
};

}  // namespace pilfer::detail
