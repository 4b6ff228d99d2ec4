// Line charts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/page/scale.hpp"
#include "lab/page/svg.hpp"
#include "lab/page/text.hpp"

namespace pilfer::lab::page {
namespace {

struct box {
  double left, top, right, bottom;
  [[nodiscard]] double x(double share) const { return left + share * (right - left); }
  [[nodiscard]] double y(double share) const { return bottom - share * (bottom - top); }
};

bool point_drawable(const point& p, const scale& x, const scale& y) { return x.shows(p.x) && y.shows(p.y); }

// At the values themselves if they are few: then every point can be read off. Those that would touch are left out.
std::vector<tick> x_ticks(const chart& what, const scale& x, const scale& y, double width, double font) {
  constexpr std::size_t few = 14;
  std::set<double> values;
  for (const series& each : what.lines_or_groups) {
    for (const point& p : each.points) {
      if (point_drawable(p, x, y)) values.insert(p.x);
    }
  }
  std::vector<tick> wanted;
  if (values.size() <= few) {
    for (const double value : values) wanted.push_back({value, axis_number(value)});
  } else {
    wanted = x.ticks();
  }
  std::vector<tick> kept;
  double free_from = -1e9;
  for (const tick& each : wanted) {
    const double half = text_width(each.label) * font / 2;
    const double at = x(each.value) * width;
    if (at - half < free_from) continue;
    kept.push_back(each);
    free_from = at + half + font * 0.6;
  }
  return kept;
}

class line_drawer {
 public:
  line_drawer(const chart& what, const scale& x, const scale& y, const box& plot, sketch& on)
      : what_(what), x_(x), y_(y), plot_(plot), on_(on) {}

  void draw(std::size_t index) {
    const series& of = what_.lines_or_groups[index];
    std::vector<point> points;
    std::ranges::copy_if(of.points, std::back_inserter(points),
                         [&](const point& p) { return point_drawable(p, x_, y_); });
    std::ranges::sort(points, {}, &point::x);
    std::string d;
    for (const point& p : points) {
      d += fmt::format("{}{} {}", d.empty() ? "M" : "L", coordinate(plot_.x(x_(p.x))), coordinate(plot_.y(y_(p.y))));
    }
    on_.begin_series(index);
    if (points.size() > 1) on_.path(d, fmt::format("line d{}", (index + index / palette_size) % 4));
    on_.end();
    for (const point& p : points) draw_point(index, of, p);
  }

 private:
  void draw_point(std::size_t index, const series& of, const point& p) {
    const double px = plot_.x(x_(p.x));
    const double py = plot_.y(y_(p.y));
    mark_text about{.series = index, .who = of.name, .where = {}, .value = {}, .attributes = {{"x", p.x}, {"y", p.y}}};
    about.where = what_.x.label.empty() ? figure(p.x) : fmt::format("{}: {}", what_.x.label, figure(p.x));
    about.value = value_text(p, unit_of(what_.y.label));
    if (p.low) about.attributes.emplace_back("low", *p.low);
    if (p.high) about.attributes.emplace_back("high", *p.high);
    on_.begin_mark(about);
    if (p.low && p.high && y_.shows(*p.high)) {
      const double low = y_.shows(*p.low) ? plot_.y(std::max(0.0, y_(*p.low))) : plot_.bottom;
      const double high = plot_.y(y_(*p.high));
      constexpr double cap = 3.5;
      on_.path(fmt::format("M{1} {3}H{2}M{0} {3}V{4}M{1} {4}H{2}", coordinate(px), coordinate(px - cap),
                           coordinate(px + cap), coordinate(low), coordinate(high)),
               "whisker");
    }
    on_.path(marker_path(index, px, py, 4), "marker");
    on_.circle(px, py, 11, "hit");
    on_.end();
  }

  const chart& what_;
  const scale& x_;
  const scale& y_;
  const box& plot_;
  sketch& on_;
};

}  // namespace

double draw_lines(const chart& what, const layout& how, sketch& on, std::size_t& skipped) {
  const double font = how.font;
  const double line_height = font * 1.3;
  extent xs;
  extent ys;
  for (const series& each : what.lines_or_groups) {
    for (const point& p : each.points) {
      if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
      if (!what.y.logarithmic || p.y > 0) xs.include(p.x);
      ys.include(p.y);
      ys.include(p.low);
      ys.include(p.high);
    }
  }
  ys.include(what.reference);
  const scale x(xs, what.x.logarithmic, baseline::tight, how.width > 500 ? 10 : 5);
  const scale y(ys, what.y.logarithmic, baseline::close, 6);

  double label_width = 0;
  for (const tick& each : y.ticks()) label_width = std::max(label_width, text_width(each.label) * font);
  const std::vector<std::string> y_title = wrapped(what.y.label, how.width / font);
  const double top = static_cast<double>(y_title.size()) * line_height + font * 0.9;
  const box plot{
      .left = label_width + font, .top = top, .right = how.width - font * 1.4, .bottom = top + how.plot_height};
  // Points at the ends must not lie on the frame.
  const double inset = font;
  const box inner{.left = plot.left + inset, .top = plot.top, .right = plot.right - inset, .bottom = plot.bottom};

  on.lines_of_text(0, font, anchor::start, "axis", y_title, line_height);
  for (const tick& each : y.ticks()) {
    const double at = plot.y(y(each.value));
    on.line(plot.left, at, plot.right, at, "grid");
    on.text(plot.left - font * 0.5, at + font * 0.35, anchor::end, "tick", each.label);
  }
  for (const tick& each : x_ticks(what, x, y, inner.right - inner.left, font)) {
    const double at = inner.x(x(each.value));
    on.line(at, plot.bottom, at, plot.bottom + 4, "base");
    on.text(at, plot.bottom + font * 1.5, anchor::middle, "tick", each.label);
  }
  on.line(plot.left, plot.bottom, plot.right, plot.bottom, "base");
  if (what.reference && y.shows(*what.reference)) {
    const double at = plot.y(y(*what.reference));
    on.line(plot.left, at, plot.right, at, "reference");
  }
  line_drawer drawer(what, x, y, inner, on);
  for (std::size_t i = 0; i < what.lines_or_groups.size(); ++i) {
    drawer.draw(i);
    skipped += static_cast<std::size_t>(std::ranges::count_if(
        what.lines_or_groups[i].points, [&](const point& p) { return !point_drawable(p, x, y); }));
  }
  double bottom = plot.bottom + font * 1.9;
  const std::vector<std::string> x_title = wrapped(what.x.label, (plot.right - plot.left) / font);
  on.lines_of_text((plot.left + plot.right) / 2, bottom + font, anchor::middle, "axis", x_title, line_height);
  bottom += static_cast<double>(x_title.size()) * line_height;
  return bottom + font * 0.5;
}

}  // namespace pilfer::lab::page
