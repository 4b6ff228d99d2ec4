#include "lab/page/sketch.hpp"

#include <fmt/format.h>

#include "lab/page/text.hpp"

namespace pilfer::lab::page {

void sketch::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  body_ += fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", classes, coordinate(x1), coordinate(y1),
                       coordinate(x2), coordinate(y2));
}

void sketch::rect(double x, double y, double width, double height, std::string_view classes) {
  body_ += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)", classes, coordinate(x),
                       coordinate(y), coordinate(width), coordinate(height));
}

void sketch::circle(double x, double y, double radius, std::string_view classes) {
  body_ += fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="{}"/>)", classes, coordinate(x), coordinate(y),
                       coordinate(radius));
}

void sketch::path(const std::string& d, std::string_view classes) {
  body_ += fmt::format(R"(<path class="{}" d="{}"/>)", classes, d);
}

void sketch::text(double x, double y, anchor where, std::string_view classes, std::string_view what) {
  const char* const side = where == anchor::start ? "" : where == anchor::middle ? " mid" : " end";
  body_ += fmt::format(R"(<text class="{}{}" x="{}" y="{}">{}</text>)", classes, side, coordinate(x), coordinate(y),
                       escaped(what));
}

void sketch::lines_of_text(double x, double y, anchor where, std::string_view classes,
                           const std::vector<std::string>& lines, double line_height) {
  for (const std::string& each : lines) {
    text(x, y, where, classes, each);
    y += line_height;
  }
}

void sketch::begin_mark(const mark_text& about) {
  body_ += fmt::format(R"(<g class="mark {}" data-series="{}" data-at="{}")", series_class(about.series, about.colour),
                       escaped(about.who), escaped(about.where));
  for (const auto& [key, value] : about.attributes) {
    if (const std::string text = plain(value); !text.empty()) body_ += fmt::format(R"( data-{}="{}")", key, text);
  }
  std::string tip = about.who;
  if (!about.where.empty()) tip += (tip.empty() ? "" : "\n") + about.where;
  tip += "\n" + about.value;
  body_ += fmt::format("><title>{}</title>", escaped(tip));
  ++marks_;
}

void sketch::begin_series(std::size_t series) { body_ += fmt::format(R"(<g class="{}">)", series_class(series)); }

void sketch::end() { body_ += "</g>"; }

std::string series_class(std::size_t series, std::optional<std::size_t> colour) {
  const std::size_t of = colour.value_or(series);
  return fmt::format("s{}{} i{}", of % palette_size, of >= palette_size ? " again" : "", series);
}

std::string marker_path(std::size_t series, double x, double y, double size) {
  const auto at = [&](double dx, double dy) { return coordinate(x + dx * size) + " " + coordinate(y + dy * size); };
  switch ((series + series / palette_size) % palette_size) {
    case 0:  // disc
      return fmt::format("M{0}A{2} {2} 0 1 1 {1}A{2} {2} 0 1 1 {0}Z", at(-1, 0), at(1, 0), coordinate(size));
    case 1: return fmt::format("M{}L{}L{}L{}Z", at(-0.9, -0.9), at(0.9, -0.9), at(0.9, 0.9), at(-0.9, 0.9));
    case 2: return fmt::format("M{}L{}L{}Z", at(0, -1.2), at(1.1, 0.8), at(-1.1, 0.8));
    case 3: return fmt::format("M{}L{}L{}L{}Z", at(0, -1.3), at(1.3, 0), at(0, 1.3), at(-1.3, 0));
    case 4: return fmt::format("M{}L{}L{}Z", at(0, 1.2), at(1.1, -0.8), at(-1.1, -0.8));
    case 5:  // plus
      return fmt::format("M{}L{}L{}L{}L{}L{}L{}L{}L{}L{}L{}L{}Z", at(-0.4, -1.2), at(0.4, -1.2), at(0.4, -0.4),
                         at(1.2, -0.4), at(1.2, 0.4), at(0.4, 0.4), at(0.4, 1.2), at(-0.4, 1.2), at(-0.4, 0.4),
                         at(-1.2, 0.4), at(-1.2, -0.4), at(-0.4, -0.4));
    case 6: return fmt::format("M{}L{}L{}Z", at(1.2, 0), at(-0.8, 1.1), at(-0.8, -1.1));
    default:
      return fmt::format("M{}L{}L{}L{}L{}Z", at(0, -1.2), at(1.15, -0.35), at(0.7, 1), at(-0.7, 1), at(-1.15, -0.35));
  }
}

std::string value_text(const point& of, const std::string& unit) {
  std::string text = figure(of.y);
  if (!unit.empty()) text += " " + unit;
  if (of.low && of.high && (*of.low != of.y || *of.high != of.y)) {
    text += fmt::format(" [{}, {}]", figure(*of.low), figure(*of.high));
  }
  return text;
}

}  // namespace pilfer::lab::page
