#include "lab/measure/affinity.hpp"

#include <sched.h>

#include <span>

namespace pilfer::lab {
namespace {

bool allow(std::span<const int> processors) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int p : processors) CPU_SET(static_cast<unsigned>(p), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace

std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int p = 0; p < CPU_SETSIZE; ++p) {
      if (CPU_ISSET(static_cast<unsigned>(p), &set)) processors.push_back(p);
    }
  }
  if (processors.empty()) processors.push_back(0);
  return processors;
}

bool pin_this_thread(int processor) noexcept { return allow(std::span(&processor, 1)); }

pinned::pinned(int processor) : before_(allowed_processors()), succeeded_(pin_this_thread(processor)) {}

pinned::~pinned() {
  if (succeeded_) allow(before_);
}

}  // namespace pilfer::lab
