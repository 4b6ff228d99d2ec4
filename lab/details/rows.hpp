// Words that the experiments of this folder share: how rows are found, judged and drawn. All samples are ns per operation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/row_query.hpp"
#include "lab/measure/report.hpp"
#include "lab/page/chart.hpp"

namespace pilfer::lab::details {

using experiments::cannot_be_shown;
using experiments::find_row;

// The rows of an experiment, in their order.
[[nodiscard]] std::vector<const row*> rows_of_suite(const std::vector<row>& rows, std::string_view suite);

// A param of a row, or nothing: rows may come from a file.
[[nodiscard]] std::string text_param(const row& of, const char* key);
[[nodiscard]] std::optional<double> number_param(const row& of, const char* key);

// Why a row is missing that needs so many processors.
[[nodiscard]] std::string why_missing(std::string_view what, const experiments::settings& given,
                                      std::size_t processors);

// Throughput of one over that of another, a median over pairs; nothing if one is missing or they are no pairs.
[[nodiscard]] std::optional<estimate> throughput_ratio(const row* fast, const row* slow);
// 1 - that ratio.
[[nodiscard]] std::optional<estimate> throughput_loss(const row* disturbed, const row* undisturbed);

// Million operations per second, and the interval of the median.
[[nodiscard]] estimate megaops(const row& of);
[[nodiscard]] page::point bar(std::string category, const row& of);
[[nodiscard]] page::point line_point(double x, const row& of);
[[nodiscard]] inline page::point line_point(double x, const estimate& relative) {
  return experiments::point_at(x, relative);
}

// A part that only says why nothing was measured.
[[nodiscard]] experiments::part nothing_measured(std::string why);

}  // namespace pilfer::lab::details
