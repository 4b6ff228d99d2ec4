// Experiment `peers`: pilfer beside rayon, Tokio, Go, crossbeam-deque, oneTBB and OpenMP in whole programs. 001 compares its
// queue with the queues of Tokio and Go, which are private: here their programs are compared.
#pragma once

#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

[[nodiscard]] experiment peers_experiment();

// Used by it.
[[nodiscard]] std::vector<claim> peers_claims(const std::vector<row>& rows);
[[nodiscard]] std::vector<page::chart> peers_charts(const std::vector<row>& rows);

}  // namespace pilfer::lab::experiments
