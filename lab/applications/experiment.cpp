#include "lab/applications/experiment.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include <pilfer/pool.hpp>

#include "lab/applications/application.hpp"
#include "lab/applications/charts.hpp"
#include "lab/applications/claims.hpp"
#include "lab/applications/kit_session.hpp"
#include "lab/applications/measurement.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace applications;

constexpr double programs_quick_seconds = 24;
constexpr double programs_full_seconds = 1800;
constexpr double quicksort_quick_seconds = 12;
constexpr double quicksort_full_seconds = 240;
// Of a part's time: making the input, and the first run of everybody, are not in the repetitions.
constexpr double share_of_repetitions = 0.75;

// Those of scheduler_names() that a program is run with.
std::vector<std::string> queues_for(const settings& given) {
  std::vector<std::string> all = scheduler_names();
  if (given.how == effort::full) return all;
  const std::vector<std::string> some =
      given.how == effort::tiny
          ? std::vector<std::string>{"default", "bwos-lifo"}
          : std::vector<std::string>{"default", "ws-chase-lev", "bwos-lifo", "bwos-fifo", "lcws-signal"};
  std::erase_if(all, [&](const std::string& name) { return std::ranges::find(some, name) == some.end(); });
  return all;
}

std::vector<std::size_t> counts_for(const settings& given) {
  if (given.processors == 1) return {1};
  return {1, given.processors};
}

std::vector<contestant> everybody(const application& what, const settings& given) {
  std::vector<contestant> all;
  for (const kit_entry& kit : kits()) {
    if (!kit.runs(what)) continue;
    if (kit.of == kind::serial) {
      all.push_back({&kit, 0});
      continue;
    }
    for (const std::size_t workers : counts_for(given)) {
      if (kit.of == kind::peer) {
        all.push_back({&kit, workers});
        continue;
      }
      for (const std::string& queue : queues_for(given)) all.push_back({&kit, workers, {queue}});
    }
  }
  return all;
}

std::vector<part> program_parts(const settings& given) {
  std::vector<part> parts;
  const auto share = share_of_repetitions / static_cast<double>(applications::applications().size());
  for (const application_entry& entry : applications::applications()) {
    parts.push_back({entry.name, [given, share, entry] {
                       findings found;
                       describe_peers(found);
                       const std::unique_ptr<application> what = entry.make(given.how);
                       found.rows =
                           measure("programs", *what, everybody(*what, given),
                                   endurance_of(given, programs_quick_seconds * share, programs_full_seconds * share));
                       return found;
                     }});
  }
  return parts;
}

constexpr std::array<std::size_t, 6> block_sizes{8, 16, 32, 64, 128, 256};

// Every queue as it is; those with blocks in all sizes instead.
std::vector<variant> quicksort_variants(const settings& given) {
  std::vector<variant> all;
  for (const std::string& queue : scheduler_names()) {
    if (!queue.starts_with("bwos-")) {
      all.push_back({queue});
      continue;
    }
    for (const std::size_t entries : block_sizes) {
      if (given.how != effort::tiny || entries == block_sizes.front()) all.push_back({queue, entries});
    }
  }
  return all;
}

findings measure_quicksort(const settings& given) {
  application_of<quicksort> what(by_effort<std::size_t>(given, 5'000, 1'000'000, 10'000'000));
  std::vector<contestant> all{{find_kit(serial_name), 0}};
  for (const variant& how : quicksort_variants(given)) all.push_back({find_kit(pilfer_name), given.processors, how});
  return {.rows = measure("quicksort", what, all,
                          endurance_of(given, quicksort_quick_seconds * share_of_repetitions, quicksort_full_seconds))};
}

}  // namespace

experiment programs_experiment() {
  return {.name = "programs",
          .title = "Programs: all schedulers",
          .source = "000 section 5.3, Tables 5.4 and 5.5; 004 Fig. 4 to 8",
          .summary =
              "Whole programs, from pure forking (fib, skynet) over sorts and searches to graphs and geometry, each "
              "with the "
              "same input for serial code, our pool with several queues, oneTBB, OpenMP tasks and, where the program "
              "is one "
              "standard algorithm, std::execution::par. Everybody takes turns with everybody else, and every answer is "
              "checked.",
          .parts = program_parts,
          .claims = program_claims,
          .charts = program_charts,
          .quick_seconds = programs_quick_seconds};
}

experiment quicksort_experiment() {
  return {.name = "quicksort",
          .title = "Quicksort: every queue, every block size",
          .source = "000 section 5.3.1, Fig. 5.10 and 5.11, Table 5.4",
          .summary =
              "Quicksort of 64-bit integers down to 32 items, on all processors. The thesis saw its block-based queue "
              "become 65 "
              "times slower when a block has 64 entries instead of 8, and its ABP deque not share any work. Here no "
              "queue and no "
              "block size should matter.",
          .parts = [](const settings& given) -> std::vector<part> {
            return {{"quicksort", [given] { return measure_quicksort(given); }}};
          },
          .claims = quicksort_claims,
          .charts = quicksort_charts,
          .quick_seconds = quicksort_quick_seconds};
}

}  // namespace pilfer::lab::experiments
