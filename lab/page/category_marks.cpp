#include "lab/page/category_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/page/distribution.hpp"
#include "lab/page/svg.hpp"
#include "lab/page/text.hpp"

namespace pilfer::lab::page {
namespace {

bool of_samples(chart_kind kind) { return kind == chart_kind::boxes || kind == chart_kind::violins; }

// Those that the axis can show, ascending.
std::vector<double> shown_samples(const point& of, const scale& values) {
  std::vector<double> sorted = finite_sorted(of.samples);
  std::erase_if(sorted, [&](double s) { return !values.shows(s); });
  return sorted;
}

// Where names stand beside the bars, relatives share a colour: "bwos-lifo" and "bwos-fifo".
std::size_t family_colour(const chart& what, std::size_t series) {
  const auto family = [](const std::string& name) { return name.substr(0, name.find('-')); };
  std::vector<std::string> known;
  for (std::size_t i = 0; i <= series; ++i) {
    const std::string name = family(what.lines_or_groups[i].name);
    const auto found = std::ranges::find(known, name);
    if (i == series) return static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) known.push_back(name);
  }
  return series;
}

mark_text about(const chart& what, const entry& e) {
  mark_text text{.series = e.series,
                 .who = what.lines_or_groups[e.series].name,
                 .where = e.value->category,
                 .value = value_text(*e.value, unit_of(what.y.label)),
                 .attributes = {{"value", e.value->y}}};
  if (labels_each_bar(what)) text.colour = family_colour(what, e.series);
  if (e.value->low) text.attributes.emplace_back("low", *e.value->low);
  if (e.value->high) text.attributes.emplace_back("high", *e.value->high);
  return text;
}

void whisker(sketch& on, const plane& p, double centre, double cap, double low, double high) {
  segment(on, p, centre, low, centre, high, "whisker");
  segment(on, p, centre - cap, low, centre + cap, low, "whisker");
  segment(on, p, centre - cap, high, centre + cap, high, "whisker");
}

double draw_bar(const chart& what, const entry& e, const plane& p, double centre, double breadth, sketch& on) {
  const double begin = p.at(p.values->origin());
  const double end = p.at(e.value->y);
  on.begin_mark(about(what, e));
  area(on, p, centre - breadth / 2, centre + breadth / 2, begin, end, "bar");
  double last = end;
  if (e.value->low && e.value->high && p.values->shows(*e.value->high)) {
    const double low = p.values->shows(*e.value->low) ? p.at(*e.value->low) : begin;
    const double high = p.at(*e.value->high);
    whisker(on, p, centre, std::min(4.0, breadth / 3), low, high);
    last = p.horizontal ? std::max(last, high) : std::min(last, high);
  }
  on.end();
  return last;
}

double draw_stack(const chart& what, const slot& of, const plane& p, double centre, double breadth, sketch& on) {
  double sum = 0;
  for (const entry& e : of.entries) {
    on.begin_mark(about(what, e));
    const double from = sum == 0 ? p.values->origin() : sum;
    sum += e.value->y;
    area(on, p, centre - breadth / 2, centre + breadth / 2, p.at(from), p.at(sum), "bar part");
    on.end();
  }
  return p.at(sum);
}

// A figure without a spread.
void draw_dash(sketch& on, const plane& p, double centre, double breadth, double value, std::string_view classes) {
  segment(on, p, centre - breadth / 2, p.at(value), centre + breadth / 2, p.at(value), classes);
}

void draw_outliers(sketch& on, const plane& p, double centre, const std::vector<double>& outliers) {
  // The tooltip says how many there are; of very many some are drawn, always with the farthest.
  constexpr std::size_t most = 40;
  const std::size_t count = std::min(most, outliers.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = count == outliers.size() ? i : i * (outliers.size() - 1) / (count - 1);
    const double at = p.at(outliers[index]);
    on.circle(p.horizontal ? at : centre, p.horizontal ? centre : at, 1.8, "outlier");
  }
}

std::string violin_path(const plane& p, const std::vector<density_point>& curve, double centre, double breadth) {
  std::string d;
  const auto add = [&](double across, double value) {
    const double at = p.at(value);
    d += fmt::format("{}{} {}", d.empty() ? "M" : "L", coordinate(p.horizontal ? at : across),
                     coordinate(p.horizontal ? across : at));
  };
  for (const density_point& each : curve) add(centre - each.density * breadth / 2, each.value);
  for (auto each = curve.rbegin(); each != curve.rend(); ++each) {
    add(centre + each->density * breadth / 2, each->value);
  }
  return d + "Z";
}

double draw_distribution(const chart& what, const entry& e, const plane& p, double centre, double breadth, sketch& on) {
  const std::vector<double> sorted = shown_samples(*e.value, *p.values);
  if (sorted.empty()) {
    on.begin_mark(about(what, e));
    draw_dash(on, p, centre, breadth, e.value->y, "lone");
    on.end();
    return p.at(e.value->y);
  }
  const five_numbers five = summarize(sorted);
  const std::string unit = unit_of(what.y.label);
  mark_text text = about(what, e);
  text.value = fmt::format("median {} {}\nquartiles {} to {}\nall {} to {}\n{} samples, {} beyond the whiskers",
                           figure(five.middle), unit, figure(five.quartile_low), figure(five.quartile_high),
                           figure(sorted.front()), figure(sorted.back()), sorted.size(), five.outliers.size());
  text.attributes = {{"value", five.middle},  {"q1", five.quartile_low}, {"q3", five.quartile_high},
                     {"low", sorted.front()}, {"high", sorted.back()},   {"n", static_cast<double>(sorted.size())}};
  on.begin_mark(text);
  const bool violin = what.kind == chart_kind::violins;
  const std::vector<density_point> curve =
      violin ? density(sorted, p.values->logarithmic()) : std::vector<density_point>{};
  if (violin && curve.empty()) draw_dash(on, p, centre, breadth, five.middle, "lone");
  const double box = violin ? std::max(4.0, breadth * 0.16) : breadth;
  if (!curve.empty()) on.path(violin_path(p, curve, centre, breadth), "violin");
  if (!violin) whisker(on, p, centre, breadth / 4, p.at(five.whisker_low), p.at(five.whisker_high));
  area(on, p, centre - box / 2, centre + box / 2, p.at(five.quartile_low), p.at(five.quartile_high),
       violin ? "inner" : "box");
  const double dash = violin ? box * 1.8 : breadth;
  draw_dash(on, p, centre, dash, five.middle, "middle");
  if (!violin) draw_outliers(on, p, centre, five.outliers);
  // The whole of it answers to the pointer, not only its ink.
  area(on, p, centre - breadth / 2, centre + breadth / 2, p.at(sorted.front()), p.at(sorted.back()), "hit");
  on.end();
  return p.at(sorted.back());
}

bool mark_drawable(const chart& what, const point& of, const scale& values) {
  if (of_samples(what.kind) && !shown_samples(of, values).empty()) return true;
  // On top of each other, parts cannot be less than nothing.
  if (what.kind == chart_kind::stacked_bars && !(of.y >= 0)) return false;
  if (what.kind == chart_kind::stacked_bars && of.y == 0) return values.shows(of.y);
  return values.shows(of.y);
}

}  // namespace

