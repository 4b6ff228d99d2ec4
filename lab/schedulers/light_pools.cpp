// Further deques whose owner needs no fence.
#include "lab/schedulers/configuration.hpp"
#include "lab/schedulers/registry.hpp"

namespace pilfer::lab::schedulers {

std::vector<entry> light_entries() {
  namespace config = research::config;
  return {
      configuration_entry<config::lace>(),
      configuration_entry<config::asymmetric>(),
  };
}

}  // namespace pilfer::lab::schedulers
