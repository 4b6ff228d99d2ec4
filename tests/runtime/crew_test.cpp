// Threads, places and seats, without queues: workers that do nothing but come, retire and go.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/lone_task.hpp"
#include "src/runtime/crew.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using detail::crew;
using vacancy = crew::vacancy;

class crew_alone : public ::testing::Test {
 protected:
  struct setup {
    std::size_t places = 1;
    std::size_t most_threads = 20;
    bool callers_work = true;
    std::size_t most_workers = 1000;  // then there is no memory
  };
  // Ends with its threads joined, as a pool does.
  class running {
   public:
    explicit running(const setup& wanted)
        : all_(
              workers_, wanted.places, {.most_threads = wanted.most_threads, .callers_work = wanted.callers_work},
              [wanted](unsigned index) {
                if (index >= wanted.most_workers) throw std::bad_alloc();
                return std::make_unique<detail::worker>(no_pool(), no_sleepers(), detail::task_level(), index);
              },
              [this](detail::worker& self) { live(self); }) {
      all_.start();
    }
    ~running() {
      all_.stop();
      all_.join();
    }
    running(const running&) = delete;
    running& operator=(const running&) = delete;

    [[nodiscard]] const detail::roster& workers() const { return workers_; }
    crew* operator->() { return &all_; }
    crew& operator*() { return all_; }
    // Until as many threads look for work, and as many are spare.
    void expect_soon(int looking, int spare) const {
      while (looking_ != looking || spare_ != spare) std::this_thread::yield();
    }

   private:
    void live(detail::worker& self) {
      all_.begin_life();
      ++looking_;
      while (!all_.has_ended()) {
        if (all_.retire(self)) {
          --looking_;
          ++spare_;
          all_.sleep_as_spare(self);
          --spare_;
          ++looking_;
        }
        std::this_thread::yield();
      }
      --looking_;
    }
    std::atomic<int> looking_ = 0;
    std::atomic<int> spare_ = 0;
    detail::roster workers_;
    crew all_;
  };

 private:
  watchdog dog_{std::chrono::seconds(60), "a crew"};
};

TEST_F(crew_alone, one_place_is_the_callers) {
  running all({.places = 3});
  all.expect_soon(2, 0);
  EXPECT_EQ(all->count().threads, 2U);
  EXPECT_EQ(all->count().active, 2);
  EXPECT_EQ(all.workers().known(), 3U);
  EXPECT_FALSE(all.workers().at(0).has_thread());
  EXPECT_TRUE(all.workers().at(1).has_thread());
}

TEST_F(crew_alone, where_callers_do_not_work_each_place_has_a_thread) {
  running all({.places = 3, .callers_work = false});
  all.expect_soon(3, 0);
  EXPECT_EQ(all->take_seat(false), nullptr);
  detail::worker* const seat = all->take_seat(true);
  ASSERT_NE(seat, nullptr);
  all->leave_seat(*seat);
}

TEST_F(crew_alone, as_many_threads_as_can_be_had) {
  running few_threads({.places = 8, .most_threads = 3});
  EXPECT_EQ(few_threads->count().threads, 3U);
  EXPECT_EQ(few_threads->count().missing, 4U);
  running little_memory({.places = 8, .most_workers = 3});
  EXPECT_EQ(little_memory->count().threads, 2U);
  EXPECT_EQ(little_memory->count().missing, 5U);
}

TEST_F(crew_alone, the_first_worker_says_why_it_cannot_be_made) {
  const auto nothing = [](detail::worker&) {};
  detail::roster none;
  crew without_memory(
      none, 2, {.most_threads = 2}, [](unsigned) -> std::unique_ptr<detail::worker> { throw std::bad_alloc(); },
      nothing);
  EXPECT_THROW(without_memory.start(), std::bad_alloc);
  crew refused(
      none, 2, {.most_threads = 2},
      [](unsigned) -> std::unique_ptr<detail::worker> { throw std::runtime_error("no free signal"); }, nothing);
  EXPECT_THROW(refused.start(), std::runtime_error);
}

