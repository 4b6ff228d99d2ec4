#include "scheduler/basic_kind.hpp"

namespace pilfer::test {

namespace config = pilfer::research::config;

std::vector<pool_kind> polled_kinds() { return {basic_kind<config::lcws_user>(), basic_kind<config::lace>()}; }

}  // namespace pilfer::test
