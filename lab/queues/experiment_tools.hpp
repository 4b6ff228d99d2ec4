// What the experiments with queues share: rows under the experiment's name, throughputs, points of charts.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/row_query.hpp"
#include "lab/queues/claims.hpp"
#include "lab/queues/measured_queue.hpp"

namespace pilfer::lab::queues {

inline constexpr std::array<std::size_t, 3> thief_counts = {1, 2, 5};

// Those of these names that are in this build, with their baselines, in the order of the tables; of no names: all. The
// findings get a note for each that is not, and the versions of what was compared with.
[[nodiscard]] std::vector<const implementation*> available(const std::vector<std::string>& names,
                                                           experiments::findings& into);

// Rows of a suite as rows of an experiment.
[[nodiscard]] std::vector<row> under(const char* experiment, std::vector<row> rows);
// The same for rows with thieves: their number becomes part of the name, "thieves-2/10%". Only what was measured in one
// interleaved run has the same name.
[[nodiscard]] std::vector<row> under(const char* experiment, std::size_t thieves, std::vector<row> rows);
[[nodiscard]] std::string share_name(std::size_t thieves, double share);
[[nodiscard]] std::string frequency_name(std::size_t thieves, std::uint64_t hz);

// "1 thief", "5 thieves".
[[nodiscard]] std::string thieves_text(std::size_t thieves);

// Million operations a second, one per repetition: the owner's pushes and pops (rows in ns/op); items that thieves took;
// both together.
[[nodiscard]] std::vector<double> owners_throughput(const row& r);
[[nodiscard]] std::vector<double> thieves_throughput(const row& r);
[[nodiscard]] std::vector<double> total_throughput(const row& r);

// A claim without a figure, because of `why`.
[[nodiscard]] claim not_shown(claim of, std::string_view why);
// The same for each that has a note and no figure.
[[nodiscard]] std::vector<claim> with_reasons(std::vector<claim> claims);

// A ratio over somebody's queue that cannot be run here: FIFO BWoS over BBQ, Tokio and Go, in that order of 001's figures.
struct figures_of_001 {
  double bbq;
  double tokio;
  double go;
};
// Ids end with `suffix`, texts with `when`.
[[nodiscard]] std::vector<claim> fifo_over_absent_queues(const figures_of_001& papers, std::string_view suffix,
                                                         std::string_view when);
// Why Tokio's queue cannot be run by itself.
inline constexpr std::string_view tokio_is_private =
    "Tokio's queue is private to its crate and cannot be run by itself; `peers` compares whole programs";

// A point of a chart: median of the values, with its 95 % interval.
[[nodiscard]] page::point point_of(double x, const std::vector<double>& values);
[[nodiscard]] page::point point_of(std::string category, const std::vector<double>& values);

// Distinct implementations of rows whose name begins with `prefix`, in their order.
[[nodiscard]] std::vector<std::string> implementations_in(const std::vector<row>& rows, std::string_view suite,
                                                          std::string_view prefix);

}  // namespace pilfer::lab::queues
