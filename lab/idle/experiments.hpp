// What a pool costs while it has nothing to do, how fast it is back at work, and what memory it takes.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

// How this program is called so that it runs run_memory_child with the arguments that follow.
[[nodiscard]] std::vector<std::string> usual_memory_child();

[[nodiscard]] experiment wake_up_experiment();
[[nodiscard]] experiment memory_experiment(std::vector<std::string> child = usual_memory_child());

// Of a process of its own, because a peak never falls: runs PROGRAM with SCHEDULER, checks the result, and writes what it took
// as a line of JSON. Arguments: PROGRAM SCHEDULER SIZE WORKERS. Returns the code of exit: 2 for arguments that make no sense.
[[nodiscard]] int run_memory_child(const std::vector<std::string>& arguments, std::FILE* out = stdout);

}  // namespace pilfer::lab::experiments
