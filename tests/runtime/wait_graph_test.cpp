// Which waits never end, in a graph of the test's own. The sleeping threads are entries that the test makes up; the tasks
// on their stacks are not run. A group asks its pool for a stop token, so there is a bare pool.
#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/inside_scope.hpp"
#include "src/runtime/rest.hpp"
#include "src/runtime/schedulers.hpp"
#include "src/runtime/wait_graph.hpp"

namespace pilfer::test {
namespace {

using detail::failing;
using kind = detail::wait_target::kind;

class wait_graph_alone : public ::testing::Test {
 protected:
  // What a wait can give up.
  struct wish final : detail::sleepable {
    explicit wish(bool may) : may_give_up(may) {}
    [[nodiscard]] bool is_done() const noexcept override { return false; }
    [[nodiscard]] detail::latch_sleeper& bed() noexcept override { return mine; }
    void sleep(std::chrono::nanoseconds /*limit*/) noexcept override {}
    [[nodiscard]] detail::wait_target target() const noexcept override { return {}; }
    [[nodiscard]] bool can_give_up() const noexcept override { return may_give_up; }
    detail::latch_sleeper mine;
    const bool may_give_up;
  };
  // A thread that is one worker, and sleeps with a task on its stack.
  class sleeper_thread {
   public:
    sleeper_thread(bare_pool& home, detail::job& on_stack) : self_(home.add_worker()), work_(on_stack) {
      enter(nullptr);
    }
    // The task is one of that group.
    void enter(detail::task_scope* group) {
      in_ = nullptr;
      in_ = std::make_unique<detail::inside_scope>(self_, &work_, group, 0, detail::task_level());
    }
    detail::sleeping_thread& wait_for(const detail::wait_target& target, failing may_fail = failing::willing,
                                      bool limited = false) {
      me_.target = target;
      me_.may_fail = may_fail;
      me_.limited = limited;
      return me_;
    }
    detail::sleeping_thread& entry() { return me_; }
    [[nodiscard]] bool is_doomed() const { return me_.is_doomed; }
    [[nodiscard]] bool was_woken() { return wish_.mine.sleep_once(std::chrono::nanoseconds(0)); }

   private:
    detail::worker& self_;
    detail::job& work_;
    wish wish_{false};
    std::unique_ptr<detail::inside_scope> in_;
    detail::sleeping_thread me_{.places = &self_.place,
                                .target = {},
                                .bed = &wish_.mine,
                                .what = &wish_,
                                .may_fail = failing::willing,
                                .limited = false};
  };
  // A group that a task of that group makes. It finds its parent by the deque of the calling thread, and only a real queue
  // of forks has one.
  struct let_go {
    void operator()(detail::task_scope* made) const { made->release(); }
  };
  std::unique_ptr<detail::task_scope, let_go> make_inside(bare_group& group) {
    detail::worker& maker = pool_.add_worker();
    maker.queue = detail::find_scheduler("default").makers(detail::chosen_shape(0)).of_forks(maker);
    maker.scope = &*group;
    maker.queue->bind();
    std::unique_ptr<detail::task_scope, let_go> made(detail::task_scope::make(*pool_, {}, false));
    maker.queue->unbind();
    return made;
  }
  detail::wait_target end_of(const detail::job& work) { return {.what = kind::fork, .object = &work, .home = &*pool_}; }
  detail::wait_target end_of(bare_group& group) { return {.what = kind::group, .object = &*group, .home = &*pool_}; }

