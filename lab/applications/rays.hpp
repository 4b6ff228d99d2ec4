// Rays cast at spheres: a tree of boxes is built in parallel; then for each pixel the first sphere that its ray meets, and
// whether light falls there. What is computed with floating point is compiled once, so that all get the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/median_tree.hpp"
#include "lab/applications/primitives.hpp"

namespace pilfer::lab::applications {

class rays {
 public:
  static constexpr const char* name = "rays";

  explicit rays(effort how);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(found_.size()); }
  void reset();
  template <class S>
  void run() {
    tree_.build<S>();
    // Some pixels see nothing, others a crowd.
    for_blocks<S>(found_.size(), pixels_per_task, [this](std::size_t begin, std::size_t end) { cast(begin, end); });
  }
  void check(std::string_view who) const;

 private:
  using vector3 = std::array<double, 3>;
  struct sphere {
    vector3 centre;
    double radius;
    std::uint32_t number;
  };
  struct box {
    vector3 low;
    vector3 high;
  };
  struct ray {
    vector3 from;
    vector3 towards;  // of length 1
  };
  struct hit {
    double distance;
    const sphere* what;  // null: nothing was met
  };
  struct rules {
    using summary = box;
    static constexpr std::size_t leaf = 4;
    static constexpr std::size_t dimensions = 3;
    static double coordinate(const sphere& s, std::size_t axis) noexcept { return s.centre[axis]; }
    static box of(std::span<const sphere> spheres) noexcept;
    static box joined(const box& a, const box& b) noexcept;
  };
  using tree = median_tree<sphere, rules>;
  static constexpr std::size_t pixels_per_task = 64;

  static std::vector<sphere> make_spheres(effort how);
  [[nodiscard]] static hit nearer(const hit& best, const ray& r, const sphere& s) noexcept;
  [[nodiscard]] static bool may_hit(const ray& r, const box& b, double before) noexcept;
  [[nodiscard]] ray ray_of(std::size_t pixel) const noexcept;
  [[nodiscard]] hit first_hit(const ray& r) const noexcept;
  // The same without the tree.
  [[nodiscard]] hit first_hit_of_all(const ray& r) const noexcept;
  // 0: nothing; else twice the sphere's number + 2, + 1 in the light. `first` is one of the two above.
  template <class First>
  [[nodiscard]] std::uint32_t colour(std::size_t pixel, First first) const noexcept;
  void cast(std::size_t begin, std::size_t end) noexcept;

  tree tree_;
  std::size_t side_;                  // of the picture
  std::vector<std::uint32_t> found_;  // colours, by pixel
  std::vector<std::uint32_t> right_;  // of every `checked_every`-th pixel
  std::uint64_t right_sum_ = 0;       // of all
};

}  // namespace pilfer::lab::applications
