#include "scheduler/basic_kind.hpp"

namespace pilfer::test {

namespace config = pilfer::research::config;

std::vector<pool_kind> signal_kinds() {
  return {basic_kind<config::lcws_signal>(), basic_kind<config::lcws_conservative>(), basic_kind<config::lcws_half>()};
}

}  // namespace pilfer::test
