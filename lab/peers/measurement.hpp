// A contest as rows: everybody who takes part, interleaved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "lab/peers/contest.hpp"

namespace pilfer::lab::peers {

inline constexpr const char* suite_name = "peers";

struct contest_plan {
  contest what = contest::fib;
  std::int64_t size = 0;
  std::vector<std::size_t> workers{};
  std::size_t repetitions = 1;
  std::size_t processors = 1;
};

// Who is missing is noted in the first of his contests alone.
//   Throws  std::runtime_error if somebody's answer is wrong; `interrupted`.
[[nodiscard]] experiments::findings measure_contest(const contest_plan& plan);

}  // namespace pilfer::lab::peers
