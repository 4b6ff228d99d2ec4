// Experiment `alone`: the owner fills the queue and empties it, nobody steals (001 Fig. 10 and 11 at 0 %, 000 Fig. 5.2).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/queues/measured_queue.hpp"

namespace pilfer::lab::queues {

// 001's and 000's sizes; the claims are about the first.
inline constexpr geometry large_geometry{.blocks = 8, .entries = 1024};
inline constexpr geometry small_geometry{.blocks = 8, .entries = 128};

struct alone_result {
  struct entry {
    const implementation* who;
    std::vector<double> ns;         // per operation, one per repetition
    std::optional<estimate> ratio;  // throughput relative to its baseline
    double filled = 0;              // items per fill, on average: a queue may be full a little below its capacity
  };
  geometry shape;
  std::size_t repetitions = 0;
  std::vector<entry> entries;

  // Null if it was not measured.
  [[nodiscard]] const entry* find(std::string_view name) const;
};

// The baselines of `who` must be among `who`.
//   Throws  std::runtime_error if a queue lost or invented an item; `interrupted`.
[[nodiscard]] alone_result measure_alone(const geometry& shape, const std::vector<const implementation*>& who,
                                         std::size_t repetitions);

[[nodiscard]] std::vector<row> rows_of(const alone_result& result);
[[nodiscard]] std::string text_of(const alone_result& result);

// Keys of `params` that all experiments with queues share.
[[nodiscard]] json geometry_params(const geometry& shape, const implementation& who);

}  // namespace pilfer::lab::queues
