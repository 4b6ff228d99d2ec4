// Claims as tables: paper, goal, measured, and whether it was reached.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/page/page.hpp"

namespace pilfer::lab::page {

enum class verdict : unsigned char { met, missed, reported, not_shown };
[[nodiscard]] verdict verdict_of(const claim& of);

struct verdict_counts {
  std::size_t met = 0, missed = 0, reported = 0, not_shown = 0;
  void add(const claim& of);
  [[nodiscard]] std::size_t total() const noexcept { return met + missed + reported + not_shown; }
};
[[nodiscard]] verdict_counts count_verdicts(const std::vector<claim>& claims);

// All claims of all sections, with counts above, which filter.
[[nodiscard]] std::string claims_summary_html(const document& all);
// Those of one section; empty if there are none.
[[nodiscard]] std::string claims_html(const section& of);
// "3 met, 1 missed" in small, for lists of contents.
[[nodiscard]] std::string verdict_dots_html(const verdict_counts& counts);

}  // namespace pilfer::lab::page
