// The classic queues: one for all, a lock, ABP, Chase and Lev.
#include "lab/schedulers/configuration.hpp"
#include "lab/schedulers/registry.hpp"

namespace pilfer::lab::schedulers {

std::vector<entry> classic_entries() {
  namespace config = research::config;
  return {
      configuration_entry<config::ws_global>(),
      configuration_entry<config::ws_locked>(),
      configuration_entry<config::ws_abp>(),
      configuration_entry<config::ws_chase_lev>(),
  };
}

}  // namespace pilfer::lab::schedulers
