// What a chart shows; how it is drawn is the business of svg.hpp. Every value stays reachable: as a tooltip, and in the data.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pilfer::lab::page {

enum class chart_kind : unsigned char {
  lines,         // y against a numeric x, a line per series, whiskers low..high
  bars,          // groups by category, a bar per series, whiskers low..high
  stacked_bars,  // a bar per category, the series on top of each other
  boxes,         // box plots of `samples`, groups by category
  violins,       // densities of `samples`, groups by category
};

struct point {
  double x = 0;            // lines
  std::string category{};  // all others
  double y = 0;            // the figure: a median
  std::optional<double> low{};
  std::optional<double> high{};
  std::vector<double> samples{};  // boxes and violins
};

struct series {
  std::string name;
  std::vector<point> points{};
};

struct axis {
  std::string label;  // with the unit: "stolen share (%)"
  bool logarithmic = false;
};

struct chart {
  std::string id;         // unique in the report, [a-z0-9-]+: "queues-thieves-lifo"
  std::string title;      // what one sees: "Owner's throughput against stolen share"
  std::string caption{};  // in the manner of which figure, what to look for, the paper's figure in words
  chart_kind kind = chart_kind::bars;
  axis x{};
  axis y{};
  std::vector<series> lines_or_groups{};  // series, in the order of the legend
  std::optional<double> reference{};      // a line at this y: sequential code, the goal
  std::string reference_label{};
};

}  // namespace pilfer::lab::page
