#include "lab/balance/waiting.hpp"

#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <stdexcept>

#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "lab/measure/stopwatch.hpp"
#include "lab/programs/fib.hpp"

namespace pilfer::lab::balance {
namespace {

using clock = std::chrono::steady_clock;

// What is known of each task. A task's entry is written by who spawns it, then by who runs it.
class record {
 public:
  explicit record(const waiting_plan& plan) : plan_(plan), entries_(plan.tasks) {}

  void spawned(std::size_t task) noexcept { entries_[task].created = clock::now(); }
  void run(std::size_t task) noexcept {
    entry& mine = entries_[task];
    mine.begun = clock::now();
    mine.result += programs::serial_fib(plan_.fib);
  }
  // The next task of this one's chain.
  [[nodiscard]] std::optional<std::size_t> next(std::size_t task) const noexcept {
    if (plan_.how == arrival::batch || task + plan_.chains >= plan_.tasks) return std::nullopt;
    return task + plan_.chains;
  }
  // How many are there from the beginning.
  [[nodiscard]] std::size_t first_ones() const noexcept {
    return plan_.how == arrival::batch ? plan_.tasks : plan_.chains;
  }

  [[nodiscard]] std::vector<double> waited_us(std::string_view who) const {
    std::vector<double> all;
    all.reserve(entries_.size());
    for (const entry& one : entries_) {
      if (one.result != programs::fib_number(plan_.fib)) {
        throw std::runtime_error(
            fmt::format("{}: task {} gave {} instead of fib({})", who, all.size(), one.result, plan_.fib));
      }
      all.push_back(std::chrono::duration<double, std::micro>(one.begun - one.created).count());
    }
    return all;
  }

 private:
  struct entry {
    clock::time_point created;
    clock::time_point begun;
    std::int64_t result = 0;  // a sum: a task that runs twice is seen
  };
  waiting_plan plan_;
  std::vector<entry> entries_;
};

class pool_room final : public waiting_room {
 public:
  pool_room(std::string name, std::size_t workers)
      : name_(std::move(name)), pool_(pool_options{.workers = workers, .scheduler = name_}) {}

  waiting_run run(const waiting_plan& plan) override {
    record tasks(plan);
    const double seconds = seconds_taken_by([&] {
      pool_.run([&tasks] {
        task_group group;
        for (std::size_t i = 0; i < tasks.first_ones(); ++i) spawn(group, tasks, i);
        group.wait();
      });
    });
    return {tasks.waited_us(name_), seconds};
  }
  [[nodiscard]] std::optional<std::uint64_t> steals_so_far() const override {
    return pool_.statistics().total().steals_taken;
  }

 private:
  static void spawn(task_group& group, record& tasks, std::size_t task) {
    tasks.spawned(task);
    group.spawn([&group, &tasks, task] {
      tasks.run(task);
      if (const auto next = tasks.next(task)) spawn(group, tasks, *next);
    });
  }

  std::string name_;
  pool pool_;
};

class plain_room final : public waiting_room {
 public:
  waiting_run run(const waiting_plan& plan) override {
    record tasks(plan);
    const double seconds = seconds_taken_by([&] {
      std::deque<std::size_t> queue;
      const auto spawn = [&](std::size_t task) {
        tasks.spawned(task);
        queue.push_back(task);
      };
      for (std::size_t i = 0; i < tasks.first_ones(); ++i) spawn(i);
      while (!queue.empty()) {
        const std::size_t task = queue.front();
        queue.pop_front();
        tasks.run(task);
        if (const auto next = tasks.next(task)) spawn(*next);
      }
    });
    return {tasks.waited_us(plain_fifo), seconds};
  }
};

}  // namespace

std::string_view name_of(arrival how) noexcept { return how == arrival::batch ? "batch" : "steady"; }

std::unique_ptr<waiting_room> make_waiting_room(const std::string& name, std::size_t workers) {
  if (name == plain_fifo) return std::make_unique<plain_room>();
  return std::make_unique<pool_room>(name, workers);
}

}  // namespace pilfer::lab::balance
