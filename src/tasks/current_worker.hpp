// The worker of pilfer::pool that the calling thread is.
#pragma once

#include <pilfer/detail/worker.hpp>

namespace pilfer::detail {

// Null outside of every pool. In src/scheduler/pool.cpp.
[[nodiscard]] worker* current_worker() noexcept;

}  // namespace pilfer::detail
