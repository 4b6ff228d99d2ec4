// fib and a tree: with fork_join, and as coroutines that fork help-first or work-first.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pilfer/coro.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>

#include "lab/coroutines/experiment.hpp"
#include "lab/measure/comparison.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/programs/fib.hpp"

namespace pilfer::lab::experiments::coroutines {
namespace {

using value = std::int64_t;

struct with_fork {
  static auto begin(task<value> child) { return fork(std::move(child)); }
};
struct with_fork_now {
  static auto begin(task<value> child) { return fork_now(std::move(child)); }
};
struct with_fork_join {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    return pilfer::fork_join(std::forward<F>(f), std::forward<G>(g));
  }
};

template <class Way>
task<value> fib_task(int n) {
  if (n < 2) co_return n;
  auto left = co_await Way::begin(fib_task<Way>(n - 1));
  const value right = co_await fib_task<Way>(n - 2);
  const value sum = co_await std::move(left).join();
  co_return sum + right;
}

// A binary tree whose leaves have some work to do. One side is deeper than the other: nobody can divide it beforehand.
constexpr int rounds_of_leaf = 400;
value leaf(std::uint64_t seed) noexcept {
  std::uint64_t x = seed * 2 + 1;
  for (int i = 0; i < rounds_of_leaf; ++i) {
    x ^= x << 13U;
    x ^= x >> 7U;
    x ^= x << 17U;
  }
  return static_cast<value>(x & 0xffffU);
}
value serial_tree(int depth, std::uint64_t path) noexcept {
  if (depth <= 0) return leaf(path);
  return serial_tree(depth - 1, 2 * path) + serial_tree(depth - 2, 2 * path + 1);
}
value forked_tree(int depth, std::uint64_t path) {
  if (depth <= 0) return leaf(path);
  const auto [left, right] =
      fork_join([=] { return forked_tree(depth - 1, 2 * path); }, [=] { return forked_tree(depth - 2, 2 * path + 1); });
  return left + right;
}
template <class Way>
task<value> tree_task(int depth, std::uint64_t path) {
  if (depth <= 0) co_return leaf(path);
  auto left = co_await Way::begin(tree_task<Way>(depth - 1, 2 * path));
  const value right = co_await tree_task<Way>(depth - 2, 2 * path + 1);
  const value sum = co_await std::move(left).join();
  co_return sum + right;
}

// One program, written in each way.
struct problem {
  std::string name;
  int size;
  value expected;
  std::function<value()> serial;
  std::function<value()> forked;  // inside a pool
  std::function<task<value>()> help_first;
  std::function<task<value>()> work_first;
};

problem fib_of(int n) {
  return {.name = fib_program,
          .size = n,
          .expected = programs::fib_number(n),
          .serial = [n] { return programs::serial_fib(n); },
          .forked = [n] { return programs::fib_throwing<with_fork_join>(n); },
          .help_first = [n] { return fib_task<with_fork>(n); },
          .work_first = [n] { return fib_task<with_fork_now>(n); }};
}
problem tree_of(int depth) {
  return {.name = tree_program,
          .size = depth,
          .expected = serial_tree(depth, 1),
          .serial = [depth] { return serial_tree(depth, 1); },
          .forked = [depth] { return forked_tree(depth, 1); },
          .help_first = [depth] { return tree_task<with_fork>(depth, 1); },
          .work_first = [depth] { return tree_task<with_fork_now>(depth, 1); }};
}

template <class Run>
double checked_seconds(const problem& of, const char* who, Run&& run) {
  value result = 0;
  const double seconds = seconds_taken_by([&] { result = run(); });
  if (result != of.expected) throw std::runtime_error("coroutines: wrong result of " + of.name + ", " + who);
  return seconds;
}

}  // namespace

findings measure_forks(const char* program, const settings& given) {
  const problem what =
      std::string(program) == fib_program ? fib_of(by_effort(given, 8, 24, 30)) : tree_of(by_effort(given, 4, 15, 24));
  std::vector<std::size_t> counts{1};
  if (given.processors > 1) counts.push_back(given.processors);
  std::vector<std::unique_ptr<pool>> pools;
  std::vector<candidate> all{
      {.name = serial_impl, .seconds = [&] { return checked_seconds(what, serial_impl, what.serial); }}};
  for (const std::size_t workers : counts) {
    pool& home = *pools.emplace_back(std::make_unique<pool>(pool_options{.workers = workers}));
    const auto steals = [&home]() -> std::optional<std::uint64_t> { return home.statistics().total().steals_taken; };
    const auto add = [&](const char* name, std::function<value()> run) {
      all.push_back({.name = name,
                     .workers = workers,
                     .seconds = [&what, name, run = std::move(run)] { return checked_seconds(what, name, run); },
                     .steals_so_far = steals});
    };
    add(fork_join_impl, [&] { return home.run(what.forked); });
    add(help_first_impl, [&] { return sync_wait(home, what.help_first()); });
    add(work_first_impl, [&] { return sync_wait(home, what.work_first()); });
  }
  const comparison compared = compare(all, by_effort<std::size_t>(given, 2, 31, 31), program);
  findings found;
  for (const measurement& each : compared.entries) {
    found.rows.push_back(row_of({.suite = suite_name, .name = what.name, .size = what.size}, compared, each));
  }
  return found;
}

}  // namespace pilfer::lab::experiments::coroutines
