// All kinds of tasks at once, by 1 to 16 workers: spawned, forked, submitted, followed, detached and suspended, in groups that others wait for,
// lift or stop meanwhile. Each task is known by its number.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro/future.hpp>
#include <pilfer/coro/schedule.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

class crowd : public on_scheduler {};

// A tree of tasks: number i makes 2i + 1 and 2i + 2. How, where and at which level is up to chance.
class tree_of_tasks {
 public:
  tree_of_tasks(pool& home, std::size_t tasks, std::uint64_t seed)
      : home_(home), all_(tasks), seed_(seed), stopped_(home) {
    for (std::size_t i = 0; i < group_count; ++i) groups_.emplace_back(home);
  }

  void run() {
    random_source random(seed_);
    home_.run([&] { make(0); });
    std::vector<future<void>> waiters;
    for (std::size_t i = 0; i < group_count; ++i) {
      waiters.push_back(
          home_.at(level(random)).submit([this, i] { groups_[i].wait(); }));  // lifts the tasks of the group
    }
    std::thread stopper([this] { stopped_.request_stop(); });
    for (auto& each : waiters) each.get();
    stopper.join();
    // A wait returns as soon as no task of its group is unfinished: others may still add to that group.
    while (made_.load() != all_.size()) wait_for_all();
    wait_for_all();
    const group_outcome outcome = stopped_.wait();
    std::size_t ran = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (is_stoppable(i)) {
        ran += all_.runs_of(i);
      } else {
        ASSERT_EQ(all_.runs_of(i), 1U) << "task " << i;
      }
    }
    all_.expect_each_at_most_once();
    EXPECT_EQ(ran + outcome.cancelled, stoppable_);
    EXPECT_EQ(outcome.failed, 0U);
  }

 private:
  static constexpr std::size_t group_count = 5;

  [[nodiscard]] bool is_leaf(std::size_t number) const { return 2 * number + 1 >= all_.size(); }
  [[nodiscard]] bool is_stoppable(std::size_t number) const { return is_leaf(number) && number % 7 == 0; }
  [[nodiscard]] priority level(random_source& random) const {
    return priority(static_cast<unsigned>(random.below(home_.levels())));
  }
  void wait_for_all() {
    for (task_group& each : groups_) each.wait();
    home_.drain();
  }

  void work(std::size_t number) {
    for (const std::size_t child : {2 * number + 1, 2 * number + 2}) {
      if (child < all_.size()) make(child);
    }
    all_.mark(number);
  }
  task<void> work_in_turns(std::size_t number) {
    for (std::size_t i = 0; i < number % 3; ++i) co_await yield();
    work(number);
  }
  task<void> work_after(future<void> first, std::size_t number) {
    co_await std::move(first);
    work(number);
  }
  void make(std::size_t number) {
    random_source random(seed_ + number);
    const auto run = [this, number] { work(number); };
    if (is_stoppable(number)) {
      ++stoppable_;
      if (number % 2 == 0) {
        stopped_.at(level(random)).spawn(run);
      } else {
        stopped_.at(level(random)).spawn(work_in_turns(number));
      }
    } else {
      make_in(groups_[random.below(group_count)], number, random);
    }
    ++made_;
  }
  void make_in(task_group& group, std::size_t number, random_source& random) {
    const auto run = [this, number] { work(number); };
    switch (random.below(9)) {
      case 0: group.spawn(run); break;
      case 1: group.at(level(random)).spawn(run); break;
      case 2: group.spawn([run] { fork_join([] {}, run); }); break;
      case 3: group.at(level(random)).spawn(work_in_turns(number)); break;
      case 4: group.spawn(work_after(home_.submit([] {}), number)); break;
      case 5: group.at(level(random)).submit([] {}).then(run).on_done([](future<void> done) { done.get(); }); break;
      case 6: home_.at(level(random)).submit(run).wait(); break;
      case 7: home_.detach(work_in_turns(number)); break;
      default: home_.at(level(random)).detach(run); break;
    }
  }

  pool& home_;
  ledger all_;
  const std::uint64_t seed_;
  std::deque<task_group> groups_;
  task_group stopped_;
  std::atomic<std::size_t> made_ = 0;
  std::atomic<std::size_t> stoppable_ = 0;
};

TEST_P(crowd, each_task_runs_once_or_is_cancelled) {
  random_source seeds(base_seed());
  for (const std::size_t workers : {1U, 2U, 4U, 8U, 16U}) {
    for (const unsigned levels : {1U, 3U}) {
      auto chosen = options(workers);
      chosen.levels = levels;
      pool home(chosen);
      const std::uint64_t seed = seeds.below(1U << 30U);
      SCOPED_TRACE("workers " + std::to_string(workers) + ", levels " + std::to_string(levels) + ", seed " +
                   std::to_string(seed));
      tree_of_tasks(home, stress_amount(150), seed).run();
    }
  }
}

PILFER_ON_EVERY_SCHEDULER(crowd);

}  // namespace
}  // namespace pilfer::test
