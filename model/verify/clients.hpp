// Families of runs. A client of a queue is a list of runs that fit that queue.
#pragma once

#include <string>
#include <vector>

#include "subject.hpp"

namespace pilfer::model::verify {

struct client {
  const char* name;
  const char* description;
  bool full;  // takes minutes
  // Where it is too large to exhaust: search within this preemption bound, and then this many random executions.
  int preemptions = -1;
  std::uint64_t random = 0;
  std::vector<run> (*runs)(const subject&);
  double seconds = 0;       // of one search within the bound; 0: as long as it takes
  bool on_request = false;  // only if it is named: takes hours
};

[[nodiscard]] const std::vector<client>& clients();
[[nodiscard]] const client& client_called(const std::string& name);

}  // namespace pilfer::model::verify
