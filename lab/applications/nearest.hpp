// All nearest neighbours of points in the plane: a tree is built in parallel, then each point looks for its own. Coordinates
// are integers, so distances are exact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/median_tree.hpp"

namespace pilfer::lab::applications {

class nearest {
 public:
  static constexpr const char* name = "nearest-neighbours";

  explicit nearest(effort how);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(found_.size()); }
  void reset();
  template <class S>
  void run() {
    tree_.build<S>();
    S::parallel_for(0, found_.size(), points_per_task, [this](std::size_t i) { find_nearest(i); });
  }
  void check(std::string_view who) const;

 private:
  struct point {
    std::int32_t x;
    std::int32_t y;
    std::uint32_t number;
  };
  struct box {
    std::int32_t low_x;
    std::int32_t high_x;
    std::int32_t low_y;
    std::int32_t high_y;
  };
  struct rules {
    using summary = box;
    static constexpr std::size_t leaf = 8;
    static constexpr std::size_t dimensions = 2;
    static std::int32_t coordinate(const point& p, std::size_t axis) noexcept { return axis == 0 ? p.x : p.y; }
    static box of(std::span<const point> points) noexcept;
    static box joined(const box& a, const box& b) noexcept;
  };
  using tree = median_tree<point, rules>;
  static constexpr std::size_t points_per_task = 64;

  static std::vector<point> make_points(effort how);
  static std::uint64_t square_distance(const point& a, const point& b) noexcept;
  static std::uint64_t square_distance(const point& p, const box& b) noexcept;
  // Of the i-th point in the tree: neighbours in memory are neighbours in the plane.
  void find_nearest(std::size_t i) noexcept;

  tree tree_;
  std::vector<std::uint64_t> found_;  // squares of distances, by point
  std::vector<std::uint64_t> right_;
};

}  // namespace pilfer::lab::applications
