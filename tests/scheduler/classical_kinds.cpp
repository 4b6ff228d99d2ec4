#include "scheduler/basic_kind.hpp"

namespace pilfer::test {

namespace config = pilfer::research::config;

std::vector<pool_kind> classical_kinds() {
  return {basic_kind<config::ws_locked>(), basic_kind<config::ws_abp>(), basic_kind<config::ws_chase_lev>(),
          basic_kind<config::asymmetric>()};
}

}  // namespace pilfer::test
