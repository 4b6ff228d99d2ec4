// The checker against the oracle, on random programs.
#pragma once

#include <model/check.hpp>

#include <cstdint>
#include <functional>
#include <string>

#include "litmus/program.hpp"

namespace pilfer::model::litmus {

// What differs between the checker's answer and the oracle's, as text; empty if nothing does.
[[nodiscard]] std::string compare(const program& what, const options& how);

struct differential_result {
  std::uint64_t programs = 0;
  std::uint64_t graphs = 0;  // those of the oracle's RC11
  std::uint64_t mismatches = 0;
  std::string smallest_mismatch;  // program, missing and extra outcomes
};

// Programs `seed`, `seed` + 1, ... (see random_program), each explored with either meaning of seq_cst; every eighth also
// in the other ways. `progress` is called after each, with the number so far; false ends it.
[[nodiscard]] differential_result differential(std::uint64_t count, std::uint64_t seed,
                                               const std::function<bool(std::uint64_t)>& progress = {});

}  // namespace pilfer::model::litmus
