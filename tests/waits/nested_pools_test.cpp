// A thread that sleeps inside one pool, while it has a place in another one further out, must give up both places: each of these
// patterns has nothing that could run otherwise. Sizes from 1 on, since a larger pool has a place left that hides the fault.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/pilfer.hpp>

#include "support/environment.hpp"
#include "waits/wait_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class nested_pools : public ::testing::Test {
 protected:
  // Calls the pattern with an outer and an inner pool of each size, several times, by one caller and by as many as the outer pool has places.
  // The pattern is called inside the outer pool, and returns `answer`.
  static void check(const std::function<int(pool& outer, pool& inner)>& pattern) {
    for (const std::size_t size : {1U, 2U, 3U}) {
      for (const std::size_t callers : {std::size_t{1}, size, size + 2}) {
        expect_end(std::to_string(callers) + " callers on " + std::to_string(size) + " workers", [&] {
          pool outer(size);
          pool inner(size);
          for (std::size_t round = 0; more_stress(round, 10); ++round) {
            on_callers(callers,
                       [&](std::size_t) { EXPECT_EQ(outer.run([&] { return pattern(outer, inner); }), answer); });
          }
        });
      }
    }
  }
  static constexpr int answer = 3;
};

TEST_F(nested_pools, a_future_of_the_outer_pool) {
  check([](pool& physics, pool& assets) {
    return assets.run([&] { return physics.submit([] { return answer; }).get(); });
  });
}

TEST_F(nested_pools, a_future_of_the_outer_pool_in_a_region) {
  check([](pool& outer, pool& inner) {
    return inner.run([&] {
      const blocking_region region;
      return outer.submit([] { return answer; }).get();
    });
  });
}

TEST_F(nested_pools, limited_waits_for_a_future_of_the_outer_pool) {
  check([](pool& outer, pool& inner) {
    return inner.run([&] {
      auto result = outer.submit([] { return answer; });
      while (!result.wait_for(1ms)) {
      }
      return result.get();
    });
  });
}

TEST_F(nested_pools, a_group_of_the_outer_pool) {
  check([](pool& outer, pool& inner) {
    std::atomic<int> got = 0;
    task_group group(outer);
    group.spawn([&] { got = answer; });
    inner.run([&] { group.wait(); });
    return got.load();
  });
}

TEST_F(nested_pools, a_group_of_the_outer_pool_in_a_region) {
  check([](pool& outer, pool& inner) {
    std::atomic<int> got = 0;
    task_group group(outer);
    inner.run([&] {
      group.spawn([&] { got = answer; });
      const blocking_region region;
      group.wait();
    });
    return got.load();
  });
}

TEST_F(nested_pools, limited_waits_for_a_group_of_the_outer_pool) {
  check([](pool& outer, pool& inner) {
    std::atomic<int> got = 0;
    task_group group(outer);
    group.spawn([&] { got = answer; });
    inner.run([&] {
      while (!group.wait_for(1ms)) {
      }
    });
    return got.load();
  });
}

TEST_F(nested_pools, the_destructor_of_a_group_of_the_outer_pool) {
  check([](pool& outer, pool& inner) {
    std::atomic<int> got = 0;
    inner.run([&] {
      task_group group(outer);
      group.spawn([&] { got = answer; });
    });
    return got.load();
  });
}

TEST_F(nested_pools, a_run_of_the_outer_pool_by_a_task_of_the_inner_one) {
  check([](pool& outer, pool& inner) {
    return inner.submit([&] { return outer.run([&] { return outer.submit([] { return answer; }).get(); }); }).get();
  });
}

TEST_F(nested_pools, forks_of_the_outer_pool) {
  check([](pool& outer, pool& inner) {
    return inner.run([&] {
      return outer.run([&] {
        int left = 0;
        int right = 0;
        fork_join([&] { left = inner.submit([] { return 1; }).get(); },
                  [&] { right = inner.run([&] { return outer.submit([] { return answer - 1; }).get(); }); });
        return left + right;
      });
    });
  });
}

TEST_F(nested_pools, a_coroutine_of_the_outer_pool) {
  check([](pool& outer, pool& inner) { return inner.run([&] { return sync_wait(outer, yield_then(answer)); }); });
}

TEST_F(nested_pools, a_coroutine_that_sleeps_in_the_outer_pool) {
  check(
      [](pool& outer, pool& inner) { return inner.run([&] { return sync_wait(outer, sleep_then(100us, answer)); }); });
}

TEST_F(nested_pools, a_coroutine_that_goes_back_to_the_outer_pool) {
  struct steps {
    static task<int> there_and_back(pool& outer, pool& inner) {
      co_await outer.schedule();
      co_await inner.schedule();
      co_await outer.schedule();
      co_return answer;
    }
  };
  check([](pool& outer, pool& inner) {
    return inner.run([&] { return sync_wait(inner, steps::there_and_back(outer, inner)); });
  });
}

TEST_F(nested_pools, a_standard_future_of_the_outer_pool) {
  check([](pool& outer, pool& inner) {
    return inner.run([&] {
      std::future<int> result = outer.async([] { return answer; });
      return get(result);
    });
  });
}

TEST_F(nested_pools, a_promise_that_the_outer_pool_keeps) {
  check([](pool& outer, pool& inner) {
    return inner.run([&] {
      std::promise<int> promise;
      auto result = promise.get_future();
      outer.detach([kept = std::move(promise)]() mutable { kept.set_value(answer); });
      const blocking_region region;
      return result.get();
    });
  });
}

TEST_F(nested_pools, the_destructor_of_an_inner_pool) {
  check([](pool& outer, pool& inner) {
    std::atomic<int> got = 0;
    {
      pool own(1);
      own.detach([&] { got = outer.submit([&] { return inner.submit([] { return answer; }).get(); }).get(); });
    }
    return got.load();
  });
}

TEST_F(nested_pools, a_drain_of_an_inner_pool) {
  check([](pool& outer, pool&) {
    std::atomic<int> got = 0;
    pool own(1);
    own.detach([&] { got = outer.submit([] { return answer; }).get(); });
    own.drain();
    return got.load();
  });
}

TEST_F(nested_pools, three_pools_deep) {
  check([](pool& outer, pool& inner) {
    pool third(1);
    return inner.run([&] {
      return third.run([&] {
        auto first = outer.submit([] { return 1; });
        auto second = inner.submit([&] { return outer.submit([] { return answer - 1; }).get(); });
        return first.get() + second.get();
      });
    });
  });
}

// Callers that sleep in the inner pool until a place is free there, with a place in the outer one.
TEST_F(nested_pools, the_default_pool_inside_another_one) {
  check([](pool& outer, pool&) {
    return default_pool().run(
        [&] { return outer.submit([&] { return default_pool().submit([] { return answer; }).get(); }).get(); });
  });
}

}  // namespace
}  // namespace pilfer::test
