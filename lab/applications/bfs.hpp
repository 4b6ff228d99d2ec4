// Breadth-first search, level by level: who first reaches a vertex says how far it is, and puts it on the next level. Vertices
// come in any order, their distances are always the same.
#pragma once

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/graph.hpp"
#include "lab/applications/primitives.hpp"

namespace pilfer::lab::applications {

template <graph_kind Kind>
class bfs {
 public:
  static constexpr const char* name = Kind == graph_kind::grid     ? "bfs-grid"
                                      : Kind == graph_kind::random ? "bfs-random"
                                                                   : "bfs-power-law";

  explicit bfs(effort how)
      : graph_(Kind, sized<std::size_t>(how, 2'000, Kind == graph_kind::grid ? 400'000 : 132'000, 2'000'000)),
        source_(graph_.hub()),
        level_(graph_.vertices()),
        next_level_(graph_.vertices()),
        found_(graph_.vertices()) {
    reset();
    run_serial();
    for (const auto& one : found_) right_.push_back(one.load(std::memory_order_relaxed));
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("breadth-first search: {} vertices, {} edges", graph_.vertices(), graph_.edges());
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(graph_.vertices()); }
  void reset() {
    for (auto& one : found_) one.store(unseen, std::memory_order_relaxed);  // nobody else is there
  }

  // With a queue, as in a textbook.
  void run_serial() {
    std::size_t filled = 0;
    found_[source_].store(0, std::memory_order_relaxed);
    level_[filled++] = source_;
    for (std::size_t at = 0; at < filled; ++at) {
      const vertex v = level_[at];
      const std::uint32_t distance = found_[v].load(std::memory_order_relaxed) + 1;
      for (const vertex w : graph_.neighbours(v)) {
        if (found_[w].load(std::memory_order_relaxed) != unseen) continue;
        found_[w].store(distance, std::memory_order_relaxed);
        level_[filled++] = w;
      }
    }
  }

  template <class S>
  void run() {
    found_[source_].store(0, std::memory_order_relaxed);
    level_.front() = source_;
    std::size_t count = 1;
    for (std::uint32_t distance = 1; count != 0; ++distance) {
      std::atomic<std::size_t> reached{0};
      for_blocks<S>(count, vertices_per_task, [this, distance, &reached](std::size_t begin, std::size_t end) {
        expand(begin, end, distance, reached);
      });
      std::swap(level_, next_level_);
      count = reached.load(std::memory_order_relaxed);  // the loop has ended
    }
  }

  void check(std::string_view who) const {
    for (std::size_t v = 0; v < right_.size(); ++v) {
      const std::uint32_t distance = found_[v].load(std::memory_order_relaxed);
      if (distance != right_[v])
        wrong(who, name, fmt::format("vertex {} is {} edges away, not {}", v, right_[v], distance));
    }
  }

 private:
  static constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t vertices_per_task = 64;

  // What can be reached from a piece of this level goes to the next one.
  void expand(std::size_t begin, std::size_t end, std::uint32_t distance, std::atomic<std::size_t>& reached) {
    std::array<vertex, 256> mine;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what was written is read
    std::size_t count = 0;
    const auto hand_in = [&] {
      const std::size_t to = reached.fetch_add(count, std::memory_order_relaxed);  // a place of its own, nothing more
      for (std::size_t i = 0; i < count; ++i) next_level_[to + i] = mine[i];
      count = 0;
    };
    for (std::size_t i = begin; i < end; ++i) {
      for (const vertex w : graph_.neighbours(level_[i])) {
        // Relaxed: a distance tells nothing but itself. The end of the loop orders levels.
        std::uint32_t expected = found_[w].load(std::memory_order_relaxed);
        if (expected != unseen) continue;
        if (!found_[w].compare_exchange_strong(expected, distance, std::memory_order_relaxed)) continue;
        mine[count++] = w;
        if (count == mine.size()) hand_in();
      }
    }
    if (count != 0) hand_in();
  }

  graph graph_;
  vertex source_;
  std::vector<vertex> level_;
  std::vector<vertex> next_level_;
  std::vector<std::atomic<std::uint32_t>> found_;
  std::vector<std::uint32_t> right_;
};

using bfs_grid = bfs<graph_kind::grid>;
using bfs_random = bfs<graph_kind::random>;
using bfs_power_law = bfs<graph_kind::power_law>;

}  // namespace pilfer::lab::applications
