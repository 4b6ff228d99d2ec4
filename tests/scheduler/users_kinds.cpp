// pilfer::pool as an any_pool, and the table of all kinds.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>

#include "scheduler/any_pool.hpp"
#include "scheduler/result_checks.hpp"
#include "support/schedulers.hpp"

namespace pilfer::test {
namespace {

// fib with a context, and one that takes it up and lets it go.
long fib_with(context here, int n) {
  if (n < 2) return n;
  const auto [a, b] =
      fork_join(here, [n](context x) { return fib_with(x, n - 1); }, [n](context x) { return fib_with(x, n - 2); });
  return a + b;
}
long fib_mixed(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return fib_mixed(n - 1); }, [n](context x) { return fib_with(x, n - 2); });
  return a + b;
}
long fib_mixed_with(context here, int n) {
  if (n < 2) return n;
  const auto [a, b] =
      fork_join(here, [n](context x) { return fib_mixed_with(x, n - 1); }, [n] { return fib_mixed(n - 2); });
  return a + b;
}

void check_many(pool& where) {
  where.run([] {
    EXPECT_EQ(fork_join([] { return 1; }), std::tuple(1));
    fork_join([] {});
    EXPECT_EQ(fork_join([] { return 1; }, [] { return 'b'; }, [] { return 3.0; }), std::tuple(1, 'b', 3.0));
    EXPECT_EQ(fork_join([] { return 1; }, [] {}, [](context) { return 3; }, [] { return std::string("four"); }),
              std::tuple(1, std::monostate(), 3, std::string("four")));
    EXPECT_EQ(fork_join([] { return 1; }, [] { return 2; }, [] { return 3; }, [] { return 4; }, [] { return 5; }),
              std::tuple(1, 2, 3, 4, 5));
    auto six = fork_join([] { return std::make_unique<int>(1); }, [] { return 2; }, [](context) { return 3; },
                         [] { return std::make_unique<int>(4); }, [] {}, [] { return 6; });
    EXPECT_EQ(*std::get<0>(six) + std::get<1>(six) + std::get<2>(six) + *std::get<3>(six) + std::get<5>(six), 16);
    int x = 0;
    auto with_reference = fork_join([&]() -> int& { return x; }, [] { return 2; }, [&]() -> int& { return x; });
    EXPECT_EQ(&std::get<0>(with_reference), &x);
    EXPECT_EQ(&std::get<2>(with_reference), &x);
    std::array<int, 6> ran{};
    fork_join([&] { ++ran[0]; }, [&](context) { ++ran[1]; }, [&] { ++ran[2]; }, [&](context) { ++ran[3]; },
              [&] { ++ran[4]; }, [&] { ++ran[5]; });
    EXPECT_EQ(ran, (std::array<int, 6>{1, 1, 1, 1, 1, 1}));
  });
  tracked::start(tracked::no_throw);
  where.run([](context here) {
    const auto all = fork_join(
        here, [] { return tracked(1); }, [](context) { return tracked(2); }, [] { return tracked(3); },
        [](context) { return tracked(4); });
    EXPECT_EQ(std::get<0>(all).id() + std::get<1>(all).id() + std::get<2>(all).id() + std::get<3>(all).id(), 10);
  });
  tracked::expect_all_ended();
}

// Of three or more, any set of them throws: all run, the first one's exception arrives, the others are counted.
void check_many_exceptions(pool& where) {
  for (unsigned thrown = 0; thrown < 16; ++thrown) {
    SCOPED_TRACE("throwing: " + std::to_string(thrown));
    std::array<int, 4> ran{};
    const auto task = [&](std::size_t i) {
      ++ran[i];
      if ((thrown >> i & 1U) != 0) throw test_error(static_cast<int>(i));
      return tracked(static_cast<int>(i));
    };
    tracked::start(tracked::no_throw);
    const std::uint64_t before = where.statistics().total().suppressed;
    const int got = error_of([&] {
      where.run([&] {
        static_cast<void>(fork_join([&] { return task(0); }, [&](context) { return task(1); }, [&] { return task(2); },
                                    [&](context) { return task(3); }));
      });
    });
    tracked::expect_all_ended();
    EXPECT_EQ(ran, (std::array<int, 4>{1, 1, 1, 1}));
    EXPECT_EQ(got, thrown == 0 ? -1 : std::countr_zero(thrown));
    const auto expected = static_cast<std::uint64_t>(thrown == 0 ? 0 : std::popcount(thrown) - 1);
    EXPECT_EQ(where.statistics().total().suppressed - before, expected);
  }
}

