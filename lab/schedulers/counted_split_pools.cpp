// The variants of LCWS, and Lace's rule, in the counting build.
#include "lab/schedulers/configuration.hpp"
#include "lab/schedulers/registry.hpp"

namespace pilfer::lab::schedulers {

std::vector<counted_entry> counted_split_entries() {
  namespace config = research::config;
  return {
      counted_configuration<config::lcws_user>(),
      counted_configuration<config::lcws_signal>(),
      counted_configuration<config::lcws_conservative>(),
      counted_configuration<config::lcws_half>(),
      counted_configuration<config::lace>(),
  };
}

}  // namespace pilfer::lab::schedulers
