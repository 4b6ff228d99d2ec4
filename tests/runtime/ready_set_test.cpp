// What can run, and in which order, without a pool and without threads: with one level, with several, and with inversions counted.
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/lone_task.hpp"
#include "runtime/stand_in_lane.hpp"
#include "src/runtime/ready_set.hpp"
#include "src/runtime/several_levels.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::ready_set;

class ready_set_alone : public ::testing::Test {
 protected:
  static constexpr unsigned most = 3;

  // As a pool does.
  ready_set& make(const pool_options& options) {
    ready_ = ready_set::make(
        options, {.workers = all_,
                  .thieves = thieves_,
                  .sleepers = sleepers_,
                  .places = [] { return most; },
                  .make_lane = [](detail::worker&, unsigned) { return std::make_unique<stand_in_lane>(); }});
    for (unsigned i = 0; i < most; ++i) {
      detail::worker& each = *(workers_[i] = &all_.add(make_lone_worker(i)));
      each.level = ready_->level_of_callers();
      ready_->equip(each);
      thieves_.equip(each);
    }
    return *ready_;
  }
  ~ready_set_alone() override {
    for (unsigned i = 0; i < all_.known(); ++i) {
      forks_of(at(i)).jobs.clear();
      for (unsigned level = 0; level < at(i).tasks.count(); ++level) tasks_of(at(i), level).jobs.clear();
    }
  }
  detail::worker& at(unsigned index) { return *workers_[index]; }
  // A task that lives until the end of the test, whatever lets go of it.
  lone_task& task_of(unsigned level) {
    tasks_.emplace_back(level, 1000U);
    return tasks_.back();
  }
  // Levels, in the order in which the worker finds them.
  std::vector<unsigned> find_all(detail::worker& self) {
    std::vector<unsigned> found;
    while (detail::job* const each = ready_->find(self))
      found.push_back(static_cast<detail::spawned_job*>(each)->level());
    return found;
  }

  // Tombstones in a queue of level 0.
  std::int64_t buried(unsigned owner) {
    return static_cast<detail::several_levels&>(*ready_).queues().tombstones_of(at(owner), 0);
  }

  std::array<detail::worker*, most> workers_{};
  detail::roster all_;
  detail::search thieves_{all_, "seq", most};
  detail::parking<ext::default_sync> sleepers_;
  std::deque<lone_task> tasks_;
  std::unique_ptr<ready_set> ready_;
};

TEST_F(ready_set_alone, bad_numbers_are_refused) {
  EXPECT_THROW(make({.levels = 0}), std::invalid_argument);
  EXPECT_THROW(make({.levels = 9}), std::invalid_argument);
  EXPECT_THROW(make({.levels = 1, .ageing = -1ns}), std::invalid_argument);
}

// --- One level.

TEST_F(ready_set_alone, one_level_own_tasks_then_outside_then_others) {
  ready_set& ready = make({});
  lone_task& own = task_of(0);
  lone_task& injected = task_of(0);
  lone_task& others = task_of(0);
  lone_task& forked = task_of(0);
  ASSERT_TRUE(ready.push(at(1), others));
  forks_of(at(1)).jobs.push_back(&forked);
  ready.inject(nullptr, injected);
  ASSERT_TRUE(ready.push(at(0), own));
  EXPECT_TRUE(ready.has_injected());
  EXPECT_EQ(ready.find(at(0)), &own);
  EXPECT_EQ(ready.find(at(0)), &injected);
  EXPECT_EQ(ready.find(at(0)), &forked);
  EXPECT_EQ(ready.find(at(0)), &others);
  EXPECT_EQ(ready.find(at(0)), nullptr);
  EXPECT_EQ(at(0).counts.steals_of_level[0].value(), 2U);
  EXPECT_EQ(at(0).counts.injected.value(), 1U);
}

