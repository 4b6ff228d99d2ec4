#include "execution.hpp"

#include <coroutine>
#include <cstdint>

#include <pilfer/detail/coro_transfer.hpp>

#include "deque_task_lane.hpp"
#include "inside_scope.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

void execution::run(worker& self, job& work) const noexcept {
  switch (work.type.kind) {
    case job_kind::forked: run_fork(self, static_cast<forked_job&>(work)); break;
    case job_kind::spawned: run_task(self, static_cast<spawned_job&>(work)); break;
    case job_kind::resumed: run_resumption(self, static_cast<resume_job&>(work)); break;
  }
}

void execution::run_fork(worker& self, forked_job& work) const noexcept {
  auto& record = self.runs[self.depth];
  const std::uint64_t mark = self.queue->mark();
  const std::uint64_t serial = record.start(mark, self.tasks.exist() ? self.tasks.mark(ready_.level_of(work)) : 0);
  latch_of(work).start(run_id(self.index, self.depth, serial));
  ++self.depth;
  if (!self.tasks.exist()) {
    work.type.run(work);
  } else {
    const inside_scope in(self, &work, work.scope, mark, task_level::from_bits(work.level));
    work.type.run(work);
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
  if (!work.claim(&self)) {  // a waiter was first: a tombstone
    work.let_go();
    return;
  }
  work.begin();
  auto& record = self.runs[self.depth];
  const std::uint64_t mark = self.queue->mark();
  const unsigned level = work.level();
  const std::uint64_t serial = record.start(mark, self.tasks.mark(level));
  const run_id id(self.index, self.depth, serial);
  work.run_latch().start_spawned(id);
  if (work.scope != nullptr) work.scope->note_run(id, self);
  ++self.depth;
  self.counts.tasks.add();
  self.counts.tasks_of_level[level].add();
  {
    const inside_scope in(self, &work, work.scope, mark, task_level(level));
    work.run();
  }
  --self.depth;
  record.end(serial);
  work.end(true, &self);
}

// The job is a part of the coroutine's frame, which may be gone as soon as the coroutine has been resumed.
void execution::resume(worker& self, const resume_job& work) noexcept {
  if (work.is_completion) [[unlikely]] {
    self.counts.io_completed.add();
    if (work.queued_by != resume_job::no_worker && work.queued_by != self.index) self.counts.io_stolen.add();
  }
  self.counts.tasks.add();
  self.counts.tasks_of_level[work.where.level].add();
  resume_here(work.what);
}

void execution::run_resumption(worker& self, const resume_job& work) noexcept {
  const unsigned level = work.where.level;
  auto& record = self.runs[self.depth];
  const std::uint64_t mark = self.queue->mark();
  const std::uint64_t serial = record.start(mark, self.tasks.mark(level));
  ++self.depth;
  {
    const inside_scope in(self, nullptr, nullptr, mark, task_level(level));
    resume(self, work);
  }
  --self.depth;
  record.end(serial);
}

void execution::run_own(worker& self, task_scope& group, events& completions) const noexcept {
  auto own = self.plain_tasks->owner();
  inside_scope inside(self, nullptr, &group, self.queue->mark(), task_level(0));
  while (const auto newest = own.pop()) {
    spawned_job* const work = as_task(**newest);
    if (work == nullptr || work->scope != &group) [[unlikely]] {
      if (drop_if_tombstone(**newest)) continue;
      if (!deque_task_lane::push(self, *self.plain_tasks, **newest)) ready_.inject(&self, **newest);
      return;
    }
    if (!work->claim(&self)) [[unlikely]] {
      work->let_go();
      continue;
    }
    self.counts.tasks.add();
    self.counts.tasks_of_level[0].add();
    inside.begin(work);
    work->run();
    inside.begin(nullptr);
    if (work->is_mere_memory()) [[likely]] {
      task_memory::free(work, self.memory.get());
      group.finish(&self);
    } else {
      work->end(true, &self);
    }
    completions.attend(self);
  }
}

void execution::run_here(worker& self, spawned_job& work, bool entry_too, bool tells_pool) const noexcept {
  work.begin();
  const unsigned level = ready_.rules().begin(self, work);
  self.counts.tasks.add();
  self.counts.tasks_of_level[level].add();
  {
    const inside_scope in(self, &work, work.scope, self.queue->mark(), task_level(level));
    work.run();
  }
  work.end(entry_too, &self, tells_pool);
}

}  // namespace pilfer::detail
