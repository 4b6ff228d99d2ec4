#include "injector.hpp"
#include "spawned_job.hpp"

#include "patience.hpp"

namespace pilfer::detail {

injector::holder::holder(injector& list) noexcept : list_(list) {
  for (unsigned i = 1; !list_.lock_.try_lock(); ++i) {
    ext::default_sync::pause();
    if (i % pauses_before_rest == 0) list_.lock_.rest(rest_at_lock_us);
  }
}

bool injector::append(job& work, unsigned level) noexcept {
  spawned_job* const spawned = as_task(work);
  bool had_another = false;
  const holder lock(*this);
  // A task that has risen may have several entries, but can be in one list only: here the older entry ends.
  if (spawned != nullptr) {
    had_another = spawned->is_injected && unlink_from_any(work);
    spawned->is_injected = true;
    spawned->note_queue(spawned_job::injected);
  } else if (work.type.kind == job_kind::resumed) {
    note_rise(static_cast<const resume_job&>(work).rises_ns);
  }
  list& all = lists_[level];
  work.next_injected = nullptr;
  (all.last != nullptr ? all.last->next_injected : all.first) = &work;
  all.last = &work;
  show(levels() | level_set::of(level));
  resize(all, 1);
  return had_another;
}

void injector::append(job& work, unsigned level, parking<ext::default_sync>& sleepers, worker* by) noexcept {
  if (append(work, level)) static_cast<spawned_job&>(work).let_go();  // the entry that the caller had remains
  if (sleepers.notify_fenced() && by != nullptr) by->counts.wakes.add();
}

job* injector::take(unsigned level, counter& taken) noexcept {
  if (!levels().has(level)) return nullptr;
  const holder lock(*this);
  job* const work = lists_[level].first;
  if (work == nullptr) return nullptr;
  unlink(level, nullptr, *work);
  taken.add();
  return work;
}

job* injector::take(counter& taken) noexcept {
  for (const unsigned level : levels()) {
    if (job* const found = take(level, taken)) return found;
  }
  return nullptr;
}

job* injector::take_due(std::int64_t now_ns) noexcept {
  job* taken = nullptr;
  job** end = &taken;
  const holder lock(*this);
  first_rise_.store(0, orders::relaxed);  // hint; guarded
  for (const unsigned level : levels()) {
    for (job *before = nullptr, *each = lists_[level].first, *next = nullptr; each != nullptr; each = next) {
      next = each->next_injected;
      resume_job* const found = each->type.kind == job_kind::resumed ? static_cast<resume_job*>(each) : nullptr;
      if (found == nullptr || found->rises_ns == 0) {
        before = each;
        continue;
      }
      if (found->rises_ns > now_ns) {  // and so do those that came later
        note_rise(found->rises_ns);
        break;
      }
      unlink(level, before, *found);
      *end = found;
      end = &found->next_injected;
    }
  }
  *end = nullptr;
  return taken;
}

void injector::note_rise(std::int64_t at_ns) noexcept {
  const std::int64_t first = first_rise();
  if (at_ns != 0 && (first == 0 || at_ns < first)) first_rise_.store(at_ns, orders::relaxed);  // hint; guarded
}

bool injector::take_back(job& work, unsigned level) noexcept {
  if (!has_any()) return false;
  const holder lock(*this);
  return as_task(work) != nullptr ? unlink_from(level, work) : unlink_from_any(work);
}

bool injector::take_back_oldest(job& work, unsigned level) noexcept {
  if (!levels().has(level)) return false;
  const holder lock(*this);
  if (lists_[level].first != &work) return false;
  unlink(level, nullptr, work);
  return true;
}

void injector::unlink(unsigned level, job* before, job& work) noexcept {
  list& all = lists_[level];
  resize(all, std::uint64_t{0} - 1);  // before the level is hidden
  (before != nullptr ? before->next_injected : all.first) = work.next_injected;
  if (all.last == &work) all.last = before;
  if (all.first == nullptr) show(levels().without(level));
  if (spawned_job* const spawned = as_task(work)) spawned->is_injected = false;
}

bool injector::unlink_from(unsigned level, job& work) noexcept {
  job* before = nullptr;
  for (job* each = lists_[level].first; each != nullptr; before = each, each = each->next_injected) {
    if (each != &work) continue;
    unlink(level, before, work);
    return true;
  }
  return false;
}

bool injector::unlink_from_any(job& work) noexcept {
  for (const unsigned level : levels()) {
    if (unlink_from(level, work)) return true;
  }
  return false;
}

}  // namespace pilfer::detail
