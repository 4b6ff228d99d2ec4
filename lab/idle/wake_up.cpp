// `wake-up`: latency from a task's submission to its begin in a pool that sleeps; processor time of one that has nothing to do.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "lab/idle/experiments.hpp"
#include "lab/idle/sleeper.hpp"
#include "lab/idle/wake_up_names.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/stopwatch.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace idle;
using std::chrono::milliseconds;

constexpr milliseconds between_ticks{10};

std::vector<const sleeper_entry*> available(const std::function<bool(const sleeper_entry&)>& wanted) {
  std::vector<const sleeper_entry*> list;
  for (const sleeper_entry& one : sleepers()) {
    if (one.make && wanted(one)) list.push_back(&one);
  }
  return list;
}

findings nothing_yet() {
  findings found;
  for (const sleeper_entry& one : sleepers()) {
    if (!one.make) found.notes.push_back(fmt::format("{}: {}", one.name, one.why_unavailable));
    if (!one.version.empty()) found.versions[one.name] = one.version;
  }
  return found;
}

// A caller inside is a worker: with fewer than two there is nobody to wake.
std::size_t workers_for(const settings& given) { return std::max<std::size_t>(given.processors, 2); }

row row_for(const char* name, const sleeper_entry& who, const settings& given, const char* unit,
            std::vector<double> samples) {
  row r{.suite = wake_up_suite,
        .name = name,
        .impl = who.name,
        .params = {{"workers", who.name == thread_name ? 2 : workers_for(given)}},
        .unit = unit,
        .samples = std::move(samples),
        .ratio_to_sequential = {}};
  r.extra["oversubscribed"] = workers_for(given) > given.processors;
  return r;
}

// --- Latency.

findings measure_latency(way how, const settings& given) {
  const auto who =
      available([&](const sleeper_entry& one) { return std::ranges::find(one.ways, how) != one.ways.end(); });
  const std::size_t repetitions = by_effort<std::size_t>(given, 3, 30, 1000);
  std::vector<std::unique_ptr<sleeper>> pools;
  std::vector<std::size_t> elsewhere(who.size(), 0);
  std::vector<contender> contenders;
  for (const sleeper_entry* one : who) {
    pools.push_back(one->make(workers_for(given)));
    static_cast<void>(pools.back()->wake(how, one->falls_asleep_in));  // its threads are there
    contenders.push_back({one->name, [pool = pools.back().get(), how, after = one->falls_asleep_in,
                                      &count = elsewhere[contenders.size()]] {
                            const wake_up woken = pool->wake(how, after);
                            count += woken.elsewhere ? 1 : 0;
                            return woken.us;
                          }});
  }
  const sample_matrix samples = run_interleaved(contenders, repetitions, name_of(how));
  findings found = nothing_yet();
  for (std::size_t i = 0; i < who.size(); ++i) {
    row r = row_for(name_of(how), *who[i], given, "us", samples[i]);
    r.extra["p90"] = percentile(samples[i], 90);
    r.extra["p99"] = percentile(samples[i], 99);
    r.extra["elsewhere"] = static_cast<double>(elsewhere[i]) / static_cast<double>(repetitions);
    found.rows.push_back(std::move(r));
  }
  return found;
}

// --- Processor time.

double seconds_of_this_thread() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Processor seconds per second, while `call` takes its time, of all threads but this one.
template <class Call>
double share_of_others(Call&& call) {
  // In the same order each time: what lies between the two readings cancels out.
  const double all = processor_seconds();
  const double mine = seconds_of_this_thread();
  const double seconds = seconds_taken_by(call);
  const double all_later = processor_seconds();
  const double mine_later = seconds_of_this_thread();
  return std::max(0.0, (all_later - all) - (mine_later - mine)) / seconds;
}

// A pool for each sample, and no other one there: the process has but one account.
class lone_pool {
 public:
  lone_pool(const sleeper_entry& who, std::size_t workers) : who_(who), pool_(who.make(workers)) {
    static_cast<void>(pool_->wake(way::submit, {}));
    std::this_thread::sleep_for(std::max<std::chrono::microseconds>(2 * who.falls_asleep_in, patience));
  }
  ~lone_pool() {
    pool_.reset();
    std::this_thread::sleep_for(who_.falls_asleep_in);  // threads that outlive it
  }
  lone_pool(const lone_pool&) = delete;
  lone_pool& operator=(const lone_pool&) = delete;
  sleeper& operator*() noexcept { return *pool_; }

 private:
  // On a busy machine a worker may wait for a processor before it can fall asleep.
  static constexpr milliseconds patience{5};
  const sleeper_entry& who_;
  std::unique_ptr<sleeper> pool_;
};

