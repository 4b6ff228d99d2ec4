// What is to be known of the peers that more than one suite compares with: why one is not in this build, and how long its
// threads go on after their work.
#pragma once

#include <chrono>

namespace pilfer::lab::schedulers {

#if defined(PILFER_LAB_SANITIZED)
inline constexpr const char* why_no_tbb = "left out of a build with a sanitizer, which does not see through it";
inline constexpr const char* why_no_openmp = why_no_tbb;
#else
inline constexpr const char* why_no_tbb = "not installed when this was built (libtbb-dev)";
inline constexpr const char* why_no_openmp = "this build has no OpenMP";
#endif

// Threads of a finished region spin for some milliseconds: not while the next contender is measured.
inline constexpr std::chrono::milliseconds openmp_calms_down_in{20};
// Its idle workers look for work for a while, too.
inline constexpr std::chrono::milliseconds tbb_calms_down_in{5};

}  // namespace pilfer::lab::schedulers
