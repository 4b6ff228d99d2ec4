// The lab's experiments with single queues. Each is in a file of its own, experiments_*.cpp.
#pragma once

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

// `queues-alone`: an owner fills and empties, nobody steals; items of eight and of four bytes.
[[nodiscard]] experiment queues_alone_experiment();

// `queues-thieves`: the same while 1, 2 and 5 thieves steal a given share.
[[nodiscard]] experiment queues_thieves_experiment();

// `steal-frequency`: thieves that try so many times a second; total throughput, and why steals fail.
[[nodiscard]] experiment steal_frequency_experiment();

// `steal-latency`: how long a single steal takes.
[[nodiscard]] experiment steal_latency_experiment();

// `block-size`: queues of blocks, the same capacity cut into blocks of 8 to 256 entries.
[[nodiscard]] experiment block_size_experiment();

}  // namespace pilfer::lab::experiments
