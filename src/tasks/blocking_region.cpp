#include <pilfer/blocking_region.hpp>

#include <pilfer/detail/scheduler.hpp>

#include "current_worker.hpp"

namespace pilfer {

blocking_region::blocking_region() noexcept : self_(detail::current_worker()) {
  if (self_ != nullptr) self_->home.begin_blocking(*self_);
}

blocking_region::~blocking_region() {
  if (self_ != nullptr) self_->home.end_blocking(*self_);
}

}  // namespace pilfer
