// What LCWS is compared with, in the counting build.
#include "lab/schedulers/configuration.hpp"
#include "lab/schedulers/registry.hpp"

namespace pilfer::lab::schedulers {

std::vector<counted_entry> counted_classic_entries() {
  namespace config = research::config;
  return {
      counted_configuration<config::ws_abp>(),
      counted_configuration<config::ws_chase_lev>(),
  };
}

}  // namespace pilfer::lab::schedulers
