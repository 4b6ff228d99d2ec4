// Connected components by union and find: all edges at the same time, a root is put under a smaller one by a
// compare-and-swap. So each component ends with its smallest vertex as its name, in whatever order.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/graph.hpp"
#include "lab/applications/primitives.hpp"

namespace pilfer::lab::applications {

template <graph_kind Kind>
class components {
 public:
  static constexpr const char* name = Kind == graph_kind::grid     ? "components-grid"
                                      : Kind == graph_kind::random ? "components-random"
                                                                   : "components-power-law";

  explicit components(effort how)
      : graph_(Kind, sized<std::size_t>(how, 2'000, Kind == graph_kind::grid ? 400'000 : 132'000, 2'000'000)),
        parent_(graph_.vertices()) {
    // Another way than the one that is measured: search from each vertex that has no name yet.
    right_.assign(graph_.vertices(), unnamed);
    std::vector<vertex> reached;
    for (vertex root = 0; root < right_.size(); ++root) {
      if (right_[root] != unnamed) continue;
      right_[root] = root;
      for (reached.push_back(root); !reached.empty();) {
        const vertex v = reached.back();
        reached.pop_back();
        for (const vertex w : graph_.neighbours(v)) {
          if (std::exchange(right_[w], root) == unnamed) reached.push_back(w);
        }
      }
    }
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("connected components: {} vertices, {} edges", graph_.vertices(), graph_.edges());
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(graph_.vertices()); }
  void reset() {
    for (auto& one : parent_) one.store(unnamed, std::memory_order_relaxed);  // nobody else is there
  }

  // The same without compare-and-swap.
  void run_serial() {
    const auto size = static_cast<vertex>(parent_.size());
    const auto parent = [this](vertex v) { return parent_[v].load(std::memory_order_relaxed); };
    const auto find = [&](vertex v) {
      while (parent(v) != v) {
        parent_[v].store(parent(parent(v)), std::memory_order_relaxed);
        v = parent(v);
      }
      return v;
    };
    for (vertex v = 0; v < size; ++v) parent_[v].store(v, std::memory_order_relaxed);
    for (vertex v = 0; v < size; ++v) {
      for (const vertex w : graph_.neighbours(v)) {
        if (w >= v) continue;
        const vertex a = find(v);
        const vertex b = find(w);
        parent_[std::max(a, b)].store(std::min(a, b), std::memory_order_relaxed);
      }
    }
    for (vertex v = 0; v < size; ++v) parent_[v].store(find(v), std::memory_order_relaxed);
  }

  template <class S>
  void run() {
    each<S>([this](vertex v) { parent_[v].store(v, std::memory_order_relaxed); });
    each<S>([this](vertex v) {
      for (const vertex w : graph_.neighbours(v)) {
        if (w < v) unite(v, w);
      }
    });
    each<S>([this](vertex v) { parent_[v].store(root_of(v), std::memory_order_relaxed); });
  }

  void check(std::string_view who) const {
    for (std::size_t v = 0; v < right_.size(); ++v) {
      const vertex root = parent_[v].load(std::memory_order_relaxed);
      if (root != right_[v])
        wrong(who, name, fmt::format("vertex {} belongs to the component of {}, not of {}", v, right_[v], root));
    }
  }

 private:
  static constexpr vertex unnamed = ~vertex{0};
  static constexpr std::size_t vertices_per_task = 512;

  template <class S, class F>
  void each(F f) {
    for_blocks<S>(parent_.size(), vertices_per_task, [f](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) f(static_cast<vertex>(v));
    });
  }

  // Relaxed: a parent tells nothing but itself, and an old one is an ancestor still. Shortens the path on the way.
  [[nodiscard]] vertex root_of(vertex v) noexcept {
    for (;;) {
      vertex parent = parent_[v].load(std::memory_order_relaxed);
      if (parent == v) return v;
      const vertex next = parent_[parent].load(std::memory_order_relaxed);
      if (parent == next) return parent;
      parent_[v].compare_exchange_weak(parent, next, std::memory_order_relaxed);
      v = next;
    }
  }

  // A parent is never larger than its child: there is no circle.
  void unite(vertex v, vertex w) noexcept {
    for (;;) {
      vertex high = root_of(v);
      vertex low = root_of(w);
      if (high == low) return;
      if (high < low) std::swap(high, low);
      vertex expected = high;
      if (parent_[high].compare_exchange_strong(expected, low, std::memory_order_relaxed)) return;
    }
  }

  graph graph_;
  std::vector<std::atomic<vertex>> parent_;
  std::vector<vertex> right_;
};

using components_grid = components<graph_kind::grid>;
using components_random = components<graph_kind::random>;
using components_power_law = components<graph_kind::power_law>;

}  // namespace pilfer::lab::applications
