// What each task does, so that none can be left out.
#pragma once

#include <cstddef>

#include "lab/measure/compiler_barrier.hpp"

namespace pilfer::lab::experiments::tasks {

[[gnu::noinline]] inline void count_one(std::size_t& sum) {
  compiler_barrier();
  ++sum;
}

}  // namespace pilfer::lab::experiments::tasks
