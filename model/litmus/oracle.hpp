// Every execution of a small program that an axiomatic memory model allows, found by trying all of them. It shares nothing
// with the checker, so that each is a test of the other.
#pragma once

#include <cstdint>

#include "litmus/graph.hpp"
#include "litmus/program.hpp"

namespace pilfer::model::litmus {

// Of compare_exchange_weak, per execution; as in the checker.
inline constexpr int max_spurious_failures = 1;

struct oracle_result {
  outcome_set outcomes;
  std::uint64_t graphs = 0;
};

// Throws bad_program if the program is larger than max_events.
[[nodiscard]] oracle_result run_oracle(const program& what, memory_model model);

}  // namespace pilfer::model::litmus