double plane::at(double value) const { return begin + std::clamp((*values)(value), 0.0, 1.0) * (end - begin); }

void segment(sketch& on, const plane& p, double across0, double value0, double across1, double value1,
             std::string_view classes) {
  if (p.horizontal) {
    on.line(value0, across0, value1, across1, classes);
  } else {
    on.line(across0, value0, across1, value1, classes);
  }
}

void area(sketch& on, const plane& p, double across0, double across1, double value0, double value1,
          std::string_view classes) {
  // A value of 0 still has an edge that can be seen and pointed at.
  constexpr double thinnest = 1;
  const double from = std::min(value0, value1);
  const double length = std::max(thinnest, std::abs(value1 - value0));
  const double breadth = across1 - across0;
  if (p.horizontal) {
    on.rect(from, across0, length, breadth, classes);
  } else {
    on.rect(across0, value0 == value1 ? from - length : from, breadth, length, classes);
  }
}

extent extent_of(const chart& what, const std::string* only_category) {
  extent all;
  std::vector<std::pair<std::string, double>> sums;
  for (const series& each : what.lines_or_groups) {
    for (const point& p : each.points) {
      if (only_category != nullptr && p.category != *only_category) continue;
      if (what.kind == chart_kind::stacked_bars) {
        if (!(p.y >= 0) || !std::isfinite(p.y)) continue;
        const auto found = std::ranges::find(sums, p.category, &std::pair<std::string, double>::first);
        double& sum = found == sums.end() ? sums.emplace_back(p.category, 0).second : found->second;
        sum += p.y;
        all.include(sum);
        continue;
      }
      if (of_samples(what.kind) && !p.samples.empty()) {
        for (const double s : p.samples) all.include(s);
        continue;
      }
      if (!std::isfinite(p.y)) continue;
      all.include(p.y);
      all.include(p.low);
      all.include(p.high);
    }
  }
  return all;
}

std::vector<group> groups_of(const chart& what, const scale& values, std::size_t& skipped) {
  std::vector<group> groups;
  const auto group_named = [&](const std::string& category) -> group& {
    const auto found = std::ranges::find(groups, category, &group::category);
    return found == groups.end() ? groups.emplace_back(group{.category = category, .slots = {}}) : *found;
  };
  for (std::size_t i = 0; i < what.lines_or_groups.size(); ++i) {
    for (const point& p : what.lines_or_groups[i].points) {
      if (!mark_drawable(what, p, values)) {
        ++skipped;
        continue;
      }
      std::vector<slot>& slots = group_named(p.category).slots;
      if (what.kind == chart_kind::stacked_bars && !slots.empty()) {
        slots.front().entries.push_back({i, &p});
      } else {
        slots.push_back({{{i, &p}}});
      }
    }
  }
  return groups;
}

double draw_slot(const chart& what, const slot& of, const plane& p, double centre, double breadth, sketch& on) {
  switch (what.kind) {
    case chart_kind::stacked_bars: return draw_stack(what, of, p, centre, breadth, on);
    case chart_kind::boxes:
    case chart_kind::violins: return draw_distribution(what, of.entries.front(), p, centre, breadth, on);
    case chart_kind::lines:
    case chart_kind::bars: break;
  }
  return draw_bar(what, of.entries.front(), p, centre, breadth, on);
}

}  // namespace pilfer::lab::page
