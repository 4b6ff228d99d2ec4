// Litmus tests with their known answers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "litmus/graph.hpp"

namespace pilfer::model::litmus {

enum class verdict : std::uint8_t { forbidden, allowed };

struct answer {
  verdict outcome = verdict::forbidden;  // of the interesting outcome
  std::uint64_t graphs = 0;
  friend bool operator==(const answer&, const answer&) = default;
};

struct litmus_test {
  std::string_view name;
  std::string_view program;  // see program.hpp
  std::string_view outcome;  // the interesting one
  answer rc11;
  answer sc_execution;  // as rc11, but for the few tests where S cannot be the order of execution
  answer load_buffering;
  bool genmc = false;  // GenMC publishes the same number of executions
};

[[nodiscard]] const std::vector<litmus_test>& litmus_table();
// Of memory_model::standard the table knows nothing; it is taken for load_buffering.
[[nodiscard]] const answer& answer_of(const litmus_test& test, memory_model model);

}  // namespace pilfer::model::litmus
