// `pilfer bench queues`: settings in, report and text out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"

namespace pilfer::lab::queues {

struct bench_settings {
  std::vector<std::string> queues;  // by name; empty: all. Baselines are added by themselves.
  bool alone = true;
  bool thieves = true;
  std::size_t thief_count = 1;
  std::uint64_t steal_hz = 0;
  std::chrono::milliseconds sample{10};  // of the experiment `thieves`
  std::size_t repetitions = 201;
};

// Names that `queues` may hold, in the order of the tables.
[[nodiscard]] std::vector<std::string> queue_names();

// Why a queue that has a name is not in this build; empty if it is.
[[nodiscard]] std::string why_unavailable(std::string_view name);

// Runs the experiments. `show` gets each part of the text as soon as it is known.
//   Throws  std::invalid_argument for an unknown name; std::runtime_error if a queue lost an item; `interrupted`;
//           what `show` throws.
[[nodiscard]] report bench_queues(const bench_settings& settings, const std::function<void(std::string_view)>& show);

}  // namespace pilfer::lab::queues
