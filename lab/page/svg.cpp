#include "lab/page/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "lab/measure/statistics.hpp"
#include "lab/page/text.hpp"

namespace pilfer::lab::page {
namespace {

const char* kind_name(chart_kind kind) {
  switch (kind) {
    case chart_kind::lines: return "line chart";
    case chart_kind::bars: return "bar chart";
    case chart_kind::stacked_bars: return "stacked bar chart";
    case chart_kind::boxes: return "box plot";
    case chart_kind::violins: return "violin plot";
  }
  return "chart";
}

// For those who do not see it; the data is in the table below the chart.
std::string description(const chart& what) {
  std::string text = fmt::format("{}: {}. {} series:", kind_name(what.kind), what.y.label, what.lines_or_groups.size());
  for (const series& each : what.lines_or_groups) text += " " + each.name + ";";
  return text;
}

}  // namespace

bool labels_each_bar(const chart& what) {
  const bool one_per_slot = what.kind != chart_kind::lines && what.kind != chart_kind::stacked_bars;
  return one_per_slot && what.lines_or_groups.size() > palette_size;
}

bool needs_logarithm(const chart& what) {
  if (what.y.logarithmic || what.kind == chart_kind::stacked_bars) return false;
  std::vector<double> values;
  for (const series& each : what.lines_or_groups) {
    for (const point& p : each.points) {
      const bool samples = what.kind == chart_kind::boxes || what.kind == chart_kind::violins;
      if (samples && !p.samples.empty()) {
        std::ranges::copy_if(p.samples, std::back_inserter(values), [](double s) { return std::isfinite(s); });
      } else if (std::isfinite(p.y)) {
        values.push_back(p.y);
      }
    }
  }
  if (values.empty() || std::ranges::min(values) <= 0) return false;
  constexpr double too_far = 25;
  return std::ranges::max(values) > too_far * median(values);
}

drawing svg_of(const chart& given, const layout& how) {
  chart what = given;
  if (needs_logarithm(given)) what.y.logarithmic = true;
  drawing result;
  sketch on;
  const double height = what.kind == chart_kind::lines ? draw_lines(what, how, on, result.skipped)
                                                       : draw_categories(what, how, on, result.skipped);
  result.marks = on.marks();
  if (result.marks == 0) return result;
  const std::string id = fmt::format("{}-{}", slug(what.id), how.name);
  result.svg = fmt::format(
      R"(<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}" aria-describedby="{}-d" data-marks="{}">)"
      R"(<desc id="{}-d">{}</desc>{}</svg>)",
      how.name, coordinate(how.width), coordinate(std::ceil(height)), escaped(what.title), id, result.marks, id,
      escaped(description(what)), on.body());
  return result;
}

}  // namespace pilfer::lab::page
