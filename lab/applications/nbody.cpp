#include "lab/applications/nbody.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "lab/applications/serial_kit.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {
namespace {

using vector3 = std::array<double, 3>;
constexpr double opening = 0.6;            // a cell counts as one body if it is that many times smaller than far away
constexpr double square_softening = 1e-6;  // near passages do not explode
constexpr std::size_t exactly_checked = 32;
constexpr double allowed_error = 0.02;  // of Barnes and Hut against the sum over all bodies

double square_distance(const vector3& a, const vector3& b) noexcept {
  const vector3 d{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// Within [-1, 1).
double coordinate(xorshift& random) { return static_cast<double>(random.next() >> 11) * 0x1p-52 - 1; }

}  // namespace

// Dense in the middle, and thin outside.
std::vector<nbody::body> nbody::make_bodies(effort how) {
  std::vector<body> bodies(sized<std::size_t>(how, 150, 2'000, 50'000));
  xorshift random;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    vector3 at{};
    do {
      at = {coordinate(random), coordinate(random), coordinate(random)};
    } while (square_distance(at, {}) > 1);
    const double inwards = square_distance(at, {});
    for (double& x : at) x *= inwards;
    bodies[i] = {.at = at, .mass = 1.5 + coordinate(random), .number = static_cast<std::uint32_t>(i)};
  }
  return bodies;
}

nbody::nbody(effort how) : tree_(make_bodies(how)), found_(tree_.original().size()) {
  reset();
  run<serial_kit>();
  right_ = found_;
  // The reference itself, against the sum over all bodies.
  double error = 0;
  double all = 0;
  const std::size_t step = std::max<std::size_t>(found_.size() / exactly_checked, 1);
  for (std::size_t i = 0; i < found_.size(); i += step) {
    const vector3 exact = exact_acceleration(tree_.original()[i]);
    error += square_distance(exact, found_[i]);
    all += square_distance(exact, {});
  }
  if (!(error <= allowed_error * allowed_error * all))
    wrong("serial", name, fmt::format("the error is {:.3f} of the forces", std::sqrt(error / all)));
}

std::string nbody::text() const { return fmt::format("forces between {} bodies, Barnes and Hut", found_.size()); }

void nbody::reset() {
  tree_.reset();
  std::ranges::fill(found_, vector3{});
}

void nbody::check(std::string_view who) const {
  const auto [mine, expected] = std::ranges::mismatch(found_, right_);
  if (mine == found_.end()) return;
  wrong(who, name, fmt::format("body {} has another acceleration than with serial code", mine - found_.begin()));
}

nbody::cell nbody::rules::of(std::span<const body> bodies) noexcept {
  const auto alone = [](const body& b) {
    return cell{.centre = b.at, .mass = b.mass, .low = b.at, .high = b.at, .square_extent = 0};
  };
  cell all = alone(bodies.front());
  for (const body& b : bodies.subspan(1)) all = joined(all, alone(b));
  return all;
}

nbody::cell nbody::rules::joined(const cell& a, const cell& b) noexcept {
  cell all{.centre = {}, .mass = a.mass + b.mass, .low = {}, .high = {}, .square_extent = 0};
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    all.centre[axis] = (a.mass * a.centre[axis] + b.mass * b.centre[axis]) / all.mass;
    all.low[axis] = std::min(a.low[axis], b.low[axis]);
    all.high[axis] = std::max(a.high[axis], b.high[axis]);
    const double extent = all.high[axis] - all.low[axis];
    all.square_extent = std::max(all.square_extent, extent * extent);
  }
  return all;
}

void nbody::attract(vector3& acceleration, const vector3& from, const vector3& to, double mass) noexcept {
  const double square = square_distance(from, to) + square_softening;
  const double factor = mass / (square * std::sqrt(square));
  for (std::size_t axis = 0; axis < rules::dimensions; ++axis) acceleration[axis] += factor * (to[axis] - from[axis]);
}

void nbody::accelerate(std::size_t i) noexcept {
  const body& self = tree_.items(tree_.root())[i];
  std::array<tree::place, tree::most_pending> pending;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::size_t count = 0;
  vector3 sum{};
  pending[count++] = tree_.root();
  while (count != 0) {
    const tree::place next = pending[--count];
    const cell& all = tree_.at(next);
    if (all.square_extent < opening * opening * square_distance(self.at, all.centre)) {
      attract(sum, self.at, all.centre, all.mass);
    } else if (next.is_leaf()) {
      for (const body& other : tree_.items(next)) {
        if (other.number != self.number) attract(sum, self.at, other.at, other.mass);
      }
    } else {
      pending[count++] = next.upper();
      pending[count++] = next.lower();
    }
  }
  found_[self.number] = sum;
}

nbody::vector3 nbody::exact_acceleration(const body& self) const noexcept {
  vector3 sum{};
  for (const body& other : tree_.original()) {
    if (other.number != self.number) attract(sum, self.at, other.at, other.mass);
  }
  return sum;
}

}  // namespace pilfer::lab::applications
