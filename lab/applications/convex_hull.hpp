// Quickhull in the plane: the point farthest from a chord is a corner; what lies outside of the two new chords goes on.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/applications/primitives.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {

class convex_hull {
 public:
  static constexpr const char* name = "convex-hull";

  // Even in a disc.
  explicit convex_hull(effort how) {
    const auto count = sized<std::size_t>(how, 5'000, 300'000, 10'000'000);
    constexpr std::int64_t radius = 1 << 28U;
    xorshift random;
    points_.reserve(count);
    while (points_.size() < count) {
      const auto coordinate = [&] { return static_cast<std::int64_t>(random.next() % (2 * radius)) - radius; };
      const point one{coordinate(), coordinate()};
      if (one.x * one.x + one.y * one.y <= radius * radius) points_.push_back(one);
    }
    right_ = by_monotone_chain(points_);
  }
  [[nodiscard]] std::string text() const { return fmt::format("convex hull of {} points in a disc", points_.size()); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(points_.size()); }
  void reset() { corners_.clear(); }

  template <class S>
  void run() {
    const point* const points = points_.data();
    struct span_of_x {
      point least, most;
    };
    const span_of_x ends = reduce<S>(
        0, points_.size(), grain,
        [=](std::size_t begin, std::size_t end) {
          const auto [least, most] = std::minmax_element(points + begin, points + end);
          return span_of_x{*least, *most};
        },
        [](const span_of_x& a, const span_of_x& b) {
          return span_of_x{std::min(a.least, b.least), std::max(a.most, b.most)};
        });
    const point left = ends.least;
    const point right = ends.most;
    auto [below, above] = S::fork_join([=, this] { return outside_of<S>(points_, {left, right}); },
                                       [=, this] { return outside_of<S>(points_, {right, left}); });
    corners_ = {left};
    corners_.insert(corners_.end(), below.begin(), below.end());
    corners_.push_back(right);
    corners_.insert(corners_.end(), above.begin(), above.end());
  }

  void check(std::string_view who) const {
    if (corners_ != right_)
      wrong(who, name, fmt::format("{} corners, not the {} of the monotone chain", corners_.size(), right_.size()));
  }

 private:
  static constexpr std::size_t grain = 8192;

  struct point {
    std::int64_t x = 0;
    std::int64_t y = 0;
    friend auto operator<=>(const point&, const point&) = default;
  };
  using point_list = std::vector<point>;

  // Twice the area of a, b, c; positive if c lies to the left.
  static std::int64_t area(const point& a, const point& b, const point& c) noexcept {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  }

  // From a to b; what counts lies to its right, so that corners come counterclockwise.
  struct chord {
    point a, b;
    [[nodiscard]] std::int64_t distance(const point& p) const noexcept { return -area(a, b, p); }
    [[nodiscard]] std::int64_t along(const point& p) const noexcept {
      return (b.x - a.x) * (p.x - a.x) + (b.y - a.y) * (p.y - a.y);
    }
    // Of points equally far away only the outer ones are corners.
    [[nodiscard]] const point& farther(const point& p, const point& q) const noexcept {
      const std::int64_t of_p = distance(p);
      const std::int64_t of_q = distance(q);
      if (of_p != of_q) return of_p > of_q ? p : q;
      return along(p) >= along(q) ? p : q;
    }
  };

  // Corners strictly outside of the chord, in order.
  template <class S>
  static point_list outside_of(const point_list& points, const chord& base) {
    point_list outside;
    if (points.size() < grain) {
      std::copy_if(points.begin(), points.end(), std::back_inserter(outside),
                   [&](const point& p) { return base.distance(p) > 0; });
    } else {
      outside.resize(points.size());
      const point* const from = points.data();
      outside.resize(pack<S>(
          points.size(), outside.data(), [=](std::size_t i) { return base.distance(from[i]) > 0; },
          [=](std::size_t i) { return from[i]; }));
    }
    if (outside.empty()) return outside;
    const point corner = farthest<S>(outside, base);
    const auto before = [&outside, base, corner] { return outside_of<S>(outside, {base.a, corner}); };
    const auto behind = [&outside, base, corner] { return outside_of<S>(outside, {corner, base.b}); };
    if (outside.size() < serial_below) {
      point_list corners = before();
      return joined(std::move(corners), corner, behind());
    }
    auto [first, second] = S::fork_join(before, behind);
    return joined(std::move(first), corner, second);
  }

  template <class S>
  static point farthest(const point_list& points, const chord& base) {
    const point* const from = points.data();
    return reduce<S>(
        0, points.size(), grain,
        [=](std::size_t begin, std::size_t end) {
          point best = from[begin];
          for (std::size_t i = begin + 1; i < end; ++i) best = base.farther(best, from[i]);
          return best;
        },
        [=](const point& p, const point& q) { return base.farther(p, q); });
  }

  static point_list joined(point_list first, const point& corner, const point_list& second) {
    first.push_back(corner);
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  // Andrew's, from the leftmost point counterclockwise: nothing in common with the above.
  static point_list by_monotone_chain(point_list points) {
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    point_list hull;
    const auto add_all = [&](auto first, const auto& last) {
      const std::size_t base = hull.size();
      for (; first != last; ++first) {
        while (hull.size() >= base + 2 && area(hull[hull.size() - 2], hull.back(), *first) <= 0) hull.pop_back();
        hull.push_back(*first);
      }
      hull.pop_back();  // the other half begins with it
    };
    add_all(points.begin(), points.end());
    add_all(points.rbegin(), points.rend());
    return hull;
  }

  static constexpr std::size_t serial_below = 256;

  point_list points_;
  point_list right_;
  point_list corners_;
};

}  // namespace pilfer::lab::applications
