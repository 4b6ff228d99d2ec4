// Experiment `victims`: a pool of eight queues under every victim policy (001, 6.2.3, Fig. 12).
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "lab/details/crew.hpp"
#include "lab/details/disturbed_queue.hpp"
#include "lab/details/experiments.hpp"
#include "lab/details/queue_pool.hpp"
#include "lab/details/rows.hpp"
#include "lab/details/victims_report.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/queues/alone.hpp"
#include "src/topology/groups.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace details;
using clock = std::chrono::steady_clock;

// Whoever plays an owner, and where.
struct players {
  std::vector<int> processors;  // of the threads: spread over the machine
  ext::machine_groups groups;   // of the owners
  std::size_t numa_nodes = 1;
};

players find_players(const settings& given) {
  const std::vector<int> allowed = allowed_processors();
  const topology::machine_map map = topology::find_machine({allowed.begin(), allowed.end()});
  const std::size_t threads = std::clamp<std::size_t>(std::min(given.processors, allowed.size()), 1, pool_queues);
  players all;
  std::vector<topology::cpu_place> places;
  places.reserve(threads);
  // Near processors stand side by side in the map, so equal steps take as many of each node.
  for (std::size_t i = 0; i < threads; ++i) places.push_back(map.cpus[i * map.cpus.size() / threads]);
  for (const topology::cpu_place& one : places) all.processors.push_back(static_cast<int>(one.cpu));
  for (std::size_t q = 0; q < pool_queues; ++q) {
    all.groups.cache_group.push_back(places[q % threads].cache_group);
    all.groups.numa_node.push_back(places[q % threads].numa_node);
  }
  std::vector<std::uint32_t> nodes = all.groups.numa_node;
  std::ranges::sort(nodes);
  all.numa_nodes = static_cast<std::size_t>(std::ranges::unique(nodes).begin() - nodes.begin());
  return all;
}

struct contest {
  const pool_kind* who;
  queue_pool* pool;
  std::string_view policy;
  double balancing;
  std::uint64_t pushed = 0;
  std::uint64_t stolen = 0;
  std::uint64_t attempts = 0;
};

// Returns ns per operation of all threads together: the inverse of the sum of their throughputs.
double sample_contest(contest& one, const players& all, crew& others, std::chrono::microseconds length) {
  const pool_plan plan{.policy = one.policy,
                       .balancing = one.balancing,
                       .threads = all.processors.size(),
                       .deadline = clock::now() + length,
                       .groups = &all.groups};
  std::vector<pool_work> works(plan.threads);
  others.begin([&](std::size_t member, const stop_flag& /*stop*/) { works[member] = one.pool->work(member, plan); });
  works.back() = one.pool->work(plan.threads - 1, plan);
  others.wait();
  throw_if_interrupted();
  pool_work sum;
  double per_ns = 0;
  for (const pool_work& work : works) {
    sum.pushed += work.pushed;
    sum.popped += work.popped;
    sum.stolen += work.stolen;
    sum.attempts += work.attempts;
    per_ns += static_cast<double>(work.operations()) / work.ns;
  }
  check_items(victims_impl(one.who->name, one.policy), sum.pushed, sum.popped, sum.stolen, one.pool->drain());
  one.pushed += sum.pushed.count;
  one.stolen += sum.stolen.count;
  one.attempts += sum.attempts;
  return 1 / per_ns;
}

json share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? json(nullptr) : json(static_cast<double>(part) / static_cast<double>(whole));
}