  bare_pool pool_;
  bare_pool another_;
  lone_fork a_;
  lone_fork b_;
  lone_fork c_;
  sleeper_thread first_{pool_, a_};
  sleeper_thread second_{pool_, b_};
  sleeper_thread third_{pool_, c_};
  detail::wait_graph all_;
};

TEST_F(wait_graph_alone, a_wait_for_what_no_thread_is_in_may_end) {
  lone_fork elsewhere;
  EXPECT_FALSE(all_.has_waits(*pool_));
  EXPECT_TRUE(all_.enlist(first_.wait_for(end_of(elsewhere))));
  EXPECT_TRUE(all_.enlist(second_.wait_for(end_of(a_)))) << "a chain";
  EXPECT_TRUE(all_.has_waits(*pool_));
  EXPECT_FALSE(all_.has_waits(*another_));
  all_.delist(first_.entry());
  all_.delist(second_.entry());
  EXPECT_FALSE(all_.has_waits(*pool_));
}

TEST_F(wait_graph_alone, a_wait_for_the_own_task_never_ends) {
  EXPECT_FALSE(all_.enlist(first_.wait_for(end_of(a_))));
  EXPECT_TRUE(all_.has_waits(*pool_)) << "it is in the graph all the same";
  all_.delist(first_.entry());
}

TEST_F(wait_graph_alone, the_wait_that_closes_a_circle_fails) {
  EXPECT_TRUE(all_.enlist(first_.wait_for(end_of(b_))));
  EXPECT_TRUE(all_.enlist(second_.wait_for(end_of(c_))));
  EXPECT_FALSE(all_.enlist(third_.wait_for(end_of(a_))));
  EXPECT_FALSE(first_.is_doomed());
  EXPECT_FALSE(second_.is_doomed());
}

TEST_F(wait_graph_alone, a_thread_that_has_left_closes_no_circle) {
  EXPECT_TRUE(all_.enlist(first_.wait_for(end_of(b_))));
  EXPECT_TRUE(all_.enlist(third_.wait_for(end_of(c_), failing::never)));
  all_.delist(first_.entry());
  EXPECT_TRUE(all_.enlist(second_.wait_for(end_of(a_))));
}

TEST_F(wait_graph_alone, where_the_last_wait_cannot_fail_another_one_is_woken_to_fail) {
  EXPECT_TRUE(all_.enlist(first_.wait_for(end_of(b_))));
  EXPECT_TRUE(all_.enlist(second_.wait_for(end_of(a_), failing::never)));
  EXPECT_TRUE(first_.is_doomed());
  EXPECT_TRUE(first_.was_woken());
  EXPECT_FALSE(second_.is_doomed());
}

TEST_F(wait_graph_alone, where_no_wait_can_fail_all_sleep_on) {
  EXPECT_TRUE(all_.enlist(first_.wait_for(end_of(b_), failing::never)));
  EXPECT_TRUE(all_.enlist(second_.wait_for(end_of(a_), failing::never)));
  EXPECT_FALSE(first_.is_doomed());
  EXPECT_FALSE(first_.was_woken());
}

TEST_F(wait_graph_alone, a_destructor_fails_only_if_no_other_wait_can) {
  EXPECT_TRUE(all_.enlist(first_.wait_for(end_of(b_))));
  EXPECT_TRUE(all_.enlist(second_.wait_for(end_of(a_), failing::at_last)));
  EXPECT_TRUE(first_.is_doomed());
  all_.delist(first_.entry());
  EXPECT_FALSE(all_.enlist(third_.wait_for(end_of(c_), failing::at_last)));
}

TEST_F(wait_graph_alone, a_wait_for_the_own_group_never_ends) {
  bare_group group(pool_);
  first_.enter(&*group);
  EXPECT_FALSE(all_.enlist(first_.wait_for(end_of(group))));
}

TEST_F(wait_graph_alone, a_wait_for_a_group_around_the_own_task_fails_before_any_other) {
  bare_group outer(pool_);
  const auto inner = make_inside(outer);
  first_.enter(inner.get());
  second_.enter(&*outer);
  EXPECT_TRUE(all_.enlist(first_.wait_for(end_of(outer))));
  EXPECT_TRUE(all_.enlist(second_.wait_for(end_of(a_))));
  EXPECT_TRUE(first_.is_doomed());
  EXPECT_FALSE(second_.is_doomed());
}

TEST_F(wait_graph_alone, a_wait_with_a_limit_ends_by_itself) {
  EXPECT_TRUE(all_.enlist(first_.wait_for(end_of(b_), failing::willing, true)));
  EXPECT_FALSE(all_.has_waits(*pool_));
  EXPECT_TRUE(all_.enlist(second_.wait_for(end_of(a_))));
  EXPECT_TRUE(all_.enlist(third_.wait_for(end_of(c_), failing::willing, true)));
}

TEST_F(wait_graph_alone, a_circle_goes_through_all_workers_that_a_thread_is) {
  lone_fork there;
  sleeper_thread of_another(another_, there);
  detail::held_place outer{first_.entry().places->self, nullptr};
  detail::held_place inner{of_another.entry().places->self, &outer};
  first_.entry().places = &inner;
  EXPECT_FALSE(all_.enlist(first_.wait_for(end_of(a_)))) << "its outer worker runs it";
  all_.delist(first_.entry());
  EXPECT_FALSE(all_.enlist(first_.wait_for({.what = kind::fork, .object = &there, .home = &*another_})));
  all_.delist(first_.entry());
  EXPECT_TRUE(all_.enlist(first_.wait_for({.what = kind::fork, .object = &there, .home = &*pool_})))
      << "a job of that address in the other pool is another job";
}

TEST_F(wait_graph_alone, only_forks_groups_and_futures_need_the_threads_that_run_them) {
  for (const kind what : {kind::coroutine, kind::call, kind::pool_end}) {
    EXPECT_TRUE(all_.enlist(first_.wait_for({.what = what, .object = &a_, .home = &*pool_})));
    all_.delist(first_.entry());
  }
  EXPECT_FALSE(all_.enlist(
      first_.wait_for({.what = kind::future, .object = static_cast<const detail::job*>(&a_), .home = &*pool_})));
}

TEST_F(wait_graph_alone, a_wait_that_cannot_fail_opens_every_circle_that_it_closes) {
  bare_group group(pool_);  // which b_ and c_ are in
  second_.enter(&*group);
  third_.enter(&*group);
  EXPECT_TRUE(all_.enlist(second_.wait_for(end_of(a_))));
  EXPECT_TRUE(all_.enlist(third_.wait_for(end_of(a_))));
  EXPECT_TRUE(all_.enlist(first_.wait_for(end_of(group), failing::never)));
  EXPECT_TRUE(second_.is_doomed());
  EXPECT_TRUE(third_.is_doomed());
}

TEST_F(wait_graph_alone, one_wait_that_can_give_up_is_refused_room) {
  wish willing(true);
  detail::sleeping_thread& can = first_.wait_for(end_of(b_));
  can.what = &willing;
  EXPECT_FALSE(all_.refuse_depth(*pool_));
  static_cast<void>(all_.enlist(can));
  static_cast<void>(all_.enlist(second_.wait_for(end_of(c_))));  // has nothing to give up
  EXPECT_FALSE(all_.refuse_depth(*another_));
  EXPECT_TRUE(all_.refuse_depth(*pool_));
  EXPECT_TRUE(can.is_too_deep);
  EXPECT_TRUE(first_.was_woken());
  EXPECT_FALSE(second_.entry().is_too_deep);
  can.limited = true;
  EXPECT_FALSE(all_.refuse_depth(*pool_)) << "it ends by itself";
  can.limited = false;
  can.may_fail = failing::never;
  EXPECT_FALSE(all_.refuse_depth(*pool_)) << "it cannot fail";
}

TEST_F(wait_graph_alone, a_report_names_each_waiter_and_what_it_waits_for) {
  EXPECT_EQ(all_.describe(*pool_), "");
  static_cast<void>(all_.enlist(first_.wait_for(end_of(b_))));
  detail::sleeping_thread outside =
      third_.wait_for({.what = kind::pool_end, .object = &*another_, .home = &*another_}, failing::never, true);
  outside.places = nullptr;
  static_cast<void>(all_.enlist(outside));
  const std::string here = all_.describe(*pool_);
  EXPECT_NE(here.find("worker 1 waits for a stolen half of a fork_join"), std::string::npos) << here;
  EXPECT_NE(here.find("on its stack: task"), std::string::npos) << here;
  EXPECT_EQ(here.find("a caller from outside"), std::string::npos) << here;
  const std::string there = all_.describe(*another_);
  EXPECT_NE(there.find("a caller from outside waits for the tasks of a pool"), std::string::npos) << there;
  EXPECT_NE(there.find("with a limit"), std::string::npos) << there;
  EXPECT_EQ(there.find("worker 1"), std::string::npos) << there;
}

}  // namespace
}  // namespace pilfer::test
