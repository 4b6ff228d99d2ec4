// Faults that are known, from papers and from public code: the checker must find each. And queues as published.
#pragma once

#include <vector>

#include "run.hpp"

namespace pilfer::model::verify {

inline constexpr const char* faults_name = "faults";
inline constexpr const char* conjecture_name = "conjecture";

struct known_fault {
  const char* group;  // faults_name or conjecture_name
  const char* name;
  const char* note;
  const char* run;  // as run::parse takes it
  result (*check)(const verify::run&, const options&);
  bool fails = true;  // false: the control, which must pass
  int preemptions = -1;
};

[[nodiscard]] const std::vector<known_fault>& known_faults();
// In model/protocols.
void add_protocol_faults(std::vector<known_fault>& to);
void add_fork_faults(std::vector<known_fault>& to);

}  // namespace pilfer::model::verify
