// Unbalanced Tree Search (Olivier et al., LCPC 2006): counts the nodes of a tree that exists only as a rule. A node is a
// SHA-1 digest; a child's digest is that of its parent's followed by the child's number, and the digest says how many
// children there are. So the shape cannot be guessed, but is the same for everybody: T1 has 4130071 nodes, T3 4112897.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lab/programs/sha1.hpp"

namespace pilfer::lab::programs {

inline constexpr int uts_most_children = 100;  // of any node but a root

// How many children a node has.
//   geometric  4 on average above the depth `size`, none from there on; T1 is size 10, seed 19.
//   binomial   the root has `size` children, others 8 with probability 0.124875, else none; T3 is size 2000, seed 42.
enum class uts_kind : unsigned char { geometric, binomial };

struct uts_tree {
  uts_kind kind = uts_kind::geometric;
  int size = 0;
};

inline constexpr uts_tree t1_tree{uts_kind::geometric, 10};
inline constexpr std::int64_t t1_nodes = 4130071;
inline constexpr uts_tree t3_tree{uts_kind::binomial, 2000};
inline constexpr std::int64_t t3_nodes = 4112897;

struct uts_node {
  sha1_digest state{};
  int depth = 0;
};

[[nodiscard]] inline uts_node uts_root(const uts_tree& tree) noexcept {
  const std::uint32_t seed = tree.kind == uts_kind::geometric ? 19 : 42;
  // 20 bytes: sixteen zeros and the seed.
  return {sha1_of_block({0, 0, 0, 0, seed, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8}), 0};
}

[[nodiscard]] inline uts_node uts_child(const uts_node& parent, int number) noexcept {
  const sha1_digest& p = parent.state;
  // 24 bytes: the parent's digest and the child's number.
  return {sha1_of_block({p[0], p[1], p[2], p[3], p[4], static_cast<std::uint32_t>(number), 0x80000000, 0, 0, 0, 0, 0, 0,
                         0, 0, 24 * 8}),
          parent.depth + 1};
}

[[nodiscard]] inline int uts_children(const uts_tree& tree, const uts_node& node) noexcept {
  constexpr std::uint32_t positive = 0x7fffffff;
  const double uniform = static_cast<double>(node.state[4] & positive) / 2147483648.0;  // in [0, 1)
  if (tree.kind == uts_kind::binomial) {
    if (node.depth == 0) return tree.size;
    return uniform < 0.124875 ? 8 : 0;
  }
  constexpr double branching = 4;
  if (node.depth >= tree.size) return 0;
  const double p = 1.0 / (1.0 + branching);
  return std::min(static_cast<int>(std::floor(std::log(1 - uniform) / std::log(1 - p))), uts_most_children);
}

[[nodiscard]] inline std::int64_t serial_uts(const uts_tree& tree, const uts_node& node) noexcept {
  std::int64_t nodes = 1;
  const int children = uts_children(tree, node);
  for (int i = 0; i < children; ++i) nodes += serial_uts(tree, uts_child(node, i));
  return nodes;
}

[[nodiscard]] inline std::int64_t serial_uts(const uts_tree& tree) noexcept { return serial_uts(tree, uts_root(tree)); }

// A range of children is split in two until one is left.
template <class S>
class uts_search {
 public:
  [[nodiscard]] static std::int64_t count(const uts_tree& tree, const uts_node& node) noexcept {
    const int children = uts_children(tree, node);
    if (children == 0) return 1;
    const parent here{&tree, node};
    return 1 + count_children(&here, 0, children);
  }

 private:
  struct parent {
    const uts_tree* tree;
    uts_node node;
  };

  // `here` is in the caller's frame, which waits for us.
  // NOLINTNEXTLINE(bugprone-exception-escape): a program that cannot fork has failed
  static std::int64_t count_children(const parent* here, int first, int last) noexcept {
    if (last - first == 1) return count(*here->tree, uts_child(here->node, first));
    const int middle = first + (last - first) / 2;
    auto [a, b] = S::fork_join([here, first, middle]() noexcept { return count_children(here, first, middle); },
                               [here, middle, last]() noexcept { return count_children(here, middle, last); });
    return a + b;
  }
};

template <class S>
[[nodiscard]] std::int64_t uts(const uts_tree& tree) noexcept {
  return uts_search<S>::count(tree, uts_root(tree));
}

}  // namespace pilfer::lab::programs
