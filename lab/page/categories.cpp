// Charts by category: standing if everything fits beside each other, otherwise lying, and with many series one panel for
// each category with the names beside the bars.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/page/category_marks.hpp"
#include "lab/page/scale.hpp"
#include "lab/page/svg.hpp"
#include "lab/page/text.hpp"

namespace pilfer::lab::page {
namespace {

constexpr double line_factor = 1.25;  // height of a line of text over the font's size

struct sizes {
  double font;
  double line;           // height of a line of text
  double least_breadth;  // of a standing slot
  double row;            // height of a lying slot
};

sizes sizes_for(const chart& what, const layout& how) {
  const bool samples = what.kind == chart_kind::boxes || what.kind == chart_kind::violins;
  const double font = how.font;
  return {
      .font = font, .line = font * line_factor, .least_breadth = samples ? 24.0 : 15.0, .row = samples ? 24.0 : 17.0};
}

double widest_tick(const scale& values, double font) {
  double width = 0;
  for (const tick& each : values.ticks()) width = std::max(width, text_width(each.label) * font);
  return width;
}

void reference_line(const chart& what, const plane& p, double across0, double across1, sketch& on) {
  if (!what.reference || !p.values->shows(*what.reference)) return;
  const double at = p.at(*what.reference);
  segment(on, p, across0, at, across1, at, "reference");
}

// ---- standing ------------------------------------------------------------------------------------------------------

struct standing_plan {
  double left, right, each;                      // of the plot; breadth of a group
  std::vector<std::vector<std::string>> labels;  // of the groups, in lines
  std::size_t lines;                             // of the longest label
  bool fits;
};

standing_plan plan_standing(const std::vector<group>& groups, const layout& how, const sizes& s, const scale& values) {
  standing_plan plan{.left = widest_tick(values, s.font) + s.font,
                     .right = how.width - 2,
                     .each = 0,
                     .labels = {},
                     .lines = 0,
                     .fits = true};
  plan.each = (plan.right - plan.left) / static_cast<double>(groups.size());
  for (const group& g : groups) {
    const double gap = 0.2;
    if (static_cast<double>(g.slots.size()) * s.least_breadth > plan.each * (1 - gap)) plan.fits = false;
    const double room = (plan.each - s.font * 0.5) / s.font;
    // Breaking within a word is for those who have no choice.
    const std::vector<std::string> at_blanks = wrapped(g.category, room);
    for (std::size_t from = 0; from < g.category.size();) {
      const std::size_t end = std::min(g.category.find_first_of(" /-_,", from), g.category.size());
      if (text_width(g.category.substr(from, end + 1 - from)) > room) plan.fits = false;
      from = end + 1;
    }
    plan.lines = std::max(plan.lines, at_blanks.size());
    plan.labels.push_back(at_blanks);
  }
  if (plan.lines > 3) plan.fits = false;
  return plan;
}

double draw_standing(const chart& what, const layout& how, const sizes& s, const std::vector<group>& groups,
                     const standing_plan& plan, const scale& values, sketch& on) {
  const std::vector<std::string> title = wrapped(what.y.label, how.width / s.font);
  on.lines_of_text(0, s.font, anchor::start, "axis", title, s.line);
  const double top = static_cast<double>(title.size()) * s.line + s.font * 1.4;
  const double bottom = top + how.plot_height;
  const plane p{.horizontal = false, .begin = bottom, .end = top, .values = &values};
  for (const tick& each : values.ticks()) {
    const double at = p.at(each.value);
    on.line(plan.left, at, plan.right, at, "grid");
    on.text(plan.left - s.font * 0.5, at + s.font * 0.35, anchor::end, "tick", each.label);
  }
  struct value_label {
    double x, y;
    std::string text;
  };
  std::vector<value_label> labels;
  bool all_fit = what.kind == chart_kind::bars;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double centre = plan.left + (static_cast<double>(i) + 0.5) * plan.each;
    const auto count = static_cast<double>(groups[i].slots.size());
    const double step = std::min(what.kind == chart_kind::violins ? 90.0 : 54.0, plan.each * 0.84 / count);
    double at = centre - step * (count - 1) / 2;
    for (const slot& each : groups[i].slots) {
      const double end = draw_slot(what, each, p, at, step * 0.84, on);
      labels.push_back(
          {at, std::min(end, p.at(values.origin())) - s.font * 0.4, figure(each.entries.front().value->y)});
      all_fit = all_fit && text_width(labels.back().text) * s.font < step - 2;
      at += step;
    }
    on.lines_of_text(centre, bottom + s.font * 1.4, anchor::middle, "label", plan.labels[i], s.line);
  }
  on.line(plan.left, p.at(values.origin()), plan.right, p.at(values.origin()), "base");
  reference_line(what, p, plan.left, plan.right, on);
  if (all_fit) {
    for (const value_label& each : labels) on.text(each.x, each.y, anchor::middle, "value", each.text);
  }
  double end = bottom + s.font * 0.5 + static_cast<double>(plan.lines) * s.line;
  const std::vector<std::string> below = wrapped(what.x.label, (plan.right - plan.left) / s.font);
  on.lines_of_text((plan.left + plan.right) / 2, end + s.font * 1.2, anchor::middle, "axis", below, s.line);
  end += static_cast<double>(below.size()) * s.line;
  return end + s.font * 0.6;
}

// ---- lying ---------------------------------------------------------------------------------------------------------

struct panel {
  double x, y, width;
  bool headed;     // its one group's category stands above it
  bool each_slot;  // has its series' name beside it
  bool with_axis_title;
};

std::string slot_name(const chart& what, const slot& of) {
  return what.lines_or_groups[of.entries.front().series].name;
}

double slot_value(const chart& what, const slot& of) {
  if (what.kind != chart_kind::stacked_bars) return of.entries.front().value->y;
  double sum = 0;
  for (const entry& e : of.entries) sum += e.value->y;
  return sum;
}

bool shows_values(const chart& what) { return what.kind == chart_kind::bars || what.kind == chart_kind::stacked_bars; }

struct lying {
  double gutter;     // for names, at the left
  double value_end;  // where the axis ends; behind it there is room for a value
};

lying plan_lying(const chart& what, const sizes& s, const std::vector<group>& groups, const panel& in,
                 const scale& values) {
  constexpr double most_of_width = 0.4;
  double names = 0;
  double figures = 0;
  for (const group& g : groups) {
    if (!in.each_slot) names = std::max(names, text_width(g.category) * s.font);
    for (const slot& each : g.slots) {
      if (in.each_slot) names = std::max(names, text_width(slot_name(what, each)) * s.font);
      if (shows_values(what)) figures = std::max(figures, text_width(figure(slot_value(what, each))) * s.font);
    }
  }
  const double behind = std::max(figures + s.font * 1.2, widest_tick(values, s.font) / 2 + s.font * 0.3);
  return {.gutter = in.x + std::min(names, in.width * most_of_width) + s.font * 0.7,
          .value_end = in.x + in.width - behind};
}

double name_lines_height(const sizes& s, const std::vector<std::string>& lines) {
  return static_cast<double>(lines.size()) * s.line;
}

void draw_name(const sizes& s, double right, double centre, const std::vector<std::string>& lines, sketch& on) {
  const double first = centre - name_lines_height(s, lines) / 2 + s.font * 0.95;
  on.lines_of_text(right, first, anchor::end, "label", lines, s.line);
}

double draw_lying(const chart& what, const sizes& s, const std::vector<group>& groups, const panel& in,
                  const scale& values, sketch& on) {
  const lying plan = plan_lying(what, s, groups, in, values);
  const plane p{.horizontal = true, .begin = plan.gutter, .end = plan.value_end, .values = &values};
  const double room = (plan.gutter - in.x - s.font * 0.5) / s.font;
  double y = in.y;
  if (in.headed) {
    const std::vector<std::string> heading = wrapped(groups.front().category, in.width / s.font);
    on.lines_of_text(in.x, y + s.font, anchor::start, "heading", heading, s.line);
    y += name_lines_height(s, heading) + s.font * 0.3;
  }
  const double top = y;

  // The heights first: the grid lies behind the bars.
  struct placed {
    const slot* what;
    double centre;
    double end = 0;  // of its ink
  };
  struct name {
    double centre;
    std::vector<std::string> lines;
  };
  std::vector<placed> slots;
  std::vector<name> names;
  for (const group& g : groups) {
    const double begin = y;
    const std::vector<std::string> lines = in.each_slot ? std::vector<std::string>() : wrapped(g.category, room);
    const double needed = static_cast<double>(g.slots.size()) * s.row;
    const double height = std::max(needed, name_lines_height(s, lines));
    double at = begin + (height - needed) / 2;
    for (const slot& each : g.slots) {
      double row = s.row;
      if (in.each_slot) {
        name of_slot{.centre = 0, .lines = wrapped(slot_name(what, each), room)};
        row = std::max(row, name_lines_height(s, of_slot.lines));
        of_slot.centre = at + row / 2;
        names.push_back(of_slot);
      }
      slots.push_back({&each, at + row / 2});
      at += row;
    }
    if (!in.each_slot) names.push_back({begin + height / 2, lines});
    y = std::max(begin + height, at) + s.font * 0.7;
  }
  const double bottom = y - s.font * 0.2;
  double free_from = -1e9;
  for (const tick& each : values.ticks()) {
    const double at = p.at(each.value);
    on.line(at, top, at, bottom, "grid");
    const double half = text_width(each.label) * s.font / 2;
    if (at - half < free_from) continue;
    on.text(at, bottom + s.font * 1.2, anchor::middle, "tick", each.label);
    free_from = at + half + s.font * 0.5;
  }
  for (const name& each : names) draw_name(s, plan.gutter - s.font * 0.5, each.centre, each.lines, on);
  for (placed& each : slots) each.end = draw_slot(what, *each.what, p, each.centre, s.row * 0.76, on);
  on.line(p.at(values.origin()), top, p.at(values.origin()), bottom, "base");
  reference_line(what, p, top, bottom, on);
  if (shows_values(what)) {
    for (const placed& each : slots) {
      const std::string label = figure(slot_value(what, *each.what));
      on.text(std::max(each.end, p.at(values.origin())) + s.font * 0.4, each.centre + s.font * 0.35, anchor::start,
              "value", label);
    }
  }
  double end = bottom + s.font * 1.6;
  if (in.with_axis_title) {
    const std::vector<std::string> title = wrapped(what.y.label, in.width / s.font);
    on.lines_of_text(in.x + in.width, end + s.font, anchor::end, "axis", title, s.line);
    end += name_lines_height(s, title);
  }
  return end + s.font * 0.6;
}

// One panel per category. They share the axis, unless that would leave some of them nearly empty.
double draw_panels(const chart& what, const layout& how, const sizes& s, const std::vector<group>& groups,
                   baseline from, sketch& on) {
  double least = 0;
  double most = 0;
  for (const group& g : groups) {
    const double high = extent_of(what, &g.category).high();
    least = least == 0 ? high : std::min(least, high);
    most = std::max(most, high);
  }
  constexpr double too_different = 6;
  const bool own_axes = !what.y.logarithmic && groups.size() > 1 && most > too_different * least;
  const std::size_t columns = how.width > 600 && groups.size() > 1 ? 2 : 1;
  const double gap = 36;
  const double width = (how.width - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  double y = 0;
  for (std::size_t first = 0; first < groups.size(); first += columns) {
    double bottom = y;
    for (std::size_t i = first; i < std::min(first + columns, groups.size()); ++i) {
      const scale values(extent_of(what, own_axes ? &groups[i].category : nullptr), what.y.logarithmic, from, 5);
      const panel in{.x = static_cast<double>(i - first) * (width + gap),
                     .y = y,
                     .width = width,
                     .headed = !groups[i].category.empty(),
                     .each_slot = true,
                     .with_axis_title = i + columns >= groups.size()};
      bottom = std::max(bottom, draw_lying(what, s, {groups[i]}, in, values, on));
    }
    y = bottom + s.font * 0.6;
  }
  if (own_axes) {
    on.text(0, y + s.font * 0.6, anchor::start, "tick", "Each panel has its own axis.");
    y += s.font * 1.6;
  }
  return y;
}

}  // namespace

double draw_categories(const chart& what, const layout& how, sketch& on, std::size_t& skipped) {
  const bool bars = what.kind == chart_kind::bars || what.kind == chart_kind::stacked_bars;
  const baseline from = bars ? baseline::zero : baseline::close;
  extent values = extent_of(what, nullptr);
  if (what.reference && !labels_each_bar(what)) values.include(what.reference);
  const scale axis(values, what.y.logarithmic, from, how.width > 500 ? 7 : 5);
  const std::vector<group> groups = groups_of(what, axis, skipped);
  if (groups.empty()) return 0;
  const sizes s = sizes_for(what, how);
  if (labels_each_bar(what)) return draw_panels(what, how, s, groups, from, on);
  const standing_plan plan = plan_standing(groups, how, s, axis);
  if (plan.fits) return draw_standing(what, how, s, groups, plan, axis, on);
  const panel whole{.x = 0, .y = 0, .width = how.width, .headed = false, .each_slot = false, .with_axis_title = true};
  return draw_lying(what, s, groups, whole, axis, on);
}

}  // namespace pilfer::lab::page
