// One program, run by several in turns: rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/measure/report.hpp"

namespace pilfer::lab::applications {

// Who runs it, with how many workers; 0 of serial code.
struct contestant {
  const kit_entry* kit = nullptr;
  std::size_t workers = 0;
  variant how{};  // of ours

  [[nodiscard]] std::string name() const { return kit->of == kind::ours ? name_of(how) : kit->name; }
};

struct endurance {
  double seconds = 0;                 // about so long in all
  std::size_t least_repetitions = 1;  // even if it takes longer
  std::size_t most_repetitions = 1;
  bool warm_up = true;  // one run each that is not counted, and says how long a repetition takes
};
[[nodiscard]] endurance endurance_of(const experiments::settings& given, double quick_seconds, double full_seconds);

// Serial code must be among them. A row each, in their order.
//   Throws  what a run throws; `interrupted`.
[[nodiscard]] std::vector<row> measure(const char* suite, application& what, const std::vector<contestant>& who,
                                       const endurance& how_long);

// Of the rows' extra keys: none, if the row has no such number.
[[nodiscard]] bool is_ours(const row& r);
[[nodiscard]] bool is_peer(const row& r);
// The most workers that a program was run with; 0 if it was not.
[[nodiscard]] std::size_t most_workers(const std::vector<row>& rows, std::string_view program);

// Peers that are not in this build, and the versions of those that are.
void describe_peers(experiments::findings& found);

}  // namespace pilfer::lab::applications
