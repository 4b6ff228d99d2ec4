#include "execution.hpp"

#include <cstdint>

#include "inside_scope.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

void execution::run(worker& self, job& work) const noexcept {
  if (latch_of(work).is_spawned()) {
    run_task(self, static_cast<spawned_job&>(work));
    return;
  }
  auto& record = self.runs[self.depth];
  const std::uint64_t mark = self.queue->mark();
  const std::uint64_t serial = record.start(mark, self.tasks.exist() ? self.tasks.mark(ready_.level_of(work)) : 0);
  latch_of(work).start(run_id(self.index, self.depth, serial));
  ++self.depth;
  if (!self.tasks.exist()) {
    work.run(work);
  } else {
    const inside_scope in(self, work, mark, task_level::from_bits(work.level));
    work.run(work);
  }
  --self.depth;
  record.end(serial);
  latch_of(work).finish();
}

void execution::run_nested(worker& self, job& work) const noexcept {
  ready_.begin_nested(self, ready_.level_of(work));
  run(self, work);
}

void execution::run_task(worker& self, spawned_job& work) noexcept {
  if (!work.claim()) {  // a waiter was first: a tombstone
    work.let_go();
    return;
  }
  auto& record = self.runs[self.depth];
  const std::uint64_t mark = self.queue->mark();
  const unsigned level = work.level();
  const std::uint64_t serial = record.start(mark, self.tasks.mark(level));
  const run_id id(self.index, self.depth, serial);
  latch_of(work).start_spawned(id);
  if (work.scope != nullptr) work.scope->note_run(id);
  ++self.depth;
  self.counts.tasks.add();
  self.counts.tasks_of_level[level].add();
  {
    const inside_scope in(self, work, mark, task_level(level));
    work.run(work);
  }
  --self.depth;
  record.end(serial);
  work.end(true);
}

void execution::run_here(worker& self, spawned_job& work, bool entry_too) const noexcept {
  const unsigned level = ready_.rules().begin(self, work);
  self.counts.tasks.add();
  self.counts.tasks_of_level[level].add();
  {
    const inside_scope in(self, work, self.queue->mark(), task_level(level));
    work.run(work);
  }
  work.end(entry_too);
}

}  // namespace pilfer::detail
