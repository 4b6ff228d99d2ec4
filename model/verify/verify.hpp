// Verification of every queue: which clients there are, running them, and what came out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/check.hpp"

namespace pilfer::model::verify {

// How a row's search was limited.
struct bounds {
  int preemptions = -1;          // >= 0: interleaving search with this bound instead of the exhaustive one
  std::uint64_t executions = 0;  // 0: the client's own
  double seconds = 0;            // per row; 0: the client's own
  std::uint64_t random = 0;      // > 0: that many random executions instead
  std::uint64_t seed = 1;
};

struct settings {
  std::vector<std::string> queues;  // empty: all
  std::string client;               // empty: all
  bounds limits;
  bool full = false;           // also the clients that take minutes: Fig. 9, three thieves, long scripts
  unsigned jobs = 0;           // OS threads; 0: as many as there are processors
  std::function<bool()> stop;  // asked now and then, from any of them
};

// One client of one queue; a client may stand for a family of scripts and sizes, all of which are run.
struct row {
  std::string queue;
  std::string client;
  std::string what;  // "owner +++--; thieves ss, s; capacity 2"; of a family: how many runs
  std::string mode;  // "exhaustive", "preemption bound 3", "10000000 random"
  std::uint64_t runs = 0;
  std::uint64_t executions = 0;
  std::uint64_t cut_off = 0;
  std::uint64_t graphs = 0;
  double seconds = 0;
  bool exhausted = true;
  std::string bound_hit;          // of the first run that hit one
  bool expected_to_fail = false;  // a known fault, or a conjecture that does not hold: failing is the good outcome
  std::string note;
  failure failed;          // the first failure, shrunk
  std::string failed_run;  // which run failed, as in `what`

  // Did it come out as it should?
  [[nodiscard]] bool as_expected() const noexcept { return (failed.what != fault::none) == expected_to_fail; }
};

struct progress {
  std::uint64_t executions = 0;  // so far, all rows
  std::size_t rows_done = 0;
  std::size_t rows = 0;
  std::string current;  // "bwos-lifo small"
};

[[nodiscard]] std::vector<std::string> queue_names();
// "faults" and "conjecture" are in the list, and are none.
[[nodiscard]] bool is_queue(const std::string& name);
// With the ones that only `full` runs.
[[nodiscard]] std::vector<std::string> client_names();
[[nodiscard]] std::string client_description(const std::string& client);
[[nodiscard]] bool has_client(const std::string& queue, const std::string& client);

// Runs what the settings choose; rows come back in the order of the registry. `on_row` and `on_progress` are called from
// one thread at a time. Throws std::invalid_argument for a name that does not exist.
[[nodiscard]] std::vector<row> verify(const settings& how, const std::function<void(const row&)>& on_row,
                                      const std::function<void(const progress&)>& on_progress);

// Runs one execution of one run: `replay` is failure::replay of a row. Throws bad_replay.
struct replayed {
  row outcome;
  std::string trace;
};
[[nodiscard]] replayed replay(const std::string& text);

// One order at one place made weaker.
struct weakened {
  site where;
  std::memory_order to = std::memory_order_relaxed;
  bool caught = false;
  std::string by;      // client and run that caught it
  std::string reason;  // a survivor's, from the table of reasons; empty: none is known
};
struct order_counts {
  unsigned seq_cst = 0;
  unsigned acquire = 0;
  unsigned release = 0;
  unsigned acq_rel = 0;
  unsigned relaxed = 0;
};
struct weaken_report {
  std::string queue;
  order_counts counts;                    // of the sites that owner and thieves execute
  std::optional<order_counts> published;  // 001's Table 2
  std::vector<weakened> tried;
};
[[nodiscard]] weaken_report weaken_orders(const std::string& queue, const settings& how,
                                          const std::function<void(const weakened&)>& on_result);

// Every half of every named edge of a queue made relaxed, alone.
struct mutant {
  std::string queue;
  std::string edge;  // "publish.rel"
  bool caught = false;
  std::string by;
  std::string reason;  // a survivor's
};
[[nodiscard]] std::vector<mutant> try_mutants(const settings& how, const std::function<void(const mutant&)>& on_result);

}  // namespace pilfer::model::verify
