#pragma once

#include <cstddef>
#include <cstdint>

#include "litmus/program.hpp"

namespace pilfer::model::litmus {

// Two or three threads, up to three locations, at most nine instructions: the oracle needs milliseconds for it.
inline constexpr std::size_t max_random_instructions = 9;

// The same for the same seed, everywhere.
[[nodiscard]] program random_program(std::uint64_t seed);

}  // namespace pilfer::model::litmus
