#include "lab/balance/fib_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "lab/programs/fib.hpp"

namespace pilfer::lab::balance {
namespace {

constexpr int even_sizes = 5;
constexpr int light = 1;
constexpr std::uint64_t seed = 0x70696c666572;

// Below `bound`, which is small: the bias does not matter.
std::size_t below(std::mt19937_64& random, std::size_t bound) { return static_cast<std::size_t>(random() % bound); }

// On the fly the queue is drawn: among those that get tasks of this weight.
std::size_t drawn_worker(const load_plan& plan, bool heavy, std::mt19937_64& random) {
  if (plan.what == load::even || plan.workers == 1) return below(random, plan.workers);
  const std::size_t half = plan.workers / 2;
  return heavy ? below(random, half) : half + below(random, plan.workers - half);
}

}  // namespace

std::string_view name_of(load what) noexcept { return what == load::even ? "even" : "skewed"; }
std::string_view name_of(generation how) noexcept { return how == generation::batch ? "batch" : "fly"; }

// Not inlined: the compiler must not see which number is asked for.
[[gnu::noinline]] void fib_task::run() {
  begun = clock::now();
  result = programs::serial_fib(n);
}

double fib_task::waited_us() const noexcept {
  return std::chrono::duration<double, std::micro>(begun - created).count();
}

std::vector<fib_task> make_tasks(const load_plan& plan) {
  const std::size_t count = plan.workers * plan.tasks_per_worker;
  std::mt19937_64 random(seed + plan.workers);
  std::vector<fib_task> tasks(count);
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  // On the fly heavy and light ones come mixed.
  if (plan.how() == generation::on_the_fly) std::ranges::shuffle(order, random);
  std::chrono::nanoseconds now{0};
  for (std::size_t i = 0; i < count; ++i) {
    fib_task& one = tasks[i];
    const bool heavy = order[i] < count / 2;
    if (plan.what == load::even) {
      one.n = plan.lowest + static_cast<int>(below(random, even_sizes));
    } else {
      one.n = heavy ? plan.lowest : light;
    }
    if (plan.how() == generation::batch) {
      one.worker = i / plan.tasks_per_worker;
    } else {
      one.worker = drawn_worker(plan, heavy, random);
      now += std::chrono::nanoseconds(
          static_cast<std::int64_t>(below(random, 2 * static_cast<std::size_t>(plan.interval.count()))));
    }
    one.due = now;
  }
  return tasks;
}

void check_results(const std::vector<fib_task>& tasks, std::string_view who) {
  for (const fib_task& one : tasks) {
    const std::int64_t right = programs::fib_number(one.n);
    if (one.result == right) continue;
    throw std::runtime_error(fmt::format("{}: a task gave fib({}) = {} instead of {}", who, one.n, one.result, right));
  }
}

double mean_waiting_us(const std::vector<fib_task>& tasks) {
  double sum = 0;
  for (const fib_task& one : tasks) sum += one.waited_us();
  return tasks.empty() ? 0 : sum / static_cast<double>(tasks.size());
}

balance_sample run_alone(const load_plan& plan) {
  std::vector<fib_task> tasks = make_tasks(plan);
  for (fib_task& one : tasks) one.created = clock::now();
  const auto start = clock::now();
  for (fib_task& one : tasks) one.run();
  const double seconds = std::chrono::duration<double>(clock::now() - start).count();
  check_results(tasks, "serial");
  return {seconds, mean_waiting_us(tasks), 0};
}

}  // namespace pilfer::lab::balance
