// Runs a plan, in this process.
#pragma once

#include "waits/plan.hpp"

namespace pilfer::test {

// Runs the plan with its processors and its threads, and checks that each node ran once in each round and that all sums are right.
// Returns false, with a message on standard error, if they are not. When for so many seconds no node has ended and no wait has returned,
// it prints what each node and each worker does, and aborts.
// Requires a process without any other thread: the process is not to be used for anything else afterwards.
[[nodiscard]] bool run_plan(const plan& all, unsigned patience_s);

}  // namespace pilfer::test
