// Stealing with little synchronization (004): the profile of its variants, and two programs that share the processors.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

[[nodiscard]] experiment lcws_experiment();

// `child`: the program, and its first arguments, that is started twice; those of run_child follow. By default this program
// itself with "lab child", if it is the command-line tool.
[[nodiscard]] experiment two_processes_experiment();
[[nodiscard]] experiment two_processes_experiment(const std::vector<std::string>& child);

}  // namespace pilfer::lab::experiments

namespace pilfer::lab::lightweight {

// `pilfer lab child PROGRAM SCHEDULER WORKERS SIZE REPEAT`, which the experiment two-processes starts. Runs the
// program and says "ready". Then, for each line that it gets, it makes the scheduler, runs the program REPEAT times and answers
//     BEGIN SECONDS VOLUNTARY INVOLUNTARY STOLEN
// the time when it began (seconds on the monotonic clock), the programs' time, context switches, and stolen jobs, or "-" if
// the scheduler does not say. Returns the exit status: 0; 1 if something went wrong; 2 for arguments that it does not
// understand.
[[nodiscard]] int run_child(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out,
                            std::ostream& complaints);

}  // namespace pilfer::lab::lightweight
