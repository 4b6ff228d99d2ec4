// How the rows of `dups` are named: what measures them and what judges them agree here.
#pragma once

#include <string>
#include <string_view>

#include "lab/dups/finders.hpp"

namespace pilfer::lab::dups {

inline constexpr const char* suite_name = "dups";
inline constexpr const char* same_prefix = "same-result/";  // + corpus; samples are 1 or 0
inline constexpr const char* queues_prefix = "queues/";     // + corpus; impl is a scheduler
inline constexpr const char* queue_loads[] = {"thesis", "thesis+load"};
inline constexpr const char* corpora[] = {"thesis", "skewed", "adversarial"};
inline constexpr std::string_view warm = "warm";
inline constexpr std::string_view cold = "cold";

// "thesis/cold"
[[nodiscard]] inline std::string case_name(const std::string& corpus, std::string_view cache) {
  return corpus + "/" + std::string(cache);
}

}  // namespace pilfer::lab::dups