void check_moves_of_many(pool& where) {
  for (int k = 0;; ++k) {
    ASSERT_LT(k, 40) << "so many moves?";
    SCOPED_TRACE("move " + std::to_string(k) + " throws");
    std::array<int, 4> ran{};
    tracked::start(k);
    bool thrown = false;
    try {
      where.run([&] {
        const auto task = [&](std::size_t i) {
          ++ran[i];
          return tracked(static_cast<int>(i));
        };
        static_cast<void>(fork_join([&] { return task(0); }, [&] { return task(1); }, [&] { return task(2); },
                                    [&] { return task(3); }));
      });
    } catch (const move_error&) {
      thrown = true;
    }
    tracked::expect_all_ended();
    EXPECT_EQ(ran, (std::array<int, 4>{1, 1, 1, 1}));
    if (!thrown) break;
  }
}

class users_adapter final : public any_pool {
 public:
  explicit users_adapter(const pool_options& options) : pool_(options) {}
  void run(task_ref f) override { pool_.run(f); }
  void fork(task_ref first, task_ref second) override { fork_join(first, second); }
  [[nodiscard]] std::size_t size() const override { return pool_.size(); }
  [[nodiscard]] pool_statistics statistics() const override { return pool_.statistics(); }
  void check_results() override {
    result_checks(*this, [](auto&& f, auto&& g) -> decltype(auto) {
      return fork_join(std::forward<decltype(f)>(f), std::forward<decltype(g)>(g));
    }).all();
    // The same with a context of one's own.
    result_checks(*this, [this](auto&& f, auto&& g) -> decltype(auto) {
      return pool_.run([&](context here) -> decltype(auto) {
        return fork_join(here, std::forward<decltype(f)>(f), std::forward<decltype(g)>(g));
      });
    }).all();
    check_results_of_run(*this, pool_);
    EXPECT_EQ(pool_.run([](context here) { return fib_with(here, 12); }), 144);
    EXPECT_EQ(pool_.run([](context here) { return fib_mixed_with(here, 12); }), 144);
    EXPECT_EQ(pool_.run([] { return fib_mixed(12); }), 144);
    check_many(pool_);
    check_many_exceptions(pool_);
    check_moves_of_many(pool_);
  }

 private:
  pool pool_;
};

pool_kind users_kind(const std::string& scheduler) {
  std::string label = "pool_" + scheduler;
  std::replace(label.begin(), label.end(), '-', '_');
  return {label, scheduler, [scheduler](const pool_options& options) {
            pool_options all = options;
            all.scheduler = scheduler;
            return std::make_unique<users_adapter>(all);
          }};
}

void append(std::vector<pool_kind>& to, const std::vector<pool_kind>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

const std::vector<pool_kind>& basic_kinds() {
  static const std::vector<pool_kind> all = [] {
    std::vector<pool_kind> kinds;
    append(kinds, classical_kinds());
    append(kinds, block_kinds());
    append(kinds, polled_kinds());
    append(kinds, signal_kinds());
    return kinds;
  }();
  return all;
}

const std::vector<pool_kind>& users_kinds() {
  static const std::vector<pool_kind> all = [] {
    std::vector<pool_kind> kinds;
    for (const std::string& name : scheduler_names()) kinds.push_back(users_kind(name));
    return kinds;
  }();
  return all;
}

const std::vector<pool_kind>& all_kinds() {
  static const std::vector<pool_kind> all = [] {
    std::vector<pool_kind> kinds = basic_kinds();
    append(kinds, users_kinds());
    return kinds;
  }();
  return all;
}

const std::vector<pool_kind>& distinct_kinds() {
  static const std::vector<pool_kind> all = [] {
    std::vector<pool_kind> kinds;
    std::ranges::copy_if(basic_kinds(), std::back_inserter(kinds),
                         [](const pool_kind& kind) { return is_tested(kind.scheduler); });
    kinds.push_back(users_kind("default"));
    return kinds;
  }();
  return all;
}

}  // namespace pilfer::test
