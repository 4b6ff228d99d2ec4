#include "lab/priorities/latency.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "lab/measure/affinity.hpp"
#include "lab/measure/compiler_barrier.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/mapped.hpp"
#include "lab/measure/progress.hpp"
#include "lab/measure/registry.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/measure/table.hpp"
#include "lab/priorities/measurement.hpp"
#include "lab/priorities/starting_gate.hpp"

namespace pilfer::lab::priorities {
namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr double task_length_us = 100;
constexpr std::size_t backlog_per_worker = 64;
constexpr std::size_t tasks_before_first_request = 16;  // of each worker: then the pool is in its stride
constexpr auto between_requests = 1ms;

void busy_for(std::uint64_t turns) noexcept {
  for (std::uint64_t i = 0; i < turns; ++i) compiler_barrier();
}

// A number of turns, not a time: a worker that loses its processor meanwhile does not finish sooner for it.
std::uint64_t turns_per_task() {
  constexpr std::uint64_t tried = 2'000'000;
  constexpr std::size_t tries = 7;
  std::vector<double> seconds(tries);
  for (double& each : seconds) each = seconds_taken_by([] { busy_for(tried); });
  return static_cast<std::uint64_t>(static_cast<double>(tried) * task_length_us / (minimum(seconds) * 1e6));
}

// A pool that always has something to do, of the last level.
class saturated_pool {
 public:
  saturated_pool(arena& where, std::uint64_t turns)
      : where_(where), turns_(turns), inside_(where.workers()), group_(where.inside()) {
    spawn_on_each_worker(where, group_, inside_, [this](std::size_t /*worker*/) {
      for (std::size_t i = 0; i < backlog_per_worker; ++i) add();
    });
    while (begun() < tasks_before_first_request * where.workers()) {
      std::this_thread::sleep_for(100us);
      if (group_.unfinished() == 0) group_.wait();  // throws: not all workers came
    }
  }
  // Lets the tasks run out.
  ~saturated_pool() {
    stopping_.store(true, std::memory_order_relaxed);
    while (group_.unfinished() != 0) std::this_thread::sleep_for(100us);
  }
  saturated_pool(const saturated_pool&) = delete;
  saturated_pool& operator=(const saturated_pool&) = delete;

  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_.load(std::memory_order_relaxed); }

 private:
  void add() {
    where_.spawn(group_, where_.levels() - 1, [this] {
      begun_.fetch_add(1, std::memory_order_relaxed);
      busy_for(turns_);
      if (!stopping_.load(std::memory_order_relaxed)) add();
    });
  }

  arena& where_;
  const std::uint64_t turns_;
  alignas(64) std::atomic<std::uint64_t> begun_{0};
  alignas(64) std::atomic<bool> stopping_{false};
  starting_gate inside_;
  task_group group_;
};

// One request every millisecond.
void send_requests(arena& where, std::uint64_t turns, std::size_t count, std::vector<request_figures>& into) {
  const std::size_t first = into.size();
  into.resize(first + count);
  std::vector<future<void>> sent;
  sent.reserve(count);
  {
    const saturated_pool busy(where, turns);
    auto next = clock::now();
    for (std::size_t i = 0; i < count && interrupt_signal() == 0; ++i) {
      next += between_requests;
      std::this_thread::sleep_until(next);
      request_figures& mine = into[first + i];
      const std::uint64_t begun = busy.begun();
      const auto submitted = clock::now();
      sent.push_back(where.submit(0, [&mine, &busy, begun, submitted] {
        const auto now = clock::now();
        mine.overtaken = static_cast<double>(busy.begun() - begun);
        mine.delay_us = std::chrono::duration<double, std::micro>(now - submitted).count();
      }));
    }
    // Not by their wait(), which would run them here.
    for (const future<void>& each : sent) {
      while (!each.is_ready()) std::this_thread::sleep_for(100us);
    }
  }
  throw_if_interrupted();
}

struct percentiles {
  double p50;
  double p99;
  double p999;
  explicit percentiles(const std::vector<double>& values)
      : p50(nearest_rank(values, 50)), p99(nearest_rank(values, 99)), p999(nearest_rank(values, 99.9)) {}
};

}  // namespace

std::vector<double> latency_entry::delays() const { return mapped(requests, &request_figures::delay_us); }
std::vector<double> latency_entry::overtaken() const { return mapped(requests, &request_figures::overtaken); }

const latency_entry* latency_result::find(std::string_view design) const { return find_by_name(entries, design); }

latency_result measure_latency(const std::vector<const design*>& who, unsigned levels, scale how) {
  const std::size_t workers = allowed_processors().size();
  const std::size_t per_round = how == scale::full ? 500 : how == scale::quick ? 100 : 5;
  const std::size_t rounds = how == scale::full ? 10 : how == scale::quick ? 3 : 2;
  const std::uint64_t turns = turns_per_task();
  latency_result result{.workers = workers, .levels = levels, .task_us = task_length_us, .entries = {}};
  std::vector<std::unique_ptr<arena>> arenas;
  for (const design* one : who) {
    arenas.push_back(std::make_unique<arena>(*one, workers, levels));
    result.entries.push_back({one->name, {}});
  }
  progress shown(latency_name, rounds * who.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < arenas.size(); ++i) {
      shown.step(result.entries[i].name);
      send_requests(*arenas[i], turns, per_round, result.entries[i].requests);
    }
  }
  return result;
}

std::vector<row> rows_of(const latency_result& result) {
  std::vector<row> rows;
  for (const latency_entry& one : result.entries) {
    row r{.suite = suite_name,
          .name = latency_name,
          .impl = one.name,
          .params = {{"size", one.requests.size()}, {"workers", result.workers}, {"levels", result.levels}},
          .unit = "us",
          .samples = one.delays(),
          .ratio_to_sequential = {}};
    const percentiles delays(one.delays());
    const percentiles overtaken(one.overtaken());
    r.extra["delay_p50"] = delays.p50;
    r.extra["delay_p99"] = delays.p99;
    r.extra["delay_p999"] = delays.p999;
    r.extra["overtaken_p50"] = overtaken.p50;
    r.extra["overtaken_p99"] = overtaken.p99;
    r.extra["overtaken_p999"] = overtaken.p999;
    r.extra["overtaken_samples"] = one.overtaken();
    rows.push_back(std::move(r));
  }
  return rows;
}

std::string text_of(const latency_result& result) {
  table t({{"design", align::left},
           {"requests"},
           {"delay us: p50"},
           {"p99"},
           {"p99.9"},
           {"overtaken: p50"},
           {"p99"},
           {"p99.9"}});
  for (const latency_entry& one : result.entries) {
    const percentiles delays(one.delays());
    const percentiles overtaken(one.overtaken());
    std::vector<std::string> cells = {one.name, fmt::format("{}", one.requests.size())};
    for (const double us : {delays.p50, delays.p99, delays.p999}) cells.push_back(fmt::format("{:.1f}", us));
    for (const double n : {overtaken.p50, overtaken.p99, overtaken.p999}) cells.push_back(fmt::format("{:.0f}", n));
    t.add(std::move(cells));
  }
  return fmt::format(
      "latency: {} workers saturated with tasks of {:.0f} us at level {}, a request of level 0 every millisecond\n{}",
      result.workers, result.task_us, result.levels - 1, t.text());
}

}  // namespace pilfer::lab::priorities
