// The parts of the experiment lcws: what its measurement, its claims and its charts have to agree on.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lab/balance/rows.hpp"
#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::lightweight {

inline constexpr const char* profile_name = "lcws";

// Classical work stealing. 004 compares with Parlay's deque, which is ABP's; whoever is faster than both is faster.
inline constexpr std::array classical = {"ws-abp", "ws-chase-lev"};
inline constexpr const char* papers_classical = "ws-abp";

// 004's User, Signal, Cons and Half.
inline constexpr std::array variants = {"lcws-user", "lcws-signal", "lcws-conservative", "lcws-half"};
// Others whose owners synchronize little.
inline constexpr std::array relatives = {"lace", "asymmetric", "default"};

inline constexpr std::string_view counts_prefix = "synchronization/";

// A program with a number of workers: what 004 calls a configuration.
struct configuration {
  std::string program;
  std::size_t workers = 0;
  friend bool operator==(const configuration&, const configuration&) = default;
};

// Those of which `impl` has times; not more workers than processors.
[[nodiscard]] std::vector<configuration> configurations_of(const std::vector<row>& rows, std::string_view impl);

// Null if it was not timed.
[[nodiscard]] inline const row* time_row(const std::vector<row>& rows, const configuration& of, std::string_view impl) {
  return balance::find_row(rows, of.program, impl, static_cast<double>(of.workers));
}

// Time of `base` / time of `impl`: above 1, `impl` is faster. None if they were not timed together.
[[nodiscard]] std::optional<estimate> speedup(const std::vector<row>& rows, const configuration& of,
                                              std::string_view impl, std::string_view base);

// Something counted, repetition by repetition, summed over programs; empty if a program is missing. An empty list of
// programs: all there are.
struct counted_sum {
  std::string_view impl;
  const char* key;  // "cas", "fences", "steals", "exposed" or "unstolen"
  std::size_t workers;
};
[[nodiscard]] std::vector<double> sum_of_counts(const std::vector<row>& rows, const counted_sum& what,
                                                std::vector<std::string> programs = {});
// Programs of which something was counted; with how many workers.
[[nodiscard]] std::vector<std::string> counted_programs(const std::vector<row>& rows);
[[nodiscard]] std::vector<std::size_t> counted_workers(const std::vector<row>& rows);

[[nodiscard]] std::vector<experiments::part> profile_parts(const experiments::settings& given);
[[nodiscard]] std::vector<claim> profile_claims(const std::vector<row>& rows, const experiments::settings& given);
[[nodiscard]] std::vector<page::chart> profile_charts(const std::vector<row>& rows);

}  // namespace pilfer::lab::lightweight
