// The latch that lies in every fork.
#pragma once

#include <pilfer/detail/fork/job.hpp>
#include <pilfer/detail/protocol/join_latch.hpp>

namespace pilfer::detail {

using latch = join_latch<ext::default_sync>;
[[nodiscard]] inline latch latch_of(const forked_job& work) noexcept {
  return latch(const_cast<forked_job&>(work).state);
}

}  // namespace pilfer::detail
