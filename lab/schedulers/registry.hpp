// The entries, grouped by what they cost to compile. Only registry.cpp needs this; others use session.hpp.
#pragma once

#include <vector>

#include "lab/schedulers/session.hpp"

namespace pilfer::lab::schedulers {

[[nodiscard]] std::vector<entry> serial_entries();
[[nodiscard]] std::vector<entry> users_pool_entries();
[[nodiscard]] std::vector<entry> classic_entries();
[[nodiscard]] std::vector<entry> block_entries();
[[nodiscard]] std::vector<entry> split_entries();
[[nodiscard]] std::vector<entry> light_entries();
[[nodiscard]] std::vector<entry> switched_entries();
[[nodiscard]] std::vector<entry> tbb_entries();
[[nodiscard]] std::vector<entry> openmp_entries();
[[nodiscard]] std::vector<entry> rayon_entries();

[[nodiscard]] std::vector<counted_entry> counted_classic_entries();
[[nodiscard]] std::vector<counted_entry> counted_split_entries();

}  // namespace pilfer::lab::schedulers