row row_of_contest(const contest& one, const players& all, const queues::geometry& shape, std::vector<double> samples) {
  return {.suite = victims_suite,
          .name = victims_name(one.balancing),
          .impl = one.balancing == 0 ? one.who->name : victims_impl(one.who->name, one.policy),
          .params = {{"entries", queues::capacity_of(shape)},
                     {"blocks", shape.blocks},
                     {"block_entries", shape.entries},
                     {"queues", pool_queues},
                     {"workers", all.processors.size()},
                     {"queue", one.who->name},
                     {"policy", one.balancing == 0 ? json(nullptr) : json(one.policy)},
                     {"balancing", one.balancing}},
          .unit = "ns/op",
          .samples = std::move(samples),
          .ratio_to_sequential = {},
          .extra = {{"numa_nodes", all.numa_nodes},
                    {"stolen_share", share_of(one.stolen, one.pushed)},
                    {"successful_attempts", share_of(one.stolen, one.attempts)},
                    {"oversubscribed", false}}};
}

findings measure_victims(const settings& given, double balancing) {
  const queues::geometry shape =
      by_effort(given, queues::small_geometry, queues::large_geometry, queues::large_geometry);
  const std::chrono::microseconds length(by_effort(given, 200, 4000, 10000));
  const players all = find_players(given);
  const pinned here(all.processors.back());
  crew others({all.processors.begin(), all.processors.end() - 1});

  std::vector<std::unique_ptr<queue_pool>> made;
  std::vector<contest> contests;
  for (const pool_kind& who : pool_kinds()) {
    if (who.sequential && balancing > 0) continue;
    made.push_back(who.make(shape));
    for (const std::string_view policy : pool_policies()) {
      contests.push_back({.who = &who, .pool = made.back().get(), .policy = policy, .balancing = balancing});
      if (balancing == 0) break;  // nobody steals: the policy does not matter
    }
  }
  std::vector<contender> contenders;
  contenders.reserve(contests.size());
  for (contest& one : contests) {
    contenders.push_back(
        {victims_impl(one.who->name, one.policy), [&] { return sample_contest(one, all, others, length); }});
  }
  const auto repetitions =
      balancing == 0 ? by_effort<std::size_t>(given, 2, 51, 201) : by_effort<std::size_t>(given, 1, 15, 51);
  sample_matrix samples = run_interleaved(contenders, repetitions, victims_name(balancing));

  findings found;
  for (std::size_t i = 0; i < contests.size(); ++i)
    found.rows.push_back(row_of_contest(contests[i], all, shape, std::move(samples[i])));
  for (std::size_t i = 0; i < contests.size() && balancing == 0; ++i) {
    found.rows[i].ratio_to_sequential =
        throughput_ratio(&found.rows[i], find_row(found.rows, victims_name(0), contests[i].who->baseline));
  }
  if (balancing == 0 && all.processors.size() < pool_queues) {
    found.notes.push_back(
        fmt::format("{} of 8 threads: as many as there are processors, so that nobody waits for one; each plays the "
                    "owners of several "
                    "queues",
                    all.processors.size()));
  }
  return found;
}

std::vector<part> victims_parts(const settings& given) {
  const auto factors =
      by_effort<std::vector<double>>(given, {0, 0.1}, {0, 0.1, 1}, {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1});
  std::vector<part> parts;
  parts.reserve(factors.size());
  for (const double balancing : factors)
    parts.push_back({victims_name(balancing), [given, balancing] { return measure_victims(given, balancing); }});
  return parts;
}

}  // namespace

experiment victims_experiment() {
  return {
      .name = victims_suite,
      .title = "A pool of eight queues and whom to rob",
      .source = "001 section 6.2.3, Fig. 12",
      .summary =
          "The owners of eight queues fill theirs, empty it, and then try to steal k times its capacity, one item at a "
          "time, from whom their policy names. All pushes, pops and steals of all threads count. 001, with eight "
          "threads on two NUMA nodes, saw LIFO BWoS at 4.69x of ABP and FIFO BWoS at 2.68x of Tokio for k = 0, and the "
          "policy numa up to 2.21x ahead of others.",
      .parts = victims_parts,
      .claims = victims_claims,
      .charts = victims_charts,
      .quick_seconds = 15};
}

}  // namespace pilfer::lab::experiments
