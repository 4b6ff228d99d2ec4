// A program for ParlayLib as it stands. Compiled twice: with `-include pilfer/parlay.hpp`, and with -DPARLAY_PILFER for a ParlayLib
// that knows pilfer.
#include <parlay/parallel.h>

#include "programs.hpp"

namespace pilfer::test {
namespace {

TEST(parlay_plugin, runs_programs) {
  parlay_programs::run_all();
  for (const unsigned workers : {1U, 2U, 4U}) parlay::execute_with_scheduler(workers, parlay_programs::run_all);
}

}  // namespace
}  // namespace pilfer::test
