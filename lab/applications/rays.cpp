#include "lab/applications/rays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lab/applications/serial_kit.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {
namespace {

using vector3 = std::array<double, 3>;
constexpr double nowhere = std::numeric_limits<double>::infinity();
constexpr double skin = 1e-6;  // a ray that begins on a sphere does not meet it there
constexpr std::size_t checked_pixels = 64;

double dot(const vector3& a, const vector3& b) noexcept { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
vector3 plus(const vector3& a, double factor, const vector3& b) noexcept {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}
vector3 unit(const vector3& a) noexcept {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}
constexpr vector3 eye{0.5, 0.5, -1.5};
const vector3 light = unit({-0.4, 0.8, -0.3});

// Within [0, 1).
double fraction(xorshift& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

}  // namespace

// Most of them crowd in one corner.
std::vector<rays::sphere> rays::make_spheres(effort how) {
  std::vector<sphere> spheres(sized<std::size_t>(how, 200, 5'000, 100'000));
  xorshift random;
  const double radius = 0.25 / std::cbrt(static_cast<double>(spheres.size()));
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    const double extent = i % 4 == 0 ? 1.0 : 0.4;
    spheres[i] = {.centre = {fraction(random) * extent, fraction(random) * extent, fraction(random)},
                  .radius = radius * (0.5 + fraction(random)),
                  .number = static_cast<std::uint32_t>(i)};
  }
  return spheres;
}

rays::rays(effort how) : tree_(make_spheres(how)), side_(sized<std::size_t>(how, 24, 80, 512)), found_(side_ * side_) {
  reset();
  run<serial_kit>();
  right_sum_ = std::accumulate(found_.begin(), found_.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < checked_pixels; ++i) {
    right_.push_back(colour(i * found_.size() / checked_pixels, [this](const ray& r) { return first_hit_of_all(r); }));
  }
}

std::string rays::text() const {
  return fmt::format("rays of {} pixels cast at {} spheres", found_.size(), tree_.original().size());
}

void rays::reset() {
  tree_.reset();
  std::ranges::fill(found_, 0);
}

void rays::check(std::string_view who) const {
  for (std::size_t i = 0; i < checked_pixels; ++i) {
    const std::size_t pixel = i * found_.size() / checked_pixels;
    if (found_[pixel] != right_[i])
      wrong(who, name, fmt::format("pixel {} has colour {}, not {}", pixel, right_[i], found_[pixel]));
  }
  const std::uint64_t sum = std::accumulate(found_.begin(), found_.end(), std::uint64_t{0});
  if (sum != right_sum_) wrong(who, name, fmt::format("the sum of all colours is {}, not {}", right_sum_, sum));
}

rays::box rays::rules::of(std::span<const sphere> spheres) noexcept {
  box all{.low = {nowhere, nowhere, nowhere}, .high = {-nowhere, -nowhere, -nowhere}};
  for (const sphere& s : spheres) {
    const double r = s.radius;
    all = joined(all, {.low = plus(s.centre, -1, {r, r, r}), .high = plus(s.centre, 1, {r, r, r})});
  }
  return all;
}

rays::box rays::rules::joined(const box& a, const box& b) noexcept {
  box all = a;
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    all.low[axis] = std::min(a.low[axis], b.low[axis]);
    all.high[axis] = std::max(a.high[axis], b.high[axis]);
  }
  return all;
}

// Of two at the same distance, the one with the smaller number.
rays::hit rays::nearer(const hit& best, const ray& r, const sphere& s) noexcept {
  const vector3 to_centre = plus(s.centre, -1, r.from);
  const double along = dot(to_centre, r.towards);
  const double aside = dot(to_centre, to_centre) - along * along;
  const double inside = s.radius * s.radius - aside;
  if (inside < 0) return best;
  const double distance = along - std::sqrt(inside);
  if (distance < skin || distance > best.distance) return best;
  if (distance == best.distance && best.what != nullptr && best.what->number < s.number) return best;
  return {.distance = distance, .what = &s};
}

bool rays::may_hit(const ray& r, const box& b, double before) noexcept {
  double enters = 0;
  double leaves = before;
  for (std::size_t axis = 0; axis < rules::dimensions; ++axis) {
    const double one = (b.low[axis] - r.from[axis]) / r.towards[axis];
    const double other = (b.high[axis] - r.from[axis]) / r.towards[axis];
    enters = std::max(enters, std::min(one, other));
    leaves = std::min(leaves, std::max(one, other));
  }
  return enters <= leaves * (1 + skin);  // rounding shall not cost a hit
}

rays::ray rays::ray_of(std::size_t pixel) const noexcept {
  const auto side = static_cast<double>(side_);
  const double x = (static_cast<double>(pixel % side_) + 0.5) / side;
  const std::size_t rows_before = pixel / side_;
  const double y = (static_cast<double>(rows_before) + 0.5) / side;
  return {.from = eye, .towards = unit(plus({x, y, 0}, -1, eye))};
}

rays::hit rays::first_hit(const ray& r) const noexcept {
  std::array<tree::place, tree::most_pending> pending;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::size_t count = 0;
  hit best{.distance = nowhere, .what = nullptr};
  pending[count++] = tree_.root();
  while (count != 0) {
    const tree::place next = pending[--count];
    if (!may_hit(r, tree_.at(next), best.distance)) continue;
    if (next.is_leaf()) {
      for (const sphere& s : tree_.items(next)) best = nearer(best, r, s);
    } else {
      pending[count++] = next.upper();
      pending[count++] = next.lower();
    }
  }
  return best;
}

rays::hit rays::first_hit_of_all(const ray& r) const noexcept {
  hit best{.distance = nowhere, .what = nullptr};
  for (const sphere& s : tree_.original()) best = nearer(best, r, s);
  return best;
}

template <class First>
std::uint32_t rays::colour(std::size_t pixel, First first) const noexcept {
  const ray r = ray_of(pixel);
  const hit seen = first(r);
  if (seen.what == nullptr) return 0;
  const hit shadow = first(ray{.from = plus(r.from, seen.distance, r.towards), .towards = light});
  return 2 * seen.what->number + 2 + (shadow.what == nullptr ? 1 : 0);
}

void rays::cast(std::size_t begin, std::size_t end) noexcept {
  for (std::size_t pixel = begin; pixel < end; ++pixel) {
    found_[pixel] = colour(pixel, [this](const ray& r) { return first_hit(r); });
  }
}

}  // namespace pilfer::lab::applications