double idle_share(const sleeper_entry& who, std::size_t workers, milliseconds window) {
  const lone_pool pool(who, workers);
  return share_of_others([&] { std::this_thread::sleep_for(window); });
}

double ticking_share(const sleeper_entry& who, std::size_t workers, std::size_t ticks) {
  lone_pool pool(who, workers);
  return share_of_others([&] {
    auto next = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < ticks; ++i) {
      static_cast<void>((*pool).wake(way::submit, {}));  // throws if it does not begin
      next += between_ticks;
      std::this_thread::sleep_until(next);
    }
  });
}

findings measure_idle(const settings& given) {
  const auto who = available([](const sleeper_entry&) { return true; });
  const std::size_t workers = workers_for(given);
  const std::size_t repetitions = by_effort<std::size_t>(given, 1, 3, 7);
  const milliseconds window = by_effort<milliseconds>(given, milliseconds(5), milliseconds(25), milliseconds(1000));
  const std::size_t ticks = by_effort<std::size_t>(given, 1, 3, 50);
  std::vector<contender> contenders;
  for (const sleeper_entry* one : who) {
    contenders.push_back({one->name, [one, workers, window] { return idle_share(*one, workers, window); }});
    contenders.push_back({one->name, [one, workers, ticks] { return ticking_share(*one, workers, ticks); }});
  }
  const sample_matrix samples = run_interleaved(contenders, repetitions, "idle");
  findings found = nothing_yet();
  for (std::size_t i = 0; i < who.size(); ++i) {
    row asleep = row_for(idle_row, *who[i], given, "processor s/s", samples[2 * i]);
    asleep.params["window_ms"] = window.count();
    row ticking = row_for(ticking_row, *who[i], given, "processor s/s", samples[2 * i + 1]);
    ticking.params["ticks"] = ticks;
    ticking.params["between_ms"] = between_ticks.count();
    found.rows.push_back(std::move(asleep));
    found.rows.push_back(std::move(ticking));
  }
  return found;
}

// --- Waits with a limit.

// How much too late they return, in milliseconds, while tasks keep more than all processors busy.
findings measure_overrun(const settings& given) {
  constexpr milliseconds limit{2};
  const std::size_t repetitions = by_effort<std::size_t>(given, 3, 100, 1000);
  pool home(workers_for(given));
  task_group busy(home);
  for (std::size_t i = 0; i <= workers_for(given); ++i) {
    busy.spawn([](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
      }
    });
  }
  std::vector<double> late_ms;
  late_ms.reserve(repetitions);
  for (std::size_t i = 0; i < repetitions; ++i) {
    const double seconds = seconds_taken_by([&] { static_cast<void>(busy.wait_for(limit)); });
    late_ms.push_back(std::max(0.0, seconds * 1e3 - static_cast<double>(limit.count())));
  }
  busy.request_stop();
  busy.wait();
  findings found;
  row r{.suite = wake_up_suite,
        .name = overrun_row,
        .impl = default_name,
        .params = {{"workers", workers_for(given)}, {"limit_ms", limit.count()}},
        .unit = "ms",
        .samples = std::move(late_ms),
        .ratio_to_sequential = {}};
  r.extra["p99"] = percentile(r.samples, 99);
  found.rows.push_back(std::move(r));
  return found;
}

std::vector<part> parts_of(const settings& given) {
  std::vector<part> all;
  for (const way how : all_ways) {
    all.push_back({.name = name_of(how), .run = [how, given] { return measure_latency(how, given); }});
  }
  all.push_back({.name = idle_row, .run = [given] { return measure_idle(given); }});
  all.push_back({.name = overrun_row, .run = [given] { return measure_overrun(given); }});
  return all;
}

}  // namespace

experiment wake_up_experiment() {
  return {
      .name = wake_up_suite,
      .title = "Asleep: waking up, and the cost of doing nothing",
      .source = "ours; docs/guarantees.md, Idle",
      .summary =
          "A pool is left alone until all its workers sleep; then one task is handed over, from outside, by a fork, or "
          "by "
          "a spawn, and the time until it begins on another thread is taken. And the processor time of a pool that has "
          "nothing to do, and of one that gets a tiny task every 10 ms. And how much too late a wait with a limit "
          "returns "
          "while tasks keep all processors busy. A thread with a condition variable is the "
          "baseline: what the system itself takes for a wake-up.",
      .parts = parts_of,
      .claims = wake_up_claims,
      .charts = wake_up_charts,
      .quick_seconds = 7};
}

}  // namespace pilfer::lab::experiments
