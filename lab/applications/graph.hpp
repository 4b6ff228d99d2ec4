// Generated graphs: undirected, seeded, the same in every run. Each edge is there in both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pilfer::lab::applications {

using vertex = std::uint32_t;

enum class graph_kind : unsigned char {
  grid,       // four neighbours: as long as it is narrow
  random,     // eight neighbours on average, anywhere
  power_law,  // R-MAT: a few vertices have very many neighbours, many have none
};

class graph {
 public:
  // About so many vertices.
  graph(graph_kind kind, std::size_t vertices, std::uint64_t seed = 1);

  [[nodiscard]] std::size_t vertices() const noexcept { return first_.size() - 1; }
  [[nodiscard]] std::size_t edges() const noexcept { return neighbours_.size() / 2; }
  [[nodiscard]] std::span<const vertex> neighbours(vertex v) const noexcept {
    return {neighbours_.data() + first_[v], neighbours_.data() + first_[v + 1]};
  }
  // The vertex with most neighbours; of several, the first.
  [[nodiscard]] vertex hub() const noexcept;

 private:
  std::vector<std::size_t> first_;  // of a vertex's neighbours
  std::vector<vertex> neighbours_;
};

}  // namespace pilfer::lab::applications
