// Split deques, by who exposes work and how much (004).
#include "lab/schedulers/configuration.hpp"
#include "lab/schedulers/registry.hpp"

namespace pilfer::lab::schedulers {

std::vector<entry> split_entries() {
  namespace config = research::config;
  return {
      configuration_entry<config::lcws_user>(),
      configuration_entry<config::lcws_signal>(),
      configuration_entry<config::lcws_conservative>(),
      configuration_entry<config::lcws_half>(),
  };
}

}  // namespace pilfer::lab::schedulers
