#include "ageing.hpp"

#include <utility>

#include "search.hpp"

namespace pilfer::detail {

void ageing::raise(worker& self, spawned_job& oldest, std::int64_t now_ns) noexcept {
  if (move_up(self, oldest, now_ns)) return;
  const unsigned level = oldest.level();
  if (level == 0) return;
  queues_.bury(oldest);
  oldest.add_entry();
  lift_one(self, oldest, level - 1, now_ns);
}

bool ageing::admit(job& work) const noexcept {
  if (!list_.is_used() || work.type.kind != job_kind::resumed) return false;
  auto& waiting = static_cast<resume_job&>(work);
  waiting.rises_ns = waiting.where.level == 0 ? 0 : list_.next_rise(now());
  return waiting.rises_ns != 0;
}

void ageing::raise_resumed(worker& self, std::int64_t now_ns) noexcept {
  for (job* left = outside_.take_due(now_ns); left != nullptr;) {
    auto& work = static_cast<resume_job&>(*std::exchange(left, left->next_injected));
    --work.where.level;
    work.rises_ns = work.where.level == 0 ? 0 : list_.next_rise(now_ns);
    self.counts.aged.add();
    queues_.inject(&self, work, work.where.level);
  }
}

void ageing::lift_one(worker& self, spawned_job& work, unsigned level, std::int64_t now_ns) noexcept {
  work.rises_ns = list_.next_rise(now_ns);
  self.counts.aged.add();
  work.set_level(level);
  queues_.inject(&self, work, level);
}

// Out of its queue, where it lies before all younger ones, and into the injection queue of the level above: no tombstone is left, however
// long no worker comes to its level. Others that are due come along. The injection queue is first in, first out, and workers look there in
// good time whatever they have themselves: among equals none starves either.
bool ageing::move_up(worker& self, spawned_job& oldest, std::int64_t now_ns) noexcept {
  const unsigned level = oldest.level();
  const unsigned where = oldest.queued_at();
  if (level == 0) return false;
  if (where >= roster::most_workers) {
    if (!outside_.take_back(oldest, level)) return false;
    lift_one(self, oldest, level - 1, now_ns);
    return true;
  }
  const worker_face& owner = workers_.at(where);
  if (owner.spawned().hide_some()) return false;
  lane& queue = owner.spawned()[level];
  for (;;) {
    const auto result = queue.steal(self.hunt->random());
    if (result.status() == ext::steal_status::lost) continue;
    if (!result) return false;
    auto& work = static_cast<spawned_job&>(**result);
    if (work.is_claimed() || work.level() != level) {  // or it has risen, and has another entry
      queues_.drop(owner, work, level);
    } else if (work.rises_ns != 0 && work.rises_ns <= now_ns) {  // 0: not watched yet
      lift_one(self, work, level - 1, now_ns);
      if (&work == &oldest) return true;
    } else {
      queues_.inject(&self, work, level);
      return false;
    }
  }
}

}  // namespace pilfer::detail
