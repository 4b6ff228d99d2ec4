// A table for the terminal: aligned columns, a heading with units, nothing but text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/measure/statistics.hpp"

namespace pilfer::lab {

enum class align : unsigned char { left, right };

class table {
 public:
  struct column {
    std::string heading;
    align side = align::right;
  };
  explicit table(std::vector<column> columns);

  // As many cells as there are columns.
  //   Throws  std::invalid_argument otherwise.
  void add(std::vector<std::string> cells);
  // A thin line between groups of rows.
  void add_rule();

  // Lines end with '\n'; no blanks at the end of a line.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

// "0.643": as many digits as mean something for a time of this size.
[[nodiscard]] std::string nanoseconds(double ns);
// "0.973 [0.968, 0.979]"
[[nodiscard]] std::string ratio_with_interval(const estimate& ratio);
// "12.3M": counts of events.
[[nodiscard]] std::string short_count(std::uint64_t count);
// "12.3 %" of a share within [0, 1].
[[nodiscard]] std::string percent(double share);

}  // namespace pilfer::lab
