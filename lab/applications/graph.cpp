#include "lab/applications/graph.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {
namespace {

using edge_list = std::vector<std::pair<vertex, vertex>>;

constexpr std::size_t edges_per_vertex = 4;

vertex vertex_below(xorshift& random, std::size_t end) { return static_cast<vertex>((random.next() >> 16) % end); }

edge_list grid_edges(std::size_t side) {
  edge_list edges;
  const auto at = [side](std::size_t x, std::size_t y) { return static_cast<vertex>(y * side + x); };
  for (std::size_t y = 0; y < side; ++y) {
    for (std::size_t x = 0; x < side; ++x) {
      if (x + 1 < side) edges.emplace_back(at(x, y), at(x + 1, y));
      if (y + 1 < side) edges.emplace_back(at(x, y), at(x, y + 1));
    }
  }
  return edges;
}

edge_list random_edges(std::size_t vertices, xorshift& random) {
  edge_list edges;
  for (std::size_t i = 0; i < vertices * edges_per_vertex; ++i) {
    const vertex from = vertex_below(random, vertices);
    edges.emplace_back(from, vertex_below(random, vertices));
  }
  return edges;
}

// Chakrabarti, Zhan and Faloutsos: each bit of both ends is drawn with one of four chances; Graph500's are 57, 19, 19 and 5 %.
edge_list power_law_edges(std::size_t vertices, xorshift& random) {
  constexpr std::uint64_t of = 100;
  constexpr std::uint64_t neither = 57;
  constexpr std::uint64_t only_to = neither + 19;
  constexpr std::uint64_t only_from = only_to + 19;
  edge_list edges;
  for (std::size_t i = 0; i < vertices * edges_per_vertex; ++i) {
    vertex from = 0;
    vertex to = 0;
    for (vertex bit = 1; bit < vertices; bit *= 2) {
      const std::uint64_t drawn = (random.next() >> 16) % of;
      if (drawn >= only_to) from |= bit;
      if ((drawn >= neither && drawn < only_to) || drawn >= only_from) to |= bit;
    }
    edges.emplace_back(from, to);
  }
  return edges;
}

}  // namespace

graph::graph(graph_kind kind, std::size_t vertices, std::uint64_t seed) {
  xorshift random(seed * 0x9e3779b97f4a7c15 + 1);
  edge_list edges;
  switch (kind) {
    case graph_kind::grid: {
      const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(vertices)));
      vertices = side * side;
      edges = grid_edges(side);
      break;
    }
    case graph_kind::random: edges = random_edges(vertices, random); break;
    case graph_kind::power_law:
      vertices = std::bit_floor(vertices);
      edges = power_law_edges(vertices, random);
      break;
  }
  std::erase_if(edges, [](const auto& one) { return one.first == one.second; });
  first_.assign(vertices + 1, 0);
  for (const auto& [from, to] : edges) {
    ++first_[from];
    ++first_[to];
  }
  std::inclusive_scan(first_.begin(), first_.end(), first_.begin());
  neighbours_.resize(2 * edges.size());
  for (const auto& [from, to] : edges) {  // from its end, each vertex's room is filled, and first_ becomes right
    neighbours_[--first_[from]] = to;
    neighbours_[--first_[to]] = from;
  }
}

vertex graph::hub() const noexcept {
  vertex best = 0;
  for (vertex v = 0; v < vertices(); ++v) {
    if (neighbours(v).size() > neighbours(best).size()) best = v;
  }
  return best;
}

}  // namespace pilfer::lab::applications
