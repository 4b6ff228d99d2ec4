// The block-based queues.
#include "lab/schedulers/configuration.hpp"
#include "lab/schedulers/registry.hpp"

namespace pilfer::lab::schedulers {

std::vector<entry> block_entries() {
  namespace config = research::config;
  return {
      configuration_entry<config::bwos_lifo>(),
      configuration_entry<config::bwos_fifo>(),
  };
}

}  // namespace pilfer::lab::schedulers
