#include "lab/measure/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pilfer::lab {
namespace {

constexpr std::string_view gap = "  ";

std::string joined(const std::vector<table::column>& columns, const std::vector<std::size_t>& widths,
                   const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += gap;
    line += columns[c].side == align::left ? fmt::format("{:<{}}", cells[c], widths[c])
                                           : fmt::format("{:>{}}", cells[c], widths[c]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

table::table(std::vector<column> columns) : columns_(std::move(columns)) {}

void table::add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size() || cells.empty())
    throw std::invalid_argument("table: a row has a cell for each column");
  rows_.push_back(std::move(cells));
}

void table::add_rule() {
  if (!rows_.empty() && !rows_.back().empty()) rows_.emplace_back();
}

std::string table::text() const {
  std::vector<std::size_t> widths;
  std::vector<std::string> headings;
  for (const column& c : columns_) {
    widths.push_back(c.heading.size());
    headings.push_back(c.heading);
  }
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::size_t total = gap.size() * (widths.empty() ? 0 : widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  const std::string rule = std::string(total, '-') + '\n';

  std::string out = joined(columns_, widths, headings) + rule;
  for (const auto& row : rows_) out += row.empty() ? rule : joined(columns_, widths, row);
  return out;
}

std::string nanoseconds(double ns) {
  if (ns < 10) return fmt::format("{:.3f}", ns);
  return ns < 100 ? fmt::format("{:.2f}", ns) : fmt::format("{:.0f}", ns);
}

std::string ratio_with_interval(const estimate& ratio) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio.value, ratio.low, ratio.high);
}

std::string short_count(std::uint64_t count) {
  if (count < 10'000) return fmt::format("{}", count);
  const auto value = static_cast<double>(count);
  if (value < 1e6) return fmt::format("{:.1f}k", value / 1e3);
  return value < 1e9 ? fmt::format("{:.1f}M", value / 1e6) : fmt::format("{:.1f}G", value / 1e9);
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

}  // namespace pilfer::lab
