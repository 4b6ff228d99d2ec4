// libstdc++'s std::stable_sort calls what it has deprecated itself; only clang says so.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif

#include "lab/applications/merge_sort.hpp"

namespace pilfer::lab::applications {

void merge_sort::run_serial() { std::stable_sort(records_.begin(), records_.end(), by_key{}); }

}  // namespace pilfer::lab::applications
