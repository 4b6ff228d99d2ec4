// The implementations, grouped by what they cost to compile. Only registry.cpp needs this; others use measured_queue.hpp.
#pragma once

#include <vector>

#include "lab/queues/measured_queue.hpp"

namespace pilfer::lab::queues {

inline constexpr const char* seq_stack_name = "seq-stack";
inline constexpr const char* seq_ring_name = "seq-ring";

[[nodiscard]] std::vector<implementation> plain_implementations();
[[nodiscard]] std::vector<implementation> eigen_implementations();
[[nodiscard]] std::vector<implementation> moodycamel_implementations();
[[nodiscard]] std::vector<implementation> classic_implementations();
[[nodiscard]] std::vector<implementation> block_implementations();
[[nodiscard]] std::vector<implementation> light_implementations();

}  // namespace pilfer::lab::queues