TEST_F(ready_set_alone, one_level_outside_work_does_not_wait_for_ever) {
  ready_set& ready = make({});
  lone_task& injected = task_of(0);
  ready.inject(nullptr, injected);
  int looks = 0;
  for (detail::job* found = nullptr; found != &injected; ++looks) {
    ASSERT_LT(looks, 100);
    ASSERT_TRUE(ready.push(at(0), task_of(0)));
    found = ready.find(at(0));
  }
  EXPECT_GT(looks, 1);
}

TEST_F(ready_set_alone, one_level_a_waiter_leaves_its_own_queue_alone) {
  ready_set& ready = make({});
  lone_task& own = task_of(0);
  lone_task& others = task_of(0);
  ASSERT_TRUE(ready.push(at(0), own));
  ASSERT_TRUE(ready.push(at(1), others));
  EXPECT_EQ(ready.find_elsewhere(at(0)), &others);
  EXPECT_EQ(ready.find_elsewhere(at(0)), nullptr);
  EXPECT_EQ(ready.find_stranger(at(0)), &own);
}

TEST_F(ready_set_alone, one_level_a_full_queue_is_rid_of_its_tombstones) {
  ready_set& ready = make({});
  tasks_of(at(0)).most = 2;
  lone_task& claimed = task_of(0);
  lone_task& kept = task_of(0);
  lone_task& third = task_of(0);
  lone_task& fourth = task_of(0);
  ASSERT_TRUE(ready.push(at(0), claimed));
  ASSERT_TRUE(ready.push(at(0), kept));
  ASSERT_TRUE(claimed.claim());
  EXPECT_TRUE(ready.push(at(0), third));
  EXPECT_FALSE(ready.push(at(0), fourth)) << "both of them can still run";
  EXPECT_EQ(ready.find(at(0)), &third);
  EXPECT_EQ(ready.find(at(0)), &kept);
}

TEST_F(ready_set_alone, one_level_what_is_given_away_is_found_outside) {
  ready_set& ready = make({});
  lone_task& claimed = task_of(0);
  lone_task& kept = task_of(0);
  ASSERT_TRUE(ready.push(at(0), kept));
  ASSERT_TRUE(ready.push(at(0), claimed));
  ASSERT_TRUE(claimed.claim());
  ready.give_away(at(0));
  EXPECT_FALSE(at(0).tasks.has_items());
  EXPECT_EQ(ready.find(at(1)), &kept);
  EXPECT_EQ(ready.find(at(1)), nullptr);
}

TEST_F(ready_set_alone, one_level_waiters_never_give_way) {
  ready_set& ready = make({});
  lone_task& work = task_of(0);
  ASSERT_TRUE(ready.push(at(1), work));
  EXPECT_FALSE(ready.rules().must_give_way(at(0), 0));
  EXPECT_TRUE(ready.rules().may_leapfrog(at(0), 0));
  EXPECT_EQ(ready.rules().begin(at(0), work), 0U);
  EXPECT_FALSE(ready.will_rise(work));
}

// --- Several levels.

TEST_F(ready_set_alone, the_most_urgent_comes_first_wherever_it_lies) {
  ready_set& ready = make({.levels = 4});
  ASSERT_TRUE(ready.push(at(0), task_of(3)));
  ASSERT_TRUE(ready.push(at(0), task_of(1)));
  ASSERT_TRUE(ready.push(at(1), task_of(0)));
  ASSERT_TRUE(ready.push(at(2), task_of(2)));
  ready.inject(nullptr, task_of(1));
  EXPECT_EQ(find_all(at(0)), (std::vector<unsigned>{0, 1, 1, 2, 3}));
  EXPECT_EQ(at(0).counts.steals_of_level[0].value(), 1U);
  EXPECT_EQ(at(0).counts.steals_of_level[2].value(), 1U);
}

