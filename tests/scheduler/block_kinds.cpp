#include "scheduler/basic_kind.hpp"

namespace pilfer::test {

namespace config = pilfer::research::config;

std::vector<pool_kind> block_kinds() {
  return {basic_kind<config::ws_global>(), basic_kind<config::bwos_lifo>(), basic_kind<config::bwos_fifo>()};
}

}  // namespace pilfer::test
