// pilfer bench: the suites of benchmarks.
#include "command.hpp"

namespace pilfer::cli {

void add_bench(CLI::App& to, action& chosen) {
  CLI::App* bench = to.add_subcommand("bench",
                                      "Measure on this machine.\n"
                                      "\n"
                                      "Examples:\n"
                                      "  pilfer bench queues --quick\n"
                                      "  pilfer bench fork-join --quick\n"
                                      "  pilfer bench algorithms --quick\n"
                                      "  pilfer bench priorities --quick\n");
  add_bench_queues(*bench, chosen);
  add_bench_fork_join(*bench, chosen);
  add_bench_algorithms(*bench, chosen);
  add_bench_priorities(*bench, chosen);
}

}  // namespace pilfer::cli
