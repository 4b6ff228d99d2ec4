// Programs by chance: tasks of all levels, made in all ways, in pools of all shapes. Each task runs once, at its level or a more urgent
// one; strict pools count no inversion.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/priority.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "priorities/priority_checks.hpp"

namespace pilfer::test {
namespace {

enum class shape { flat, nested, groups, futures, from_outside, mixed };
constexpr shape shapes[] = {shape::flat,    shape::nested,       shape::groups,
                            shape::futures, shape::from_outside, shape::mixed};

// What is wrong with the task that says so.
struct findings {
  std::atomic<std::size_t> sunk = 0;    // less urgent than it was to be
  std::atomic<std::size_t> raised = 0;  // more urgent
  std::atomic<std::size_t> changed =
      0;  // when it ended it had another level than when it began, although a section has ended
  std::atomic<std::size_t> by_halves = 0;  // a half of a fork_join had another level than its task
};

class scenario {
 public:
  static constexpr std::size_t most_tasks = 200;

  scenario(pool& home, shape form, std::uint64_t seed, std::size_t tasks)
      : home_(home),
        form_(form),
        seed_(seed),
        budget_(std::min(tasks, most_tasks)),
        runs_(most_tasks),
        levels_(home.levels()) {}

  void run() {
    random_source random(seed_);
    if (form_ == shape::from_outside || (form_ == shape::mixed && random.one_in(2))) {
      std::vector<std::thread> makers;
      for (std::uint64_t t = 0; t < 2; ++t) makers.emplace_back([this, seed = random()] { make_outside(seed); });
      make_outside(random());
      for (std::thread& maker : makers) maker.join();
    } else if (random.one_in(3)) {
      home_.run([&] { make_children(random, 0); });
    } else {
      make_outside(random());
    }
    // Quiescent: those that nobody waits for have ended too.
    while (ended_ != made_) std::this_thread::yield();
  }
  void expect_right() const {
    std::size_t bad = 0;
    for (std::size_t i = 0; i < made_; ++i) bad += runs_[i] == 1 ? 0U : 1U;
    EXPECT_EQ(bad, 0U) << "tasks of " << made_ << " ran never, or twice";
    EXPECT_EQ(found.sunk, 0U);
    EXPECT_EQ(found.changed, 0U);
    EXPECT_EQ(found.by_halves, 0U);
  }
  [[nodiscard]] std::size_t tasks() const { return made_; }
  [[nodiscard]] std::size_t raised() const { return found.raised; }

 private:
  // The task itself. A number is given to who makes it; from then on it has to run.
  struct body {
    scenario* self;
    std::size_t number;
    unsigned level;
    std::uint64_t seed;
    unsigned depth;
    void operator()() const { self->perform(*this); }
  };

  void perform(const body& task) {
    ++runs_[task.number];
    const unsigned level = level_here(levels_);
    if (level > task.level) ++found.sunk;
    if (level < task.level) ++found.raised;
    random_source random(task.seed);
    switch (random.below(8)) {
      case 0: pause_at_random(random); break;
      case 1: {
        const blocking_region region;
        std::this_thread::yield();
        break;
      }
      case 2: fork_join([&] { check_half(level); }, [&] { check_half(level); }); break;
      default: break;
    }
    make_children(random, task.depth);
    if (level_here(levels_) != level) ++found.changed;
    ++ended_;
  }
  void check_half(unsigned level) {
    if (level_here(levels_) != level) ++found.by_halves;
  }

  bool next(body& made, random_source& random, unsigned depth) {
    std::size_t left = budget_;
    do {
      if (left == 0) return false;
    } while (!budget_.compare_exchange_weak(left, left - 1));
    made = {this, made_++, static_cast<unsigned>(random.below(levels_)), random(), depth};
    return true;
  }
  [[nodiscard]] priority some_name(unsigned level, random_source& random) const {
    if (random.one_in(2)) return priority(level);
    if (level == 0) return priority::high;
    if (level == levels_ / 2) return priority::normal;
    if (level == levels_ - 1) return priority::low;
    return priority(level);
  }

