// Each kind of step many times in a row, in a coroutine on the only worker of a pool.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pilfer/coro.hpp>
#include <pilfer/pool.hpp>

#include "lab/coroutines/experiment.hpp"
#include "lab/measure/compiler_barrier.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/stopwatch.hpp"

namespace pilfer::lab::experiments {
namespace coroutines {
namespace {

using number = std::uint64_t;

// Not inlined, and no frame elided: what is measured is a task that comes from elsewhere.
[[gnu::noinline]] number next_by_call(number n) {
  compiler_barrier();
  return n + 1;
}
[[gnu::noinline]] task<number> next(number n) { co_return n + 1; }
[[gnu::noinline]] task<number> next_of_next(number n) {
  const number between = co_await next(n);
  co_return between + 1;
}

// Counts from 0 to `count`, one step each.
task<number> by_calls(pool& /*home*/, number count) {
  number n = 0;
  while (n < count) n = next_by_call(n);
  co_return n;
}
task<number> by_tasks(pool& /*home*/, number count) {
  number n = 0;
  while (n < count) n = co_await next(n);
  co_return n;
}
task<number> by_nested_tasks(pool& /*home*/, number count) {
  number n = 0;
  while (n < count) n = co_await next_of_next(n);
  co_return n;
}
task<number> by_yields(pool& /*home*/, number count) {
  number n = 0;
  for (; n < count; ++n) co_await yield();
  co_return n;
}
// In the pool of the caller: pushed to the own queue, and taken from there.
task<number> by_turns(pool& home, number count) {
  number n = 0;
  for (; n < count; ++n) co_await home.schedule();
  co_return n;
}
task<number> by_mutex(pool& /*home*/, number count) {
  async_mutex mutex;
  number n = 0;
  while (n < count) {
    const auto guard = co_await mutex.lock();
    ++n;
  }
  co_return n;
}
task<number> by_semaphore(pool& /*home*/, number count) {
  async_semaphore one(1);
  number n = 0;
  while (n < count) {
    co_await one.acquire();
    ++n;
    one.release();
  }
  co_return n;
}
task<number> by_channel(pool& /*home*/, number count) {
  channel<number> one(1);
  number n = 0;
  while (n < count) {
    const bool sent = co_await one.send(n + 1);
    if (!sent) throw std::runtime_error("coroutines: an open channel has refused a value");
    const std::optional<number> got = co_await one.receive();
    if (!got) throw std::runtime_error("coroutines: an open channel has given no value");
    n = *got;
  }
  co_return n;
}
task<number> by_forks(pool& /*home*/, number count) {
  number n = 0;
  while (n < count) {
    auto child = co_await fork(next(n));
    n = co_await std::move(child).join();
  }
  co_return n;
}
task<number> by_forks_now(pool& /*home*/, number count) {
  number n = 0;
  while (n < count) {
    auto child = co_await fork_now(next(n));
    n = co_await std::move(child).join();
  }
  co_return n;
}
task<number> by_timers(pool& /*home*/, number count) {  // each is set and taken back
  number n = 0;
  const auto in_an_hour = std::chrono::steady_clock::now() + std::chrono::hours(1);
  while (n < count) {
    const std::optional<number> got = co_await with_deadline(in_an_hour, next(n));
    if (!got) throw std::runtime_error("coroutines: a step has taken an hour");
    n = *got;
  }
  co_return n;
}

// Two coroutines that wait for each other: each value resumes one, which then waits again.
task<number> receive_all(channel<number>& from) {
  number n = 0;
  while (co_await from.receive()) ++n;
  co_return n;
}
task<number> by_messages(pool& /*home*/, number count) {
  channel<number> values(0);
  auto receiver = co_await fork(receive_all(values));
  for (number n = 0; n < count; ++n) {
    const bool sent = co_await values.send(n);
    if (!sent) throw std::runtime_error("coroutines: an open channel has refused a value");
  }
  values.close();
  co_return co_await std::move(receiver).join();
}

struct kind {
  const char* name;
  task<number> (*count_to)(pool& home, number count);
  number share;       // as many fewer steps: they take so much longer
  number counts = 1;  // for each step
};
constexpr kind kinds[] = {
    {call_step, &by_calls, 1},
    {await_step, &by_tasks, 1},
    {"co_await of two", &by_nested_tasks, 2, 2},
    {"lock, unlock", &by_mutex, 4},
    {"acquire, release", &by_semaphore, 4},
    {"send, receive", &by_channel, 8},
    {"fork, join", &by_forks, 8},
    {"fork_now, join", &by_forks_now, 8},
    {schedule_step, &by_turns, 8},
    {"yield", &by_yields, 16},
    {"with_deadline", &by_timers, 16},
};

double ns_per_step(pool& home, const kind& of, number steps) {
  number reached = 0;
  const double seconds = seconds_taken_by([&] { reached = sync_wait(home, of.count_to(home, steps * of.counts)); });
  if (reached != steps * of.counts) throw std::runtime_error(std::string("coroutines: wrong count: ") + of.name);
  return seconds * 1e9 / static_cast<double>(steps);
}

}  // namespace

}  // namespace coroutines

int run_resume_child(const std::vector<std::string>& arguments) {
  using namespace coroutines;
  number rounds = 0;
  if (arguments.size() != 1) return 2;
  const std::string& text = arguments.front();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rounds);
  if (error != std::errc() || end != text.data() + text.size()) return 2;
  pool home(pool_options{.workers = 1});
  // Half of them by the pool's queue; a value that is sent resumes one coroutine at least.
  const number share = rounds * resumptions_of_round / 4;
  static_cast<void>(sync_wait(home, by_turns(home, 2 * share)));
  static_cast<void>(sync_wait(home, by_yields(home, share)));
  static_cast<void>(sync_wait(home, by_messages(home, share)));
  return 0;
}

namespace coroutines {

findings measure_steps(const settings& given) {
  const auto steps = by_effort<number>(given, 320, 320'000, 3'200'000);
  const auto repetitions = by_effort<std::size_t>(given, 2, 21, 51);
  pool home(pool_options{.workers = 1});
  std::vector<contender> contenders;
  for (const kind& each : kinds) {
    static_cast<void>(ns_per_step(home, each, steps / each.share));  // frames are there
    contenders.push_back({each.name, [&] { return ns_per_step(home, each, steps / each.share); }});
  }
  const sample_matrix samples = run_interleaved(contenders, repetitions, step_row);
  findings found;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    found.rows.push_back({.suite = suite_name,
                          .name = step_row,
                          .impl = contenders[i].name,
                          .params = {{"steps", steps / kinds[i].share}, {"workers", 1}},
                          .unit = "ns",
                          .samples = samples[i],
                          .ratio_to_sequential = {}});
  }
  return found;
}

}  // namespace coroutines
}  // namespace pilfer::lab::experiments
