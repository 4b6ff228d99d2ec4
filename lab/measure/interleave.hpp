// The interleaved runner: every comparison of the lab is made this way.
//
// Repetitions are outermost. Within one, every contender gives one sample, in an order that is drawn anew for each
// repetition. So samples with the same index were taken close together, and a ratio of two of them is a pair; and nobody
// always runs first, or always behind the same neighbour.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pilfer::lab {

struct contender {
  std::string name;
  std::function<double()> sample;  // takes one sample; warms up by itself where that matters
};

// samples[c][r]: contender c in repetition r.
using sample_matrix = std::vector<std::vector<double>>;

//   Throws  what a contender throws; `interrupted` between two samples.
[[nodiscard]] sample_matrix run_interleaved(const std::vector<contender>& contenders, std::size_t repetitions,
                                            std::string_view title);

// The order of a repetition: a permutation of 0 to contenders - 1. Seeded: the same in every run.
[[nodiscard]] std::vector<std::size_t> shuffled_order(std::size_t contenders, std::size_t repetition);

}  // namespace pilfer::lab
