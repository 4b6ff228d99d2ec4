#include "lab/applications/experiment.hpp"
#include "lab/balance/experiments.hpp"
#include "lab/coroutines/experiment.hpp"
#include "lab/details/experiments.hpp"
#include "lab/documents/json_experiment.hpp"
#include "lab/dups/dups.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/experiments/suites.hpp"
#include "lab/idle/experiments.hpp"
#include "lab/lightweight/experiments.hpp"
#include "lab/marking/marking.hpp"
#include "lab/peers/experiment.hpp"
#include "lab/queues/experiments.hpp"
#include "lab/serve/experiment.hpp"
#include "lab/tasks/experiment.hpp"

namespace pilfer::lab::experiments {

std::vector<std::string> papers() {
  return {"000: work-stealing queues in C++, block-based and others (master's thesis, Bamberg 2025)",
          "001: Wang et al., BWoS: formally verified block-based work stealing (OSDI 2023)",
          "002: bounded and unbounded work-stealing deques (project report)",
          "003: lock-free, priority-aware work stealing (CMU)",
          "004: Rito and Paulino, LCWS: work stealing with little synchronization (SPAA 2023)"};
}

const std::vector<experiment>& registry() {
  static const std::vector<experiment> all = {
      queues_alone_experiment(), queues_thieves_experiment(), steal_frequency_experiment(), steal_latency_experiment(),
      block_size_experiment(),   barriers_experiment(),       owner_loss_experiment(),      cache_lines_experiment(),
      batch_experiment(),        victims_experiment(),        verification_experiment(),    fork_join_experiment(),
      lcws_experiment(),         two_processes_experiment(),  load_balance_experiment(),    fairness_experiment(),
      priorities_experiment(),   wake_up_experiment(),        memory_experiment(),          algorithms_experiment(),
      programs_experiment(),     quicksort_experiment(),      marking_experiment(),         json_experiment(),
      peers_experiment(),        tasks_experiment(),          coroutines_experiment(),      dups_experiment(),
      serve_experiment(),
  };
  return all;
}

}  // namespace pilfer::lab::experiments
