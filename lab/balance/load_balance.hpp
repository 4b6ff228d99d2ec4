// The parts of the experiment load-balance: what its measurement, its claims and its charts have to agree on.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lab/balance/crew.hpp"
#include "lab/balance/fib_load.hpp"
#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::balance {

inline constexpr const char* load_balance_name = "load-balance";
inline constexpr const char* serial_impl = "serial";

// 002's four: a bounded deque (ABP, which is its BDEQueue) and an unbounded one (Chase and Lev), with and without stealing.
struct crew_kind {
  const char* impl;
  bool bounded;
  stealing allowed;
};
inline constexpr std::array crew_kinds = {
    crew_kind{"bounded-stealing", true, stealing::on},
    crew_kind{"bounded", true, stealing::off},
    crew_kind{"unbounded-stealing", false, stealing::on},
    crew_kind{"unbounded", false, stealing::off},
};

// "even/batch/4": rows of this name can be compared.
[[nodiscard]] inline std::string load_row_name(load what, generation how, std::size_t workers) {
  return fmt::format("{}/{}/{}", name_of(what), name_of(how), workers);
}

[[nodiscard]] std::vector<experiments::part> load_balance_parts(const experiments::settings& given);
[[nodiscard]] std::vector<claim> load_balance_claims(const std::vector<row>& rows, const experiments::settings& given);
[[nodiscard]] std::vector<page::chart> load_balance_charts(const std::vector<row>& rows);

}  // namespace pilfer::lab::balance
