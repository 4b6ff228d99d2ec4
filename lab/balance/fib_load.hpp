// The tasks of 002: Fibonacci numbers, K for each of N workers, evenly or unevenly heavy.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pilfer::lab::balance {

using clock = std::chrono::steady_clock;

enum class load : unsigned char {
  even,    // every task is one of five sizes, by chance
  skewed,  // the first half of the workers gets the heavy ones, the others get fib(1)
};
[[nodiscard]] std::string_view name_of(load what) noexcept;

// Where tasks come from.
enum class generation : unsigned char {
  batch,       // all are in the queues before anybody begins
  on_the_fly,  // a thread of its own hands them out, at random intervals
};
[[nodiscard]] std::string_view name_of(generation how) noexcept;

struct fib_task {
  int n = 0;
  std::size_t worker = 0;        // for whom it was made
  std::chrono::nanoseconds due;  // on the fly: when it is handed out, after the beginning
  std::int64_t result = -1;
  clock::time_point created;
  clock::time_point begun;

  void run();
  [[nodiscard]] double waited_us() const noexcept;
};

struct load_plan {
  load what = load::even;
  std::size_t workers = 1;
  std::size_t tasks_per_worker = 100;
  int lowest = 25;  // of an even load: lowest to lowest + 4; the heavy ones of a skewed load: lowest
  // On the fly: the mean time between two tasks; zero: batch.
  std::chrono::nanoseconds interval{0};

  [[nodiscard]] generation how() const noexcept {
    return interval.count() == 0 ? generation::batch : generation::on_the_fly;
  }
  [[nodiscard]] int highest() const noexcept { return what == load::even ? lowest + 4 : lowest; }
};

// The same tasks for everybody: seeded. In the order in which they are made; on the fly that is the order of `due`.
[[nodiscard]] std::vector<fib_task> make_tasks(const load_plan& plan);

//   Throws  std::runtime_error that names `who` if a result is not the right one.
void check_results(const std::vector<fib_task>& tasks, std::string_view who);

// What one run gave.
struct balance_sample {
  double seconds = 0;
  double waiting_us = 0;  // on average, from a task's creation to its begin
  std::uint64_t steals = 0;
};

// All tasks one after the other, on the calling thread.
[[nodiscard]] balance_sample run_alone(const load_plan& plan);

[[nodiscard]] double mean_waiting_us(const std::vector<fib_task>& tasks);

}  // namespace pilfer::lab::balance
