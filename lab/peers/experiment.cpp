#include "lab/peers/experiment.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "lab/peers/deques.hpp"
#include "lab/peers/measurement.hpp"
#include "lab/queues/alone.hpp"

namespace pilfer::lab::experiments {
namespace {

using peers::contest;

// What is measured at each effort.
struct sized {
  contest what;
  std::int64_t tiny;
  std::int64_t quick;
  std::int64_t full;
};

constexpr std::array contests = {
    sized{contest::fib, 12, 25, 32},
    sized{contest::fib_spawn, 8, 19, 25},
    sized{contest::skynet, 100, 100'000, 1'000'000},
    sized{contest::spawn, 100, 100'000, 1'000'000},
    sized{contest::ping_pong, 50, 10'000, 100'000},
    sized{contest::nqueens, 6, 10, 12},
    sized{contest::integrate, 5, 40, 300},
    sized{contest::quicksort, 1'000, 150'000, 10'000'000},
    sized{contest::merge_sort, 1'000, 150'000, 10'000'000},
    sized{contest::matmul, 16, 192, 768},
    sized{contest::json, 4, 60, 2'000},
};

// Few enough for the threads of a test under a sanitizer, and at least two that could steal from each other.
std::vector<std::size_t> worker_counts(const settings& given) {
  if (given.how == effort::tiny) return {2};
  std::vector<std::size_t> counts = {std::max<std::size_t>(given.processors, 1)};
  if (given.how == effort::full && counts.front() > 1) counts.insert(counts.begin(), 1);
  return counts;
}

std::vector<part> parts_of(const settings& given) {
  std::vector<part> parts;
  for (const sized& one : contests) {
    const peers::contest_plan plan{.what = one.what,
                                   .size = by_effort(given, one.tiny, one.quick, one.full),
                                   .workers = worker_counts(given),
                                   .repetitions = by_effort<std::size_t>(given, 1, 11, 21),
                                   .processors = given.processors};
    parts.push_back({std::string(peers::name_of(one.what)), [plan] { return peers::measure_contest(plan); }});
  }
  const std::vector<int> few = {0, 20};
  const std::vector<int> all = {0, 1, 5, 10, 20, 50};
  for (const queues::geometry& shape : {queues::large_geometry, queues::small_geometry}) {
    const peers::deques_plan plan{.shape = shape,
                                  .percents = by_effort(given, few, few, all),
                                  .repetitions = by_effort<std::size_t>(given, 1, 25, 101),
                                  .processors = given.processors};
    parts.push_back(
        {"deques of " + std::to_string(queues::capacity_of(shape)), [plan] { return measure_deques(plan); }});
  }
  return parts;
}

}  // namespace

experiment peers_experiment() {
  return {
      .name = peers::suite_name,
      .title = "Peers: rayon, Tokio, Go, crossbeam, oneTBB, OpenMP",
      .source = "001 Fig. 10 and 11, sections 6.3.2 and 6.3.3: Tokio and Go; others' programs",
      .summary =
          "The same programs in other languages and by other libraries, interleaved with ours: fork and join, tasks, "
          "messages, JSON, and the owner's loop of crossbeam's deques. Every language has sequential code of its own "
          "beside it, since compilers differ. 001 compares queues; those of Tokio and Go are private, so whole "
          "programs "
          "are compared here.",
      .parts = parts_of,
      .claims = [](const std::vector<row>& rows, const settings& /*given*/) { return peers_claims(rows); },
      .charts = peers_charts,
      .quick_seconds = 25};
}

}  // namespace pilfer::lab::experiments
