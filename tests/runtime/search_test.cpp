// Thieves and their victims, without a pool and without threads.
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/lone_task.hpp"
#include "runtime/stand_in_lane.hpp"
#include "src/runtime/search.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::search;

class search_alone : public ::testing::Test {
 protected:
  static constexpr unsigned most = 4;
  search_alone() {
    for (unsigned i = 0; i < most; ++i) {
      detail::worker& each = *(workers_[i] = &all_.add(make_lone_worker(i)));
      each.tasks.add(std::make_unique<stand_in_lane>());
      thieves_.equip(each);
    }
  }
  detail::worker& at(unsigned index) { return *workers_[index]; }

  std::array<detail::worker*, most> workers_{};
  detail::roster all_;
  search thieves_{all_, "seq", most};
};

TEST_F(search_alone, an_unknown_policy_is_refused) { EXPECT_THROW(search(all_, "nearest", 1), std::invalid_argument); }

TEST_F(search_alone, every_other_worker_is_a_victim_in_turn) {
  std::set<std::size_t> chosen;
  for (unsigned i = 1; i < most; ++i) chosen.insert(thieves_.choose_victim(at(0)));
  EXPECT_EQ(chosen, (std::set<std::size_t>{1, 2, 3}));
}

TEST_F(search_alone, each_outcome_is_counted) {
  stand_in_forks& forks = forks_of(at(1));
  EXPECT_EQ(thieves_.steal_from(at(0), at(1), forks), nullptr);
  EXPECT_EQ(at(0).counts.steals_empty.value(), 1U);
  lone_task work(0, 1);
  forks.jobs.push_back(&work);
  forks.losses = 1;
  EXPECT_EQ(thieves_.steal_from(at(0), at(1), forks), nullptr);
  EXPECT_EQ(at(0).counts.steals_lost.value(), 1U);
  EXPECT_EQ(thieves_.steal_from(at(0), at(1), forks), &work);
  EXPECT_EQ(at(0).counts.steals_taken.value(), 1U);
  EXPECT_EQ(at(0).counts.exposed.value(), 0U) << "nothing is private in such a queue";
}

TEST_F(search_alone, private_work_is_asked_for_once_and_stolen_when_it_is_exposed) {
  stand_in_forks& forks = forks_of(at(1));
  lone_task work(0, 1);
  forks.jobs.push_back(&work);
  forks.hidden_until = 2;
  EXPECT_EQ(thieves_.steal_from(at(0), at(1), forks), nullptr);
  EXPECT_EQ(forks.asks, 1);
  std::this_thread::sleep_for(1ms);  // longer than a thief's patience
  EXPECT_EQ(thieves_.steal_from(at(0), at(1), forks), &work) << "the insistence has exposed it, in the same attempt";
  EXPECT_EQ(forks.asks, 1);
  EXPECT_EQ(forks.insistences, 1);
  EXPECT_EQ(at(0).counts.requests.value(), 1U);
  EXPECT_EQ(at(0).counts.steals_private.value(), 2U);
}

TEST_F(search_alone, a_sleeper_leaves_a_request_with_every_other_worker) {
  thieves_.leave_requests(at(2));
  for (unsigned i = 0; i < most; ++i) {
    EXPECT_EQ(forks_of(at(i)).requests, i == 2 ? 0 : 1);
    EXPECT_EQ(tasks_of(at(i)).requests, i == 2 ? 0 : 1);
  }
}

// Its own forks a worker has at its joins; its own tasks it could run.
TEST_F(search_alone, own_tasks_are_seen_and_own_forks_are_not) {
  lone_task work(0, 1);
  EXPECT_FALSE(thieves_.sees_any(at(0)));
  forks_of(at(0)).jobs.push_back(&work);
  EXPECT_FALSE(thieves_.sees_any(at(0)));
  EXPECT_TRUE(thieves_.sees_any(at(1)));
  forks_of(at(0)).jobs.clear();
  tasks_of(at(0)).jobs.push_back(&work);
  EXPECT_TRUE(thieves_.sees_any(at(0)));
}

}  // namespace
}  // namespace pilfer::test
