#include "lab/measure/usage.hpp"

#include <sys/resource.h>

namespace pilfer::lab {
namespace {

double seconds_of(const timeval& time) noexcept {
  constexpr double seconds_per_us = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * seconds_per_us;
}

usage usage_of(int who) noexcept {
  rusage used{};
  if (::getrusage(who, &used) != 0) return {};
  return {seconds_of(used.ru_utime) + seconds_of(used.ru_stime), used.ru_nvcsw, used.ru_nivcsw, used.ru_maxrss};
}

}  // namespace

usage usage_so_far() noexcept { return usage_of(RUSAGE_SELF); }
usage usage_of_children() noexcept { return usage_of(RUSAGE_CHILDREN); }

}  // namespace pilfer::lab
