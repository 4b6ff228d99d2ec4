#include "lab/priorities/knapsack.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "lab/measure/xorshift.hpp"
#include "lab/priorities/countdown.hpp"

namespace pilfer::lab::priorities {
namespace {

constexpr std::uint64_t seed_step = 0x9e3779b97f4a7c15;
constexpr std::int64_t heaviest = 1000;

partial_filling without_next(const partial_filling& node) noexcept {
  return {node.decided + 1, node.profit, node.weight};
}
partial_filling with_next(const knapsack& what, const partial_filling& node) noexcept {
  const item& next = what.items[node.decided];
  return {node.decided + 1, node.profit + next.profit, node.weight + next.weight};
}

// In the order in which they are spawned.
std::array<partial_filling, 2> children(const knapsack& what, const partial_filling& node, child_order order) noexcept {
  std::array<partial_filling, 2> both = {without_next(node), with_next(what, node)};
  if (order == child_order::promising_buried) std::swap(both[0], both[1]);
  return both;
}

bool fits(const knapsack& what, const partial_filling& node) noexcept { return node.weight <= what.capacity; }

struct serial_search {
  const knapsack& what;
  const child_order order;
  search_result found{};

  void visit(const partial_filling& node) {
    if (bound_of(what, node) <= found.best || node.decided == what.items.size()) return;
    ++found.nodes;
    const auto both = children(what, node, order);
    for (const partial_filling& child : both) {
      if (fits(what, child)) found.best = std::max(found.best, child.profit);
    }
    for (std::size_t i = both.size(); i-- > 0;) {
      if (fits(what, both[i])) visit(both[i]);
    }
  }
};

class parallel_search {
 public:
  parallel_search(const knapsack& what, child_order order, arena& where)
      : what_(what), order_(order), where_(where), root_bound_(bound_of(what, {})), group_(where.inside()) {}

  search_result run() {
    where_.spawn(group_, 0, [this] { visit({}); });
    wait_as_outsider(left_, group_);
    return {best_.load(std::memory_order_relaxed), nodes_.load(std::memory_order_relaxed)};
  }

 private:
  void visit(const partial_filling& node) {
    if (node.decided < what_.items.size() && bound_of(what_, node) > best()) expand(node);
    if (left_.finish()) left_.open();
  }

  void expand(const partial_filling& node) {
    nodes_.fetch_add(1, std::memory_order_relaxed);
    const auto both = children(what_, node, order_);
    for (const partial_filling& child : both) {
      if (fits(what_, child)) improve(child.profit);
    }
    for (const partial_filling& child : both) {
      if (!fits(what_, child)) continue;
      const std::int64_t bound = bound_of(what_, child);
      if (bound <= best()) continue;
      left_.add(1);
      where_.spawn(group_, level_of(bound, best(), root_bound_, where_.levels()), [this, child] { visit(child); });
    }
  }

  [[nodiscard]] std::int64_t best() const noexcept { return best_.load(std::memory_order_relaxed); }
  void improve(std::int64_t profit) noexcept {
    std::int64_t known = best();
    while (known < profit && !best_.compare_exchange_weak(known, profit, std::memory_order_relaxed)) {
    }
  }

  const knapsack& what_;
  const child_order order_;
  arena& where_;
  const std::int64_t root_bound_;
  task_group group_;
  countdown left_{1};
  alignas(64) std::atomic<std::int64_t> best_{0};
  alignas(64) std::atomic<std::uint64_t> nodes_{0};
};

}  // namespace

knapsack make_knapsack(std::size_t items, std::uint64_t seed) {
  xorshift random(seed * seed_step);
  knapsack made;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < items; ++i) {
    const auto weight = static_cast<std::int64_t>(1 + random.next() % heaviest);
    const auto more = static_cast<std::int64_t>(random.next() % (heaviest / 5 + 1)) - heaviest / 10;
    made.items.push_back({std::max<std::int64_t>(1, weight + more), weight});
    sum += weight;
  }
  made.capacity = sum / 2;
  std::ranges::sort(made.items, [](const item& a, const item& b) { return a.profit * b.weight > b.profit * a.weight; });
  return made;
}

std::int64_t best_by_table(const knapsack& what) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(what.capacity) + 1);  // by what the filling may weigh
  for (const item& each : what.items) {
    const auto weight = static_cast<std::size_t>(each.weight);
    for (std::size_t room = best.size(); room-- > weight;) {
      best[room] = std::max(best[room], best[room - weight] + each.profit);
    }
  }
  return best.back();
}

std::int64_t bound_of(const knapsack& what, const partial_filling& node) noexcept {
  std::int64_t profit = node.profit;
  std::int64_t room = what.capacity - node.weight;
  for (std::size_t i = node.decided; i < what.items.size(); ++i) {
    const item& next = what.items[i];
    if (next.weight > room) return profit + next.profit * room / next.weight;
    room -= next.weight;
    profit += next.profit;
  }
  return profit;
}

search_result search_serially(const knapsack& what, child_order order) {
  serial_search from{what, order};
  from.visit({});
  return from.found;
}

search_result search(const knapsack& what, child_order order, arena& where) {
  return parallel_search(what, order, where).run();
}

unsigned level_of(std::int64_t bound, std::int64_t best, std::int64_t root_bound, unsigned levels) noexcept {
  const std::int64_t range = root_bound - best;
  if (range <= 0 || bound >= root_bound) return 0;
  const std::int64_t below = std::min(root_bound - bound, range - 1);
  return static_cast<unsigned>(below * static_cast<std::int64_t>(levels) / range);
}

}  // namespace pilfer::lab::priorities