TEST_F(crew_alone, callers_have_as_many_seats_as_there_are_places) {
  running all({.places = 2, .most_workers = 4});
  std::vector<detail::worker*> seats;
  for (int caller = 0; caller < 2; ++caller) seats.push_back(all->take_seat(false));
  EXPECT_NE(seats[0], nullptr);
  EXPECT_NE(seats[1], nullptr);
  EXPECT_NE(seats[0], seats[1]);
  EXPECT_EQ(all->take_seat(false), nullptr) << "a further caller sleeps";
  seats.push_back(all->take_seat(true));
  EXPECT_NE(seats[2], nullptr);
  EXPECT_EQ(all->take_seat(true), nullptr) << "no memory";
  for (detail::worker* const seat : seats) all->leave_seat(*seat);
  detail::worker* const again = all->take_seat(false);
  EXPECT_EQ(again, seats[2]) << "seats are used again";
  all->leave_seat(*again);
}

TEST_F(crew_alone, a_caller_makes_a_thread_surplus_and_its_seat_calls_it_back) {
  running all({.places = 2});
  all.expect_soon(1, 0);
  detail::worker* const first = all->take_seat(false);
  EXPECT_FALSE(all->is_surplus());
  detail::worker* const second = all->take_seat(false);
  all.expect_soon(0, 1);
  all->leave_seat(*second);
  EXPECT_TRUE(all->leave_seat(*first).anyone_spare);
  EXPECT_TRUE(all->offer_place(vacancy::for_spares));
  all.expect_soon(1, 0);
  EXPECT_EQ(all->count().threads, 1U) << "no other thread was made";
}

TEST_F(crew_alone, the_place_of_a_worker_that_blocks_goes_to_another_thread) {
  running all({.places = 1, .most_threads = 1});
  detail::worker* const seat = all->take_seat(false);
  ASSERT_NE(seat, nullptr);
  EXPECT_EQ(all->begin_block(*seat, {}), detail::pool_places::vacated::taken);
  all.expect_soon(1, 0);
  EXPECT_FALSE(all->end_block(*seat));
  all.expect_soon(0, 1);  // surplus, now that the caller is back
  EXPECT_EQ(all->begin_block(*seat, {}), detail::pool_places::vacated::taken);
  all.expect_soon(1, 0);
  detail::worker* const other = all->take_seat(true);
  EXPECT_EQ(all->begin_block(*other, {}), detail::pool_places::vacated::taken) << "the thread has the place";
  static_cast<void>(all->end_block(*other));
  static_cast<void>(all->end_block(*seat));
  all->leave_seat(*other);
  all->leave_seat(*seat);
}

TEST_F(crew_alone, a_place_that_no_thread_can_take_stays_vacant) {
  running all({.places = 1, .most_threads = 0});
  EXPECT_FALSE(all->has_threads());
  EXPECT_FALSE(all->has_hands());
  EXPECT_FALSE(all->offer_place(vacancy::for_anyone));
  detail::worker* const seat = all->take_seat(false);
  EXPECT_TRUE(all->has_hands());
  EXPECT_TRUE(all->offer_place(vacancy::for_anyone)) << "the caller has it";
  EXPECT_EQ(all->begin_block(*seat, {}), detail::pool_places::vacated::alone);
  static_cast<void>(all->end_block(*seat));
  all->leave_seat(*seat);
}

TEST_F(crew_alone, a_worker_that_sleeps_in_a_wait_is_recalled_if_it_is_the_last) {
  running all({.places = 1, .most_threads = 0});
  detail::worker* const seat = all->take_seat(false);
  detail::latch_sleeper bed;
  EXPECT_EQ(all->begin_block(*seat, {.bed = &bed}), detail::pool_places::vacated::alone);
  EXPECT_TRUE(all->offer_place(vacancy::for_anyone));
  bed.sleep();
  EXPECT_TRUE(all->end_block(*seat)) << "it was recalled";
  all->leave_seat(*seat);
}

TEST_F(crew_alone, resizing_retires_threads_and_calls_them_back) {
  running all({.places = 4});
  all.expect_soon(3, 0);
  all->resize(2);
  all.expect_soon(2, 1);  // without a caller a thread has the caller's place, too
  all->resize(6);
  all.expect_soon(5, 0);
  EXPECT_EQ(all->count().threads, 5U);
}

TEST_F(crew_alone, spare_workers_end_with_the_others) {
  running all({.places = 4});
  all.expect_soon(3, 0);
  all->resize(1);
  all.expect_soon(1, 2);
}

}  // namespace
}  // namespace pilfer::test
