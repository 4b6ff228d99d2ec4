// A binary tree over things in space: each node divides its items into two halves at the median of one coordinate, each
// coordinate in turn. Built in parallel; the same tree for everybody. Its shape follows from the number of items, so nodes
// need no pointers: those of node k are 2k + 1 and 2k + 2.
//
//   Rules::leaf                                  most items of a leaf
//   Rules::dimensions, Rules::coordinate(item, axis)
//   Rules::summary                               of a node
//   Rules::of(span of items), Rules::joined(summary, summary)
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace pilfer::lab::applications {

template <class Item, class Rules>
class median_tree {
 public:
  using summary = typename Rules::summary;

  // A node and its items.
  struct place {
    std::size_t node;
    std::size_t first;
    std::size_t last;
    [[nodiscard]] std::size_t size() const noexcept { return last - first; }
    [[nodiscard]] bool is_leaf() const noexcept { return size() <= Rules::leaf; }
    [[nodiscard]] std::size_t middle() const noexcept { return first + size() / 2; }
    [[nodiscard]] place lower() const noexcept { return {2 * node + 1, first, middle()}; }
    [[nodiscard]] place upper() const noexcept { return {2 * node + 2, middle(), last}; }
  };
  static constexpr std::size_t most_pending = 64;  // of a walk that keeps one of two nodes for later

  explicit median_tree(std::vector<Item> items) : original_(std::move(items)), items_(original_) {
    std::size_t nodes = 1;
    for (std::size_t size = items_.size(); size > Rules::leaf; size -= size / 2) nodes = 2 * nodes + 1;
    nodes_.resize(nodes);
  }

  // As before it was built.
  void reset() { items_ = original_; }

  template <class S>
  void build() {
    build_below<S>(root());
  }

  [[nodiscard]] place root() const noexcept { return {0, 0, items_.size()}; }
  [[nodiscard]] const summary& at(const place& where) const noexcept { return nodes_[where.node]; }
  [[nodiscard]] std::span<const Item> items(const place& where) const noexcept {
    return {items_.data() + where.first, where.size()};
  }
  [[nodiscard]] std::span<const Item> original() const noexcept { return original_; }

 private:
  static constexpr std::size_t items_per_task = 256;

  template <class S>
  void build_below(place where) {
    if (where.is_leaf()) {
      nodes_[where.node] = Rules::of(items(where));
      return;
    }
    const std::size_t depth = static_cast<std::size_t>(std::bit_width(where.node + 1)) - 1;
    const std::size_t axis = depth % Rules::dimensions;
    Item* const items = items_.data();
    std::nth_element(
        items + where.first, items + where.middle(), items + where.last,
        [axis](const Item& a, const Item& b) { return Rules::coordinate(a, axis) < Rules::coordinate(b, axis); });
    if (where.size() > items_per_task) {
      S::fork_join([this, where] { build_below<S>(where.lower()); }, [this, where] { build_below<S>(where.upper()); });
    } else {
      build_below<S>(where.lower());
      build_below<S>(where.upper());
    }
    nodes_[where.node] = Rules::joined(at(where.lower()), at(where.upper()));
  }

  std::vector<Item> original_;
  std::vector<Item> items_;
  std::vector<summary> nodes_;
};

}  // namespace pilfer::lab::applications
