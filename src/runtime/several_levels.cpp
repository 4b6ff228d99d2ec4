#include "several_levels.hpp"

#include <algorithm>
#include <utility>

#include "current_worker.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

several_levels::several_levels(const pool_options& options, neighbours told_of, searcher make_search)
    : ready_set(options.levels, std::move(told_of)),
      queues_(told().workers, outside(), told().sleepers),
      ages_(queues_, outside(), told().workers, options.ageing),
      search_(make_search(
          {.queues = queues_, .workers = told().workers, .thieves = told().thieves, .places = told().places}, options)),
      waits_(queues_, ages_, options.levels, options.rule == priority_rule::strict) {}

void several_levels::equip(worker& fresh) {
  queues_.equip(fresh);
  ready_set::equip(fresh);
}

void several_levels::enter(worker& seat) noexcept {
  const task_level level = level_from_outside(levels());
  seat.scopes.push(seat.queue->mark(), seat.scope, level.bits());
  seat.level = level;
  begin_nested(seat, level.number());
}
void several_levels::leave(worker& seat) noexcept {
  seat.level = level_of_callers();
  seat.scopes.pop();
  seat.levels->shown.run({});
}

void several_levels::give_away(worker& self) noexcept {
  for (unsigned level = 0; level < levels(); ++level) {
    while (job* const each = queues_.take(self, level)) queues_.inject(&self, *each, level_of(*each));
  }
}

void several_levels::clear() noexcept {
  ready_set::clear();
  ages_.clear();
}

void several_levels::inject(worker* by, job& work) noexcept {
  ages_.admit(work);
  queues_.inject(by, work, level_of(work));
}

bool several_levels::push(worker& self, job& work) noexcept {
  const unsigned level = level_of(work);
  if (spawned_job* const spawned = as_task(work)) {
    spawned->note_queue(self.index);
  } else if (ages_.admit(work)) {  // it rises in the injection queue, because it can have one entry only
    queues_.inject(&self, work, level);
    return true;
  }
  queues_.tidy_if_many(self, level);
  if (queues_.push(self, work, level)) [[likely]]
    return true;
  if (self.tasks[level].size_hint() > few_tasks) return false;
  queues_.tidy(self, level);
  return queues_.push(self, work, level);
}

// What the worker shows of its forks stays until it begins something at the bottom of its stack: that costs thieves a look at most.
job* several_levels::find(worker& self) noexcept {
  job* const found = look(self, true);
  if (found == nullptr) search_->sink_to(self, levels());
  self.levels->shown.run(found != nullptr ? level_set::of(level_of(*found)) : level_set());
  return found;
}

job* several_levels::look(worker& self, bool own_too) noexcept {
  ages_.raise_old(self);
  return search_->find(self, own_too);
}

void several_levels::begin_nested(worker& self, unsigned level) noexcept {
  self.levels->shown.run(self.levels->shown.running() | level_set::of(level));
}

// --- Waits.

bool level_waits::lift(worker& self, task_scope& awaited) noexcept {
  if (!self.level.lifts()) return false;
  awaited.lift(*this, self, self.level.number());
  return true;
}

void level_waits::lift(worker& self, spawned_job& awaited) noexcept {
  const unsigned level = self.level.number();
  if (self.level.lifts() && awaited.level() > level && !awaited.is_claimed()) raise(self, awaited, level);
}

void level_waits::raise(worker& self, spawned_job& work, unsigned level) noexcept {
  queues_.bury(work);
  queues_.push_again(self, work, level);
  self.counts.lifted.add();
}

// The newest of the own queue, if it is of this group: that leaves no tombstone. Otherwise the newest of the group, wherever it lies.
wait_rules::next_task level_waits::next_of(worker& self, task_scope& awaited, group_look& look) noexcept {
  ages_.raise_old(self);
  const level_set waiting = awaited.waiting_levels();
  if (waiting.empty()) return {};
  const unsigned level = waiting.first();
  if (!look.has_given_way) {
    look.urgency = urgency_of(self, level);
    if (look.is_patient && must_give_way(self, look.urgency)) return {.must_give_way = true};
  }
  if (!look.passed.has(level)) {
    if (job* const newest = queues_.take(self, level)) {
      spawned_job* const spawned = as_task(*newest);
      if (spawned != nullptr && spawned->scope == &awaited) {
        if (spawned->claim(&self)) return {.work = spawned, .has_entry = true};
        spawned->let_go();
        return {.again = true};
      }
      look.passed |= level_set::of(level);
      queues_.put_back(self, *newest, level);
    }
  }
  spawned_job* const work = awaited.take_newest(self);
  if (work == nullptr) return {};
  look.passed = {};
  queues_.bury(*work);
  return {.work = work};
}

// As the task, as its waiter, or as a task that waits for the waiter's group, which would otherwise stand behind all strangers that are more
// urgent than the waiter.
unsigned level_waits::urgency_of(const worker& self, unsigned level) const noexcept {
  const unsigned own = std::min(level, own_level(self));
  return self.scope != nullptr ? std::min(own, self.scope->lifted_level()) : own;
}

bool level_waits::must_give_way(worker& self, unsigned urgency) noexcept {
  if (urgency == 0 || !is_strict_) return false;
  queues_.settle(self, urgency);
  return queues_.has_urgent(self, urgency);
}

// Not before more urgent ones: when the waiter sleeps another worker begins them.
bool level_waits::may_leapfrog(const worker& self, unsigned level) const noexcept {
  return !queues_.has_urgent(self, std::min(level, own_level(self)));
}

unsigned level_waits::begin(worker& self, const spawned_job& work) noexcept {
  const unsigned level = std::min(work.level(), own_level(self));
  if (level < work.level()) self.counts.lifted.add();
  self.levels->shown.run(self.levels->shown.running() | level_set::of(level));
  return level;
}

}  // namespace pilfer::detail
