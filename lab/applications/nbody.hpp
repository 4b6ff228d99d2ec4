// The forces between many bodies, by Barnes and Hut: a tree is built in parallel; for each body, far parts of it count as one
// body. What is computed with floating point is compiled once and in a fixed order, so that all get the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/median_tree.hpp"

namespace pilfer::lab::applications {

class nbody {
 public:
  static constexpr const char* name = "nbody";

  explicit nbody(effort how);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(found_.size()); }
  void reset();
  template <class S>
  void run() {
    tree_.build<S>();
    S::parallel_for(0, found_.size(), bodies_per_task, [this](std::size_t i) { accelerate(i); });
  }
  void check(std::string_view who) const;

 private:
  using vector3 = std::array<double, 3>;
  struct body {
    vector3 at;
    double mass;
    std::uint32_t number;
  };
  struct cell {
    vector3 centre;  // of mass
    double mass;
    vector3 low;
    vector3 high;
    double square_extent;  // of the longest edge
  };
  struct rules {
    using summary = cell;
    static constexpr std::size_t leaf = 8;
    static constexpr std::size_t dimensions = 3;
    static double coordinate(const body& b, std::size_t axis) noexcept { return b.at[axis]; }
    static cell of(std::span<const body> bodies) noexcept;
    static cell joined(const cell& a, const cell& b) noexcept;
  };
  using tree = median_tree<body, rules>;
  static constexpr std::size_t bodies_per_task = 32;

  static std::vector<body> make_bodies(effort how);
  static void attract(vector3& acceleration, const vector3& from, const vector3& to, double mass) noexcept;
  // Of the i-th body in the tree.
  void accelerate(std::size_t i) noexcept;
  [[nodiscard]] vector3 exact_acceleration(const body& self) const noexcept;

  tree tree_;
  std::vector<vector3> found_;  // accelerations, by body
  std::vector<vector3> right_;  // the same from serial code
};

}  // namespace pilfer::lab::applications
