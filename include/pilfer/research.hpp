// Schedulers to compare with: the library pilfer::research, beside pilfer::pilfer.
//
// A program that is linked with it may name any of scheduler_names() in PILFER_SCHEDULER or pool_options::scheduler, and use
// priority_rule::global and pool_options::count_inversions. With CMake nothing else is to be done:
//
//   target_link_libraries(my_program PRIVATE pilfer::research)
//
// Any other build calls pilfer::research::install() before the first pool is made.
#pragma once

namespace pilfer::research {

// From any thread, more than once if need be.
void install() noexcept;

}  // namespace pilfer::research
