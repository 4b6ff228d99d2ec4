#include "research/inversions.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace pilfer::research {

namespace {

// What was published before a scan, by all workers that a queue belongs to, and what is there after it.
class lane_balance {
 public:
  void add(std::uint64_t published_before, std::uint64_t begun_now, std::int64_t tombstones) noexcept {
    published_ += published_before;
    begun_ += begun_now;
    tombstones_ += tombstones;
  }
  // Has one lain there all the while? True only if that is certain.
  [[nodiscard]] bool has_missed(std::uint64_t size_now) const noexcept {
    return static_cast<std::int64_t>(published_ - begun_ + size_now) - tombstones_ > 0;
  }

 private:
  std::uint64_t published_ = 0;
  std::uint64_t begun_ = 0;
  std::int64_t tombstones_ = 0;
};

// An owner that is about to take its last one, and a thief that comes between the two readings, make one size too large.
std::uint64_t smaller_size(const detail::lane& queue) noexcept {
  return std::min(queue.size_hint(), queue.size_hint());
}

}  // namespace

inversion_count::inversion_count(const roster& workers, const injector& outside, level_queues& queues, unsigned levels)
    : workers_(workers), outside_(outside), queues_(queues), levels_(levels), of_(most_ + 1), published_(most_ + 1) {
  queues.add_observer(*this);
}

void inversion_count::before_push(const worker_face* to, unsigned level) noexcept {
  entries_of(to)[level].begun.fetch_add(1, orders::relaxed);  // carried by the queue
}
void inversion_count::after_push(const worker_face* to, unsigned level, bool pushed) noexcept {
  entry& counts = entries_of(to)[level];
  if (pushed) {
    counts.published.fetch_add(1, orders::relaxed);  // hint
  } else {
    counts.begun.fetch_add(std::uint64_t{0} - 1, orders::relaxed);  // hint
  }
}

// NOLINTNEXTLINE(bugprone-exception-escape): caught
void inversion_count::begin_scan(const worker& self) noexcept {
  auto& published = published_[self.index];
  const std::size_t known = workers_.known();
  try {
    published.resize(known + 1);
  } catch (const std::bad_alloc&) {
    published.clear();  // not counted this time
    return;
  }
  for (std::size_t i = 0; i <= known; ++i) {
    const entries& each = of_[i < known ? i : most_];
    for (unsigned level = 0; level < levels_; ++level) {
      published[i][level] = each[level].published.load(orders::relaxed);  // hint
    }
  }
}

void inversion_count::end_scan(worker& self, unsigned level) noexcept {
  if (published_[self.index].empty()) return;
  for (unsigned above = 0; above < level; ++above) {
    if (!has_missed(self, above)) continue;
    self.counts.inversions.add();
    return;
  }
}

bool inversion_count::has_missed(const worker& self, unsigned level) noexcept {
  const auto& published = published_[self.index];
  const std::size_t known = published.size() - 1;
  // Read after the size, so not too low on a machine that keeps stores in order.
  const auto begun = [&](std::size_t i) { return of_[i][level].begun.load(orders::relaxed); };  // hint
  lane_balance injected;
  const std::uint64_t waiting = outside_.size(level);
  injected.add(published[known][level], begun(most_), queues_.tombstones_outside(level));
  if (injected.has_missed(waiting)) return true;
  // What no thief can take is not published; nor do such queues know their size.
  if (self.tasks.hide_some()) return false;
  const bool shared = self.tasks.are_shared();
  const std::uint64_t size_of_all = shared ? smaller_size(self.spawned()[level]) : 0;
  lane_balance all;
  const std::size_t known_now = workers_.known();  // those that have come meanwhile push into a shared queue, too
  for (std::size_t i = 0; i < (shared ? known_now : known); ++i) {
    const worker_face& each = workers_.at(i);
    const std::uint64_t size = shared ? 0 : smaller_size(each.spawned()[level]);
    lane_balance one;
    (shared ? all : one).add(i < known ? published[i][level] : 0, begun(i), queues_.tombstones_of(each, level));
    if (!shared && one.has_missed(size)) return true;
  }
  return shared && all.has_missed(size_of_all);
}

counting_levels::counting_levels(const pool_options& options, neighbours told_of, searcher make_search)
    : several_levels(options, std::move(told_of), make_search),
      count_(told().workers, outside(), queues(), options.levels),
      waits_(queues(), ages(), options, count_) {}

job* counting_levels::look(worker& self, bool own_too) noexcept {
  count_.begin_scan(self);
  job* const found = several_levels::look(self, own_too);
  // A fork is a part of a task that has begun.
  if (found != nullptr && found->type.kind != detail::job_kind::forked) count_.end_scan(self, level_of(*found));
  return found;
}

detail::wait_rules::next_task counting_levels::counting_waits::next_of(worker& self, detail::task_scope& awaited,
                                                                       group_look& look) noexcept {
  if (!look.has_given_way) count_.begin_scan(self);
  const next_task next = detail::level_waits::next_of(self, awaited, look);
  if (next.work != nullptr) count_.end_scan(self, look.urgency);
  return next;
}

}  // namespace pilfer::research
