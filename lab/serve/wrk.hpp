// wrk, the generator of load: https://github.com/wg/wrk
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace pilfer::lab::serve {

struct load_result {
  std::uint64_t requests = 0;
  double per_second = 0;
  double median_us = 0;   // latency
  double slowest_us = 0;  // 99th percentile
};

// What wrk has printed.
//   Throws  std::runtime_error for anything else; if a request has failed, or was not answered with 2xx.
[[nodiscard]] load_result parse_wrk(const std::string& text);

// The version, "4.1.0"; empty: wrk is not installed.
[[nodiscard]] std::string wrk_version();

// POST with a small body, over and over, on so many connections, with one thread. wrk looks at the clock every 100 ms: `how_long` should be more.
//   Throws  std::runtime_error as parse_wrk; std::system_error if there is no wrk.
[[nodiscard]] load_result run_wrk(const std::string& address, int at_a_time, std::chrono::milliseconds how_long);

}  // namespace pilfer::lab::serve