TEST_F(ready_set_alone, a_lost_race_is_run_again) {
  ready_set& ready = make({.levels = 2});
  ASSERT_TRUE(ready.push(at(1), task_of(0)));
  tasks_of(at(1), 0).losses = 3;
  ASSERT_TRUE(ready.push(at(0), task_of(1)));
  EXPECT_EQ(find_all(at(0)), (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(at(0).counts.steals_lost.value(), 3U);
}

TEST_F(ready_set_alone, tombstones_are_dropped_where_they_are_met) {
  ready_set& ready = make({.levels = 2});
  for (const unsigned owner : {0U, 1U}) {
    lone_task& claimed = task_of(0);
    ASSERT_TRUE(ready.push(at(owner), claimed));
    ASSERT_TRUE(claimed.claim());
    ready.rules().bury(claimed);
    EXPECT_EQ(buried(owner), 1);
  }
  EXPECT_EQ(ready.find(at(0)), nullptr);
  EXPECT_FALSE(at(0).tasks.has_items());
  EXPECT_FALSE(at(1).tasks.has_items());
  EXPECT_EQ(buried(0), 0);
  EXPECT_EQ(buried(1), 0);
}

TEST_F(ready_set_alone, a_level_that_no_worker_comes_to_does_not_fill_with_tombstones) {
  ready_set& ready = make({.levels = 2});
  for (int i = 0; i < 1000; ++i) {
    lone_task& each = task_of(1);
    ASSERT_TRUE(ready.push(at(0), each));
    ASSERT_TRUE(each.claim());
    ready.rules().bury(each);
  }
  EXPECT_LT(tasks_of(at(0), 1).jobs.size(), 300U);
}

// A worker's forks are found at the levels of the tasks that it is in, until it has nothing on its stack.
TEST_F(ready_set_alone, forks_are_found_at_the_level_of_their_task) {
  ready_set& ready = make({.levels = 3});
  ASSERT_TRUE(ready.push(at(1), task_of(1)));
  ASSERT_NE(ready.find(at(1)), nullptr);
  lone_task& forked = task_of(1);
  forks_of(at(1)).jobs.push_back(&forked);
  ASSERT_TRUE(ready.push(at(2), task_of(2)));
  EXPECT_EQ(ready.find(at(0)), &forked);
  ready.begin_nested(at(1), 0);
  forks_of(at(1)).jobs.push_back(&forked);
  EXPECT_EQ(ready.find(at(0)), &forked) << "both levels are shown";
  forks_of(at(1)).jobs.push_back(&forked);
  static_cast<void>(ready.find(at(1)));  // takes the task of level 2
  EXPECT_EQ(ready.find(at(1)), nullptr);
  EXPECT_EQ(ready.find(at(0)), nullptr) << "an idle worker has no forks: thieves do not look there";
}

TEST_F(ready_set_alone, strict_waiters_give_way_to_what_can_be_had) {
  ready_set& ready = make({.levels = 3, .rule = priority_rule::strict});
  detail::wait_rules& rules = ready.rules();
  EXPECT_FALSE(rules.must_give_way(at(0), 2));
  ASSERT_TRUE(ready.push(at(1), task_of(1)));
  EXPECT_TRUE(rules.must_give_way(at(0), 2));
  EXPECT_TRUE(rules.must_still_give_way(at(0), 2));
  EXPECT_FALSE(rules.may_leapfrog(at(0), 2));
  EXPECT_FALSE(rules.must_give_way(at(0), 1)) << "not to its equals";
  EXPECT_TRUE(rules.may_leapfrog(at(0), 1));
  for (const unsigned level : {0U, 1U, 2U}) tasks_of(at(1), level).hides = true;
  EXPECT_FALSE(rules.must_give_way(at(0), 2)) << "no thread might be able to take it";
  EXPECT_EQ(rules.urgency_of(at(0), 2), 2U);
  at(0).level = detail::task_level(0);
  EXPECT_EQ(rules.urgency_of(at(0), 2), 0U) << "its waiter is more urgent";
}

TEST_F(ready_set_alone, relaxed_waiters_do_not_give_way) {
  ready_set& ready = make({.levels = 3, .rule = priority_rule::relaxed});
  ASSERT_TRUE(ready.push(at(1), task_of(0)));
  EXPECT_FALSE(ready.rules().must_give_way(at(0), 2));
}

TEST_F(ready_set_alone, an_urgent_waiter_lifts_what_it_waits_for) {
  ready_set& ready = make({.levels = 3});
  lone_task& work = task_of(2);
  ASSERT_TRUE(ready.push(at(1), work));
  ready.rules().lift(at(0), work);
  EXPECT_EQ(work.level(), 2U) << "a caller from outside lifts nothing";
  at(0).level = detail::task_level(0);
  ready.rules().lift(at(0), work);
  EXPECT_EQ(work.level(), 0U);
  EXPECT_EQ(at(0).counts.lifted.value(), 1U);
  EXPECT_EQ(ready.find(at(2)), &work);
  ASSERT_TRUE(work.claim());
  EXPECT_EQ(ready.find(at(2)), nullptr) << "its older entry is a tombstone";
}

TEST_F(ready_set_alone, old_tasks_rise_past_younger_ones) {
  ready_set& ready = make({.levels = 3, .ageing = 1ns});
  lone_task& old = task_of(2);
  EXPECT_FALSE(ready.will_rise(task_of(0))) << "it is as urgent as can be";
  ASSERT_TRUE(ready.will_rise(old));
  ASSERT_TRUE(ready.push(at(0), old));
  ready.watch(old);
  ASSERT_TRUE(ready.push(at(1), task_of(1)));
  for (int looks = 0; old.level() != 0; ++looks) {
    ASSERT_LT(looks, 10);
    detail::job* const found = ready.find(at(2));
    ASSERT_NE(found, nullptr);
    if (found == &old) ready.inject(&at(2), old);
  }
  EXPECT_EQ(ready.find(at(2)), &old);
  EXPECT_GE(at(2).counts.aged.value(), 2U);
  ready.clear();
}

TEST_F(ready_set_alone, the_global_level_falls_when_more_urgent_work_comes) {
  ready_set& ready = make({.levels = 3, .rule = priority_rule::global});
  ASSERT_TRUE(ready.push(at(0), task_of(2)));
  ASSERT_TRUE(ready.push(at(0), task_of(2)));
  detail::job* const first = ready.find(at(0));
  ASSERT_NE(first, nullptr);
  ready.inject(nullptr, task_of(1));
  EXPECT_EQ(find_all(at(0)), (std::vector<unsigned>{1, 2}));
}

// --- Inversions.

TEST_F(ready_set_alone, no_inversion_where_the_most_urgent_is_found) {
  ready_set& ready = make({.levels = 3, .count_inversions = true});
  ASSERT_TRUE(ready.push(at(1), task_of(0)));
  ASSERT_TRUE(ready.push(at(0), task_of(1)));
  ready.inject(nullptr, task_of(2));
  EXPECT_EQ(find_all(at(0)), (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(at(0).counts.inversions.value(), 0U);
}

TEST_F(ready_set_alone, an_urgent_task_that_a_look_has_missed_is_an_inversion) {
  ready_set& ready = make({.levels = 3, .count_inversions = true});
  ASSERT_TRUE(ready.push(at(1), task_of(0)));
  tasks_of(at(1), 0).is_stealable = false;
  ASSERT_TRUE(ready.push(at(0), task_of(2)));
  EXPECT_NE(ready.find(at(0)), nullptr);
  EXPECT_EQ(at(0).counts.inversions.value(), 1U);
}

TEST_F(ready_set_alone, a_tombstone_is_no_inversion) {
  ready_set& ready = make({.levels = 3, .count_inversions = true});
  lone_task& claimed = task_of(0);
  ASSERT_TRUE(ready.push(at(1), claimed));
  ASSERT_TRUE(claimed.claim());
  ready.rules().bury(claimed);
  tasks_of(at(1), 0).is_stealable = false;
  ASSERT_TRUE(ready.push(at(0), task_of(2)));
  EXPECT_NE(ready.find(at(0)), nullptr);
  EXPECT_EQ(at(0).counts.inversions.value(), 0U);
}

}  // namespace
}  // namespace pilfer::test
