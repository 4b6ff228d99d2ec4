// Shapes and text as SVG. Colours come from classes: the style sheet knows them for light and for dark.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/page/chart.hpp"

namespace pilfer::lab::page {

// A chart is drawn twice, and the style sheet shows the one that fits: letters keep their size on a phone.
struct layout {
  const char* name;  // class of the <svg>
  double width;
  double font;  // size of letters
  double plot_height;
};
inline constexpr layout wide{"wide", 860, 12.5, 300};
inline constexpr layout narrow{"narrow", 370, 12.5, 240};

enum class anchor : unsigned char { start, middle, end };

// What is said of a mark: by the tooltip, and as attributes for scripts.
struct mark_text {
  std::size_t series = 0;
  std::string who;    // series
  std::string where;  // category, or x
  std::string value;  // as a person reads it
  std::vector<std::pair<std::string, double>> attributes;
  std::optional<std::size_t> colour = std::nullopt;  // if not its series'
};

class sketch {
 public:
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void rect(double x, double y, double width, double height, std::string_view classes);
  void circle(double x, double y, double radius, std::string_view classes);
  void path(const std::string& d, std::string_view classes);
  void text(double x, double y, anchor where, std::string_view classes, std::string_view what);
  // Lines one below the other; the first one's base line is at y.
  void lines_of_text(double x, double y, anchor where, std::string_view classes, const std::vector<std::string>& lines,
                     double line_height);

  // Everything until end() is one mark, with its tooltip.
  void begin_mark(const mark_text& about);
  // Everything until end() belongs to a series.
  void begin_series(std::size_t series);
  void end();

  [[nodiscard]] std::size_t marks() const noexcept { return marks_; }
  [[nodiscard]] const std::string& body() const noexcept { return body_; }

 private:
  std::string body_;
  std::size_t marks_ = 0;
};

// Series beyond the eighth have the colours of the first ones again, but hollow markers and other dashes.
inline constexpr std::size_t palette_size = 8;
[[nodiscard]] std::string series_class(std::size_t series, std::optional<std::size_t> colour = std::nullopt);
// Around (0, 0), for a <path>.
[[nodiscard]] std::string marker_path(std::size_t series, double x, double y, double size);

// "12.3 ms [11.9, 13.0]"
[[nodiscard]] std::string value_text(const point& of, const std::string& unit);

}  // namespace pilfer::lab::page
