#include "lab/applications/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {
namespace {

constexpr std::uint64_t far_away = std::numeric_limits<std::uint64_t>::max();
constexpr std::int32_t plane = 1 << 28;
constexpr std::int32_t town = 1 << 22;  // half of the points live in towns
constexpr std::size_t points_per_town = 500;

std::int32_t coordinate_below(xorshift& random, std::int32_t end) {
  return static_cast<std::int32_t>((random.next() >> 16) % static_cast<std::uint64_t>(end));
}
std::uint64_t square(std::int64_t x) noexcept { return static_cast<std::uint64_t>(x * x); }

}  // namespace

std::vector<nearest::point> nearest::make_points(effort how) {
  std::vector<point> points(sized<std::size_t>(how, 1'000, 25'000, 1'000'000));
  xorshift random;
  std::int32_t town_x = 0;
  std::int32_t town_y = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % (2 * points_per_town) == 0) {
      town_x = coordinate_below(random, plane - town);
      town_y = coordinate_below(random, plane - town);
    }
    const bool in_town = i % 2 == 0;
    const std::int32_t x = coordinate_below(random, in_town ? town : plane) + (in_town ? town_x : 0);
    const std::int32_t y = coordinate_below(random, in_town ? town : plane) + (in_town ? town_y : 0);
    points[i] = {.x = x, .y = y, .number = static_cast<std::uint32_t>(i)};
  }
  return points;
}

nearest::nearest(effort how)
    : tree_(make_points(how)), found_(tree_.original().size()), right_(found_.size(), far_away) {
  // Another way than the one that is measured: by x, to both sides, until x alone is too far away.
  std::vector<point> points(tree_.original().begin(), tree_.original().end());
  std::ranges::sort(points, {}, &point::x);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = i + 1; k < points.size(); ++k) {
      const std::uint64_t apart = square(points[k].x - points[i].x);
      std::uint64_t& mine = right_[points[i].number];
      if (apart >= mine) break;
      mine = std::min(mine, square_distance(points[i], points[k]));
    }
    for (std::size_t k = i; k-- > 0;) {
      const std::uint64_t apart = square(points[i].x - points[k].x);
      std::uint64_t& mine = right_[points[i].number];
      if (apart >= mine) break;
      mine = std::min(mine, square_distance(points[i], points[k]));
    }
  }
}

std::string nearest::text() const { return fmt::format("nearest neighbours of {} points", found_.size()); }

void nearest::reset() {
  tree_.reset();
  std::ranges::fill(found_, far_away);
}

void nearest::check(std::string_view who) const {
  const auto [mine, expected] = std::ranges::mismatch(found_, right_);
  if (mine == found_.end()) return;
  wrong(who, name,
        fmt::format("the square of point {}'s distance is {}, not {}", mine - found_.begin(), *expected, *mine));
}

nearest::box nearest::rules::of(std::span<const point> points) noexcept {
  box all{.low_x = points.front().x, .high_x = points.front().x, .low_y = points.front().y, .high_y = points.front().y};
  for (const point& p : points) all = joined(all, {.low_x = p.x, .high_x = p.x, .low_y = p.y, .high_y = p.y});
  return all;
}

nearest::box nearest::rules::joined(const box& a, const box& b) noexcept {
  return {.low_x = std::min(a.low_x, b.low_x),
          .high_x = std::max(a.high_x, b.high_x),
          .low_y = std::min(a.low_y, b.low_y),
          .high_y = std::max(a.high_y, b.high_y)};
}

std::uint64_t nearest::square_distance(const point& a, const point& b) noexcept {
  return square(a.x - b.x) + square(a.y - b.y);
}

std::uint64_t nearest::square_distance(const point& p, const box& b) noexcept {
  return square(std::clamp(p.x, b.low_x, b.high_x) - p.x) + square(std::clamp(p.y, b.low_y, b.high_y) - p.y);
}

void nearest::find_nearest(std::size_t i) noexcept {
  struct later {
    tree::place where;
    std::uint64_t distance;
  };
  const point self = tree_.items(tree_.root())[i];
  std::array<later, tree::most_pending> pending;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::size_t count = 0;
  std::uint64_t best = far_away;
  pending[count++] = {tree_.root(), 0};
  while (count != 0) {
    const later next = pending[--count];
    if (next.distance >= best) continue;
    if (next.where.is_leaf()) {
      for (const point& other : tree_.items(next.where)) {
        if (other.number != self.number) best = std::min(best, square_distance(self, other));
      }
      continue;
    }
    later near{next.where.lower(), square_distance(self, tree_.at(next.where.lower()))};
    later far{next.where.upper(), square_distance(self, tree_.at(next.where.upper()))};
    if (far.distance < near.distance) std::swap(near, far);
    pending[count++] = far;
    pending[count++] = near;
  }
  found_[self.number] = best;
}

}  // namespace pilfer::lab::applications
