// A litmus program on the checker.
#pragma once

#include <model/check.hpp>

#include "litmus/program.hpp"

namespace pilfer::model::litmus {

struct run_result {
  outcome_set outcomes;
  result search;
};

[[nodiscard]] run_result check_outcomes(const program& what, const options& how);

}  // namespace pilfer::model::litmus
