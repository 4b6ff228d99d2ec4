// Families of runs. A client of a queue is a list of runs that fit that queue.
#pragma once

#include <string>
#include <vector>

#include "subject.hpp"

namespace pilfer::model::verify {

inline constexpr const char* protocol_name = "protocol";
inline constexpr const char* protocol_random = "protocol-random";
inline constexpr const char* protocol_full = "protocol-full";

struct client {
  const char* name;
  const char* description;
  bool full;  // takes minutes
  // Where it is too large to exhaust: search within this preemption bound, and then this many random executions.
  int preemptions = -1;
  std::uint64_t random = 0;
  std::vector<run> (*made_for)(const subject&);
  double seconds = 0;       // of one search within the bound; 0: as long as it takes
  bool on_request = false;  // only if it is named: takes hours

  // Empty: not for this subject.
  [[nodiscard]] std::vector<run> runs(const subject& s) const;
};

[[nodiscard]] const std::vector<client>& clients();
[[nodiscard]] const client& client_called(const std::string& name);

}  // namespace pilfer::model::verify
