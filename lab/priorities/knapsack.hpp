// The 0/1 knapsack, and a search for its best filling by branch and bound. How much of the tree that visits depends on the order:
// what a good filling found early cuts off need not be searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/priorities/design.hpp"

namespace pilfer::lab::priorities {

struct item {
  std::int64_t profit = 0;
  std::int64_t weight = 0;
};

struct knapsack {
  std::vector<item> items;  // the best ratio of profit to weight first
  std::int64_t capacity = 0;
};

// Weakly correlated (Pisinger): the profit is about the weight. Half of the items fit in.
[[nodiscard]] knapsack make_knapsack(std::size_t items, std::uint64_t seed);

// By dynamic programming: what a search must come to.
[[nodiscard]] std::int64_t best_by_table(const knapsack& what);

// The first so many items are decided.
struct partial_filling {
  std::size_t decided = 0;
  std::int64_t profit = 0;
  std::int64_t weight = 0;
};
// No filling that begins so is worth more: the rest in the order of the items, and a part of the first that does not fit in.
[[nodiscard]] std::int64_t bound_of(const knapsack& what, const partial_filling& node) noexcept;

// Which child of a node is spawned last, so that a deque runs it first.
enum class child_order : unsigned char {
  promising_last,    // the one with the item, as good as it gets
  promising_buried,  // as if nothing were known of them
};

struct search_result {
  std::int64_t best = 0;
  std::uint64_t nodes = 0;  // that had children
};

// Depth first, the last child first, as a single deque with one worker does.
[[nodiscard]] search_result search_serially(const knapsack& what, child_order order);

// A task for each node. Its level goes by how far its bound is above the best filling so far, relative to the root's.
[[nodiscard]] search_result search(const knapsack& what, child_order order, arena& where);

// 0 for a bound as high as the root's, the last for one that is hardly above the best.
[[nodiscard]] unsigned level_of(std::int64_t bound, std::int64_t best, std::int64_t root_bound,
                                unsigned levels) noexcept;

}  // namespace pilfer::lab::priorities
