#include "lab/idle/memory_child.hpp"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <pilfer/pool.hpp>

#include "lab/idle/experiments.hpp"
#include "lab/idle/sleeper.hpp"
#include "lab/measure/compiler_barrier.hpp"
#include "lab/measure/registry.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/schedulers/session.hpp"
#include "lab/tune/child_run.hpp"

namespace pilfer::lab::experiments {
namespace {

constexpr int wrong_arguments = 2;

struct outcome_of_run {
  double seconds = 0;
  std::optional<std::uint64_t> stolen;
};

// Ours are the pool as a user has it, with the queue switched.
const schedulers::entry* fork_join_scheduler(const std::string& name) {
  if (const schedulers::entry* const switched = schedulers::find_scheduler("switched/" + name)) return switched;
  return schedulers::find_scheduler(name);
}

outcome_of_run run_forks(const programs::workload& what, const std::string& scheduler, std::size_t workers) {
  const schedulers::entry* const found = fork_join_scheduler(scheduler);
  if (found == nullptr || !found->make) throw std::invalid_argument("there is no scheduler " + scheduler);
  const std::unique_ptr<schedulers::session> session = found->make(workers);
  session->set_name(scheduler);
  const double seconds = session->seconds_of(what);  // checks the answer
  return {seconds, session->steals_so_far()};
}

outcome_of_run run_tasks(std::int64_t count, const std::string& scheduler, std::size_t workers) {
  std::int64_t ran = 0;
  outcome_of_run result;
  if (scheduler == schedulers::serial_name) {
    result.seconds = seconds_taken_by([&] {
      for (std::int64_t i = 0; i < count; ++i) {
        ++ran;
        compiler_barrier();
      }
    });
  } else {
    const idle::sleeper_entry* const found = find_by_name(idle::sleepers(), scheduler);
    if (found == nullptr || !found->make) throw std::invalid_argument("there is no scheduler " + scheduler);
    const std::unique_ptr<idle::sleeper> pool = found->make(workers);
    result.seconds = seconds_taken_by([&] { ran = pool->run_tasks(count); });
    result.stolen = pool->steals_so_far();
  }
  if (ran != count) throw std::runtime_error(fmt::format("{}: {} of {} tasks have run", scheduler, ran, count));
  return result;
}

outcome_of_run run(const std::string& program, const std::string& scheduler, std::int64_t size, std::size_t workers) {
  if (program == memory_program::tasks) return run_tasks(size, scheduler, workers);
  if (program == memory_program::fib) return run_forks({programs::program::fib, size}, scheduler, workers);
  if (program == memory_program::quicksort) return run_forks({programs::program::quicksort, size}, scheduler, workers);
  throw std::invalid_argument("there is no program " + program);
}

std::optional<std::int64_t> number(const std::string& text, std::int64_t most) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || value < 1 || value > most) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> memory_schedulers() {
  std::vector<std::pair<std::string, std::string>> all{{schedulers::serial_name, ""}};
  for (const idle::sleeper_entry& one : idle::sleepers()) {
    if (one.name == idle::thread_name) continue;  // it has no forks
    all.emplace_back(one.name, one.make ? "" : one.why_unavailable);
  }
  return all;
}

int run_memory_child(const std::vector<std::string>& arguments, std::FILE* out) {
  constexpr std::int64_t largest = 1'000'000'000;
  constexpr std::int64_t most_workers = 256;
  const auto size = arguments.size() == 4 ? number(arguments[2], largest) : std::nullopt;
  const auto workers = arguments.size() == 4 ? number(arguments[3], most_workers) : std::nullopt;
  if (!size || !workers) {
    fmt::print(stderr, "pilfer: memory needs PROGRAM SCHEDULER SIZE WORKERS\n");
    return wrong_arguments;
  }
  const std::int64_t base = tune::peak_kilobytes_of_this_process();
  try {
    const outcome_of_run ran = run(arguments[0], arguments[1], *size, static_cast<std::size_t>(*workers));
    json said;
    said["peak_kb"] = tune::peak_kilobytes_of_this_process();
    said["base_kb"] = base;
    said["seconds"] = ran.seconds;
    said["stolen"] = ran.stolen ? json(*ran.stolen) : json(nullptr);
    fmt::print(out, "{}\n", said.dump());
    return std::fflush(out) == 0 ? 0 : 1;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "pilfer: {}\n", error.what());
    return wrong_arguments;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pilfer: {}\n", error.what());
    return 1;
  }
}

}  // namespace pilfer::lab::experiments
