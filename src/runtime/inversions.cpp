// Counting priority inversions, as docs/guarantees.md defines them.
#include <algorithm>

#include "state.hpp"

namespace pilfer::detail {

namespace {

// What was published before a scan, by all whom a queue belongs to, and what is there after it.
class lane_balance {
  using orders = scheduler_orders;

 public:
  void add(std::uint64_t published_before, const lane_audit& now, std::int64_t tombstones) noexcept {
    published_ += published_before;
    begun_ += now.begun.load(
        orders::relaxed);  // hint: after the size, so not too low on a machine that keeps stores in order
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
std::uint64_t smaller_size(const lane& queue) noexcept { return std::min(queue.size_hint(), queue.size_hint()); }

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): caught
void scheduler::state::begin_scan(worker& self) noexcept {
  auto& published = self.hunt->published;
  const std::size_t known = known_workers();
  try {
    published.resize(known + 1);
  } catch (const std::bad_alloc&) {
    published.clear();  // not counted this time
    return;
  }
  for (std::size_t i = 0; i < known; ++i) {
    for (unsigned level = 0; level < levels; ++level) {
      published[i][level] = at(i).tasks.audit(level).published.load(orders::relaxed);  // hint
    }
  }
  for (unsigned level = 0; level < levels; ++level) {
    published[known][level] = outside.audit(level).published.load(orders::relaxed);  // hint
  }
}

void scheduler::state::end_scan(worker& self, unsigned level) noexcept {
  if (self.hunt->published.empty()) return;
  for (unsigned above = 0; above < level; ++above) {
    if (!has_missed(self, above)) continue;
    self.counts.inversions.add();
    return;
  }
}

bool scheduler::state::has_missed(const worker& self, unsigned level) noexcept {
  const auto& published = self.hunt->published;
  const std::size_t known = published.size() - 1;
  lane_balance injected;
  const std::uint64_t waiting = outside.size(level);
  injected.add(published[known][level], outside.audit(level), outside.tombstones(level).value());
  if (injected.has_missed(waiting)) return true;
  if (self.tasks[level].hides_some())
    return false;  // what nobody can take is not published; nor do they know their size
  const bool shared = self.tasks[level].is_shared();
  const std::uint64_t size_of_all = shared ? smaller_size(self.tasks[level]) : 0;
  lane_balance all;
  const std::size_t known_now = known_workers();  // those that have come meanwhile push into a shared queue, too
  for (std::size_t i = 0; i < (shared ? known_now : known); ++i) {
    task_lanes& lanes = at(i).tasks;
    const std::uint64_t size = shared ? 0 : smaller_size(lanes[level]);
    lane_balance one;
    (shared ? all : one).add(i < known ? published[i][level] : 0, lanes.audit(level), lanes.tombstones(level).value());
    if (!shared && one.has_missed(size)) return true;
  }
  return shared && all.has_missed(size_of_all);
}

}  // namespace pilfer::detail
