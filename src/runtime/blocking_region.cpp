#include <pilfer/blocking_region.hpp>

#include "current_worker.hpp"
#include "rest.hpp"

namespace pilfer {

blocking_region::blocking_region() noexcept : self_(detail::current_worker()) {
  if (self_ != nullptr) detail::begin_blocking();
}

blocking_region::~blocking_region() {
  if (self_ != nullptr) detail::end_blocking();
}

}  // namespace pilfer
