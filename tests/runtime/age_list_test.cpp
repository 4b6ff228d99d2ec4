// Which tasks rise, without a pool and without a clock.
#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/lone_task.hpp"
#include "src/runtime/age_list.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::age_list;

// The tasks that have risen at that time; each goes up one level.
std::vector<detail::spawned_job*> risen_at(age_list& all, std::int64_t now_ns) {
  std::vector<detail::spawned_job*> risen;
  if (all.first_rise() == 0 || now_ns < all.first_rise()) return risen;
  all.raise_due(now_ns, [&](detail::spawned_job& work) noexcept {
    work.set_level(work.level() - 1);
    work.rises_ns = all.next_rise(now_ns);
    risen.push_back(&work);
  });
  return risen;
}

TEST(age_list_alone, is_used_if_tasks_age) {
  EXPECT_FALSE(age_list(0ns).is_used());
  EXPECT_TRUE(age_list(1ns).is_used());
}

TEST(age_list_alone, tasks_rise_when_they_are_due_and_again) {
  age_list all(100ns);
  lone_task a(2, 1);
  lone_task b(1, 1);
  all.add(a, 1000);
  all.add(b, 1050);
  EXPECT_EQ(all.first_rise(), 1100);
  EXPECT_EQ(risen_at(all, 1100), (std::vector<detail::spawned_job*>{&a}));
  EXPECT_EQ(risen_at(all, 1150), (std::vector<detail::spawned_job*>{&b}));
  EXPECT_EQ(risen_at(all, 1199), std::vector<detail::spawned_job*>{});
  EXPECT_EQ(risen_at(all, 1200), (std::vector<detail::spawned_job*>{&a}));
  EXPECT_EQ(a.level(), 0U);
  EXPECT_FALSE(a.is_destroyed);
}

TEST(age_list_alone, a_task_rises_once_at_a_time_however_late_it_is) {
  age_list all(1ns);
  lone_task a(3, 1);
  all.add(a, 0);
  all.raise_due(1000,
                [&](detail::spawned_job& work) noexcept { work.set_level(work.level() - 1); });  // and is due again
  EXPECT_EQ(a.level(), 2U);
  all.clear();
}

TEST(age_list_alone, what_cannot_rise_is_let_go) {
  age_list all(10ns);
  lone_task claimed(2, 1);
  lone_task at_the_top(0, 1);
  lone_task waiting(2, 1);
  all.add(claimed, 0);
  all.add(at_the_top, 0);
  all.add(waiting, 0);
  ASSERT_TRUE(claimed.try_mark());
  EXPECT_EQ(risen_at(all, 10), (std::vector<detail::spawned_job*>{&waiting}));
  EXPECT_TRUE(claimed.is_destroyed);
  EXPECT_TRUE(at_the_top.is_destroyed);
  EXPECT_FALSE(waiting.is_destroyed);
  all.clear();
  EXPECT_TRUE(waiting.is_destroyed);
  EXPECT_EQ(all.first_rise(), 0) << "nothing is left";
}

}  // namespace
}  // namespace pilfer::test
