// Work from outside, without a pool.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/lone_task.hpp"
#include "src/runtime/injector.hpp"
#include "support/environment.hpp"

namespace pilfer::test {
namespace {

using detail::injector;

class injector_alone : public ::testing::Test {
 protected:
  static constexpr detail::job_class type_of_fork{detail::job_kind::forked, [](detail::job&) noexcept {}};
  struct fork : detail::forked_job {
    fork() : forked_job(type_of_fork) {}
  };
  struct resumption : detail::resume_job {
    resumption(unsigned level, std::int64_t at_ns) : resume_job({nullptr, static_cast<std::uint8_t>(level)}) {
      rises_ns = at_ns;
    }
  };
  detail::counter taken_;
};

TEST_F(injector_alone, first_in_first_out) {
  injector in;
  std::array<fork, 3> jobs;
  EXPECT_FALSE(in.has_any());
  EXPECT_EQ(in.take(taken_), nullptr);
  for (fork& each : jobs) EXPECT_FALSE(in.append(each, 0));
  EXPECT_TRUE(in.has_any());
  for (fork& each : jobs) EXPECT_EQ(in.take(taken_), &each);
  EXPECT_FALSE(in.has_any());
  EXPECT_EQ(in.take(taken_), nullptr);
  EXPECT_EQ(taken_.value(), 3U);
}

TEST_F(injector_alone, the_most_urgent_level_comes_first) {
  injector in;
  std::array<fork, 3> jobs;
  static_cast<void>(in.append(jobs[0], 3));
  static_cast<void>(in.append(jobs[1], 1));
  static_cast<void>(in.append(jobs[2], 1));
  EXPECT_EQ(in.levels().bits(), 0b1010U);
  EXPECT_EQ(in.take(0, taken_), nullptr);
  EXPECT_EQ(in.take(3, taken_), &jobs[0]);
  EXPECT_EQ(in.levels().bits(), 0b0010U);
  EXPECT_EQ(in.take(taken_), &jobs[1]);
  EXPECT_EQ(in.take(taken_), &jobs[2]);
  EXPECT_TRUE(in.levels().empty());
}

// Whichever of three: the first, the middle or the last; and what is appended afterwards comes last.
TEST_F(injector_alone, a_fork_is_taken_back_from_any_level) {
  for (std::size_t which = 0; which < 3; ++which) {
    injector in;
    std::array<fork, 4> jobs;
    for (std::size_t i = 0; i < 3; ++i) static_cast<void>(in.append(jobs[i], 1));
    EXPECT_TRUE(in.take_back(jobs[which], 0)) << "the level of a fork is not looked at";
    EXPECT_FALSE(in.take_back(jobs[which], 0)) << "it is gone";
    static_cast<void>(in.append(jobs[3], 1));
    std::vector<detail::job*> left;
    while (detail::job* const each = in.take(taken_)) left.push_back(each);
    std::vector<detail::job*> expected{&jobs[0], &jobs[1], &jobs[2], &jobs[3]};
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(which));
    EXPECT_EQ(left, expected);
  }
}

TEST_F(injector_alone, a_task_is_taken_back_from_its_level_only) {
  injector in;
  lone_task work(2, 2);
  EXPECT_FALSE(in.append(work, 2));
  EXPECT_FALSE(in.take_back(work, 1));
  EXPECT_TRUE(in.take_back(work, 2));
  EXPECT_FALSE(in.has_any());
  work.let_go(2);
  EXPECT_TRUE(work.is_destroyed);
}

TEST_F(injector_alone, the_oldest_alone_is_taken_back_without_a_search) {
  injector in;
  lone_task first(1, 2);
  lone_task second(1, 2);
  EXPECT_FALSE(in.take_back_oldest(first, 1)) << "it is not there";
  EXPECT_FALSE(in.append(first, 1));
  EXPECT_FALSE(in.append(second, 1));
  EXPECT_FALSE(in.take_back_oldest(second, 1));
  EXPECT_FALSE(in.take_back_oldest(first, 0)) << "another level";
  EXPECT_TRUE(in.take_back_oldest(first, 1));
  EXPECT_TRUE(in.take_back_oldest(second, 1));
  EXPECT_FALSE(in.has_any());
  EXPECT_FALSE(in.append(first, 1)) << "no entry of it is left";
  EXPECT_EQ(in.take(taken_), &first);
  for (lone_task* const each : {&first, &second}) each->let_go(2);
}

// The lock is held for some instructions: a thread that finds it taken looks again, and rests if its holder takes long.
TEST_F(injector_alone, threads_append_and_take_at_once) {
  constexpr std::size_t jobs_of_each = 500;
  injector in;
  std::array<std::array<fork, jobs_of_each>, 3> jobs;
  std::atomic<std::size_t> taken{0};
  std::vector<std::thread> threads;
  for (auto& mine : jobs) {
    threads.emplace_back([&] {
      detail::counter counted;
      for (fork& each : mine) {
        static_cast<void>(in.append(each, 1));
        if (in.take(counted) != nullptr) taken.fetch_add(1);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  while (in.take(taken_) != nullptr) taken.fetch_add(1);
  EXPECT_EQ(taken.load(), 3 * jobs_of_each);
  EXPECT_FALSE(in.has_any());
}

TEST_F(injector_alone, a_task_that_has_risen_is_in_one_list) {
  injector in;
  lone_task work(2, 2);
  EXPECT_FALSE(in.append(work, 2));
  EXPECT_EQ(work.queued_at(), detail::spawned_job::injected);
  EXPECT_TRUE(in.append(work, 1)) << "the caller has two entries now, and lets go of one";
  EXPECT_EQ(in.levels().bits(), 0b010U);
  EXPECT_EQ(in.take(taken_), &work);
  EXPECT_EQ(in.take(taken_), nullptr);
  EXPECT_FALSE(in.append(work, 0)) << "it was taken out before";
  EXPECT_EQ(in.take(taken_), &work);
  work.let_go(2);
}

TEST_F(injector_alone, coroutines_rise_when_they_are_due) {
  injector in;
  std::array<fork, 2> jobs;
  resumption early(2, 10);
  resumption late(2, 30);
  resumption other(1, 20);
  resumption never(1, 0);
  EXPECT_EQ(in.first_rise(), 0);
  static_cast<void>(in.append(jobs[0], 2));
  EXPECT_EQ(in.first_rise(), 0) << "a fork does not rise";
  static_cast<void>(in.append(other, 1));
  EXPECT_EQ(in.first_rise(), 20);
  static_cast<void>(in.append(early, 2));
  static_cast<void>(in.append(late, 2));
  static_cast<void>(in.append(never, 1));
  static_cast<void>(in.append(jobs[1], 2));
  EXPECT_EQ(in.first_rise(), 10);
  EXPECT_EQ(in.take_due(9), nullptr);
  EXPECT_EQ(in.first_rise(), 10);
  EXPECT_EQ(in.take_due(20), &other) << "the most urgent level comes first";
  EXPECT_EQ(other.next_injected, &early);
  EXPECT_EQ(early.next_injected, nullptr);
  EXPECT_EQ(in.first_rise(), 30);
  EXPECT_EQ(in.take(taken_), &never);
  EXPECT_EQ(in.levels().bits(), 0b100U);
  EXPECT_EQ(in.take(taken_), &jobs[0]) << "what is left keeps its order";
  EXPECT_EQ(in.take(taken_), &late);
  EXPECT_EQ(in.take(taken_), &jobs[1]);
  EXPECT_EQ(in.take_due(100), nullptr);
  EXPECT_EQ(in.first_rise(), 0) << "none is left";
}

TEST_F(injector_alone, each_level_knows_its_size) {
  injector in;
  std::array<fork, 3> jobs;
  for (fork& each : jobs) static_cast<void>(in.append(each, 1));
  EXPECT_EQ(in.take(taken_), &jobs[0]);
  EXPECT_EQ(in.size(1), 2U);
  EXPECT_EQ(in.size(0), 0U);
}

// No worker sleeps, so no wake-up is counted either.
TEST_F(injector_alone, a_job_that_is_passed_on_ends_its_older_entry) {
  injector in;
  detail::parking<ext::default_sync> sleepers;
  detail::worker by(no_pool(), sleepers, detail::task_level(), 0);
  lone_task work(2, 3);
  in.append(work, 2, sleepers, &by);
  in.append(work, 1, sleepers, nullptr);
  EXPECT_EQ(by.counts.wakes.value(), 0U);
  EXPECT_EQ(in.take(taken_), &work);
  EXPECT_EQ(in.take(taken_), nullptr);
  work.let_go(1);
  EXPECT_FALSE(work.is_destroyed);
  work.let_go(1);
  EXPECT_TRUE(work.is_destroyed) << "the third use was that of the older entry";
}

// Identity: each job comes out once, by take or by take_back.
TEST_F(injector_alone, each_job_exactly_once) {
  constexpr std::size_t most_jobs = 20'000;
  for (const unsigned levels : {1U, 3U}) {
    struct numbered : fork {
      std::atomic<int> out = 0;
    };
    std::deque<numbered> jobs(most_jobs);
    injector in;
    std::atomic<bool> over = false;
    std::vector<std::thread> crew;
    for (int i = 0; i < 2; ++i) {
      crew.emplace_back([&] {
        detail::counter taken;
        while (detail::job* const each = [&] {
          for (;;) {
            const bool last_look = over;
            if (detail::job* const found = in.take(taken)) return found;
            if (last_look) return static_cast<detail::job*>(nullptr);
          }
        }()) {
          ++static_cast<numbered*>(each)->out;
        }
      });
    }
    std::size_t made = 0;
    for (; made < most_jobs && more_stress(made, most_jobs, 4); ++made) {
      static_cast<void>(in.append(jobs[made], static_cast<unsigned>(made) % levels));
      if (made % 3 == 0 && in.take_back(jobs[made], 0)) ++jobs[made].out;
    }
    over = true;
    for (std::thread& each : crew) each.join();
    EXPECT_FALSE(in.has_any());
    for (std::size_t i = 0; i < made; ++i) ASSERT_EQ(jobs[i].out, 1) << i << ", " << levels << " levels";
  }
}

}  // namespace
}  // namespace pilfer::test