  // Detached, in all ways.
  void let_loose(const body& task, random_source& random) {
    const priority wanted = some_name(task.level, random);
    switch (random.below(4)) {
      case 0: with_priority(wanted, [&] { home_.detach(task); }); break;
      case 1: static_cast<void>(home_.at(wanted).submit(task)); break;  // dropped
      default: home_.at(wanted).detach(task); break;
    }
  }
  void make_outside(std::uint64_t seed) {
    random_source random(seed);
    const std::size_t rows = 1 + random.below(3);
    for (std::size_t row = 0; row < rows; ++row) {
      if (random.one_in(2)) {
        task_group group(home_);
        make_some(random, 0, [&](const body& task) { group.at(some_name(task.level, random)).spawn(task); });
        if (random.one_in(2)) group.wait();
      } else {
        make_some(random, 0, [&](const body& task) { let_loose(task, random); });
      }
    }
  }
  template <class Make>
  void make_some(random_source& random, unsigned depth, Make make) {
    const std::size_t count = 1 + random.below(form_ == shape::flat ? 40 : 6);
    for (std::size_t i = 0; i < count; ++i) {
      body task{};
      if (!next(task, random, depth + 1)) return;
      make(task);
    }
  }
  void make_children(random_source& random, unsigned depth) {
    if (depth > 5 || (depth > 0 && (form_ == shape::flat || random.one_in(3)))) return;
    shape form = form_;
    if (form == shape::mixed || form == shape::from_outside) form = shapes[1 + random.below(3)];
    switch (form) {
      case shape::groups: {
        task_group group;
        make_some(random, depth, [&](const body& task) {
          if (random.one_in(3)) {
            with_priority(some_name(task.level, random), [&] { group.spawn(task); });
          } else {
            group.at(some_name(task.level, random)).spawn(task);
          }
        });
        if (random.one_in(2)) group.wait();
        break;
      }
      case shape::futures: {
        std::vector<future<void>> all;
        std::future<void> standard;
        make_some(random, depth, [&](const body& task) {
          if (!standard.valid() && random.one_in(4)) {
            standard = home_.at(some_name(task.level, random)).async(task);
          } else {
            all.push_back(home_.at(some_name(task.level, random)).submit(task));
          }
        });
        if (standard.valid()) pilfer::get(standard);
        for (future<void>& each : all) {
          if (!random.one_in(4)) each.get();
        }
        break;
      }
      default: make_some(random, depth, [&](const body& task) { let_loose(task, random); }); break;
    }
  }

  pool& home_;
  const shape form_;
  const std::uint64_t seed_;
  std::atomic<std::size_t> budget_;
  std::atomic<std::size_t> made_ = 0;
  std::atomic<std::size_t> ended_ = 0;
  std::vector<std::atomic<std::uint32_t>> runs_;
  const unsigned levels_;
  findings found;
};

class random_scenarios : public on_levels {
 protected:
  // In pools that are used for some of them, one after the other.
  static void run_many(std::size_t scenarios, const std::function<void(pool_options&, random_source&)>& adjust) {
    random_source random(base_seed());
    constexpr std::size_t each = 6;
    for (std::size_t done = 0; more_stress(done, scenarios, 5) && !HasFailure(); done += each) {
      pool_options chosen = with_levels(1 + static_cast<unsigned>(random.below(most_levels)), 1 + random.below(4));
      adjust(chosen, random);
      pool home(chosen);
      std::uint64_t tasks = 0;
      std::uint64_t raised = 0;
      for (std::size_t i = 0; i < each && !HasFailure(); ++i) {
        const shape form = shapes[random.below(std::size(shapes))];
        scenario one(home, form, random(), 4 + random.below(random.one_in(10) ? scenario::most_tasks : 40));
        one.run();
        SCOPED_TRACE("scenario " + std::to_string(done + i) + ", shape " + std::to_string(static_cast<int>(form)) +
                     ", " + std::to_string(chosen.levels) + " levels, " + std::to_string(chosen.workers) + " workers");
        one.expect_right();
        tasks += one.tasks();
        raised += one.raised();
        expect_tasks(home, tasks);
        // Where tasks rise by themselves, a scan may have passed the level that one rises to.
        expect_consistent(home, chosen.rule == priority_rule::strict && chosen.ageing.count() == 0);
        const worker_statistics total = home.statistics().total();
        EXPECT_GE(total.lifted + total.aged, raised) << "who was raised is counted";
        if (chosen.ageing.count() == 0) {
          EXPECT_EQ(total.aged, 0U);
        }
        if (form == shape::flat && i == 0 && chosen.ageing.count() == 0) {
          EXPECT_EQ(raised, 0U) << "nobody waits inside";
        }
      }
    }
  }
  static std::size_t share_of(std::size_t scenarios) {
    return (scenarios + tested_schedulers().size() - 1) / tested_schedulers().size();
  }
};

TEST_P(random_scenarios, strict) {
  run_many(share_of(10'000), [](pool_options&, random_source&) {});
}

TEST_P(random_scenarios, relaxed_or_global) {
  run_many(share_of(1'500), [](pool_options& chosen, random_source& random) {
    chosen.rule = random.one_in(2) ? priority_rule::relaxed : priority_rule::global;
  });
}

TEST_P(random_scenarios, with_ageing) {
  run_many(share_of(1'500), [](pool_options& chosen, random_source& random) {
    chosen.ageing = std::chrono::nanoseconds(1 + random.below(random.one_in(2) ? 1'000 : 1'000'000));
  });
}

// As users have it: nothing is counted, so that the checks cannot hide anything.
TEST_P(random_scenarios, uncounted) {
  run_many(share_of(2'500), [](pool_options& chosen, random_source& random) {
    chosen.count_inversions = false;
    if (random.one_in(4)) chosen.wait = waiting::any_work;
    if (random.one_in(4)) chosen.victim = "best_of_two";
  });
}

PILFER_ON_EVERY_SCHEDULER(random_scenarios);

}  // namespace
}  // namespace pilfer::test
