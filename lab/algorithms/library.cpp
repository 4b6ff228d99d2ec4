#include "lab/algorithms/library.hpp"

#include <algorithm>
#include <iterator>

namespace pilfer::lab::algorithms {

const std::vector<library>& libraries() {
  static const std::vector<library> all = [] {
    std::vector<library> list;
    for (auto part : {serial_library, pilfer_library, tbb_library, openmp_libraries, std_par_library}) {
      std::ranges::move(part(), std::back_inserter(list));
    }
    return list;
  }();
  return all;
}

library absent_library(const char* name, const char* description, const char* why) {
  return {.name = name, .description = description, .why_unavailable = why};
}

}  // namespace pilfer::lab::algorithms
