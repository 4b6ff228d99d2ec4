// What fork_join and run return, for results of all kinds. Needs the pool's own fork_join, so it is compiled per configuration.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "scheduler/any_pool.hpp"

namespace pilfer::test {

struct move_error : std::runtime_error {
  move_error() : std::runtime_error("moved") {}
};

// A result that knows whether it lives, and whose move throws on demand.
class tracked {
 public:
  explicit tracked(int id) : id_(id), self_(this) { ++made; }
  tracked(tracked&& from) : id_(from.id_), self_(this) {
    if (from.self_ != &from) ++wrong;
    if (moves_left.fetch_sub(1) == 0) throw move_error();
    ++made;
    from.id_ = -1;
  }
  tracked& operator=(tracked&&) = delete;
  ~tracked() {
    if (self_ != this) ++wrong;
    self_ = nullptr;
    ++ended;
  }
  [[nodiscard]] int id() const {
    if (self_ != this) ++wrong;
    return id_;
  }

  // So many moves succeed from now on, then one throws.
  static void start(int moves) {
    made = ended = wrong = 0;
    moves_left = moves;
  }
  static void expect_all_ended() {
    EXPECT_EQ(made, ended) << "results that were never destroyed, or twice";
    EXPECT_EQ(wrong, 0) << "uses of results that did not live";
  }

  static inline std::atomic<int> made = 0, ended = 0, wrong = 0, moves_left = 0;
  static constexpr int no_throw = 1'000'000;

 private:
  int id_;
  const tracked* self_;
};

struct test_error : std::runtime_error {
  explicit test_error(int id) : std::runtime_error("task " + std::to_string(id)), number(id) {}
  int number;
};

// The number of the test_error that f throws; -1: none.
template <class F>
[[nodiscard]] int error_of(F&& f) {
  try {
    f();
  } catch (const test_error& error) {
    return error.number;
  }
  return -1;
}

// ForkJoin   a callable: the fork_join to be tested, of two callables
template <class ForkJoin>
class result_checks {
 public:
  result_checks(any_pool& pool, ForkJoin fork_join) : pool_(pool), fork_join_(fork_join) {}

  void all() {
    // Not forced, the second half runs anywhere; forced, somewhere else.
    for (forced_ = false;; forced_ = true) {
      SCOPED_TRACE(forced_ ? "second half stolen" : "not forced");
      inside([&] { values(); });
      inside([&] { voids(); });
      inside([&] { references(); });
      inside([&] { move_only(); });
      inside([&] { callables(); });
      inside([&] { exceptions(); });
      inside([&] { exceptions_with_results(); });
      inside([&] { lifetimes(); });
      inside([&] { moves_that_throw(); });
      if (forced_ || pool_.size() < 2) break;
    }
  }

 private:
  // One fork_join: what the first and second callable call before all else.
  class meeting {
   public:
    meeting(any_pool& pool, bool forced) : pool_(pool), forced_(forced), forker_(std::this_thread::get_id()) {}
    void first() {
      ++firsts_;
      if (forced_) wait_forking(pool_, [&] { return started_.load(); });
    }
    void second() {
      ++seconds_;
      if (forced_ && std::this_thread::get_id() == forker_) ADD_FAILURE() << "the second half was not stolen";
      started_ = true;
    }
    ~meeting() {
      EXPECT_EQ(firsts_, 1);
      EXPECT_EQ(seconds_, 1);
    }
    meeting(const meeting&) = delete;
    meeting& operator=(const meeting&) = delete;

   private:
    any_pool& pool_;
    bool forced_;
    std::thread::id forker_;
    std::atomic<bool> started_ = false;
    std::atomic<int> firsts_ = 0, seconds_ = 0;
  };

  template <class F>
  void inside(F&& f) {
    pool_.run(f);
  }
  [[nodiscard]] meeting meet() { return meeting(pool_, forced_); }

  void values() {
    meeting m = meet();
    auto [a, b] = fork_join_(
        [&] {
          m.first();
          return 42;
        },
        [&] {
          m.second();
          return std::string(100, 'x');
        });
    static_assert(std::is_same_v<decltype(a), int> && std::is_same_v<decltype(b), std::string>);
    EXPECT_EQ(a, 42);
    EXPECT_EQ(b, std::string(100, 'x'));
  }

  void voids() {
    {
      meeting m = meet();
      fork_join_([&] { m.first(); }, [&] { m.second(); });
    }
    {
      meeting m = meet();
      auto [a, b] = fork_join_([&] { m.first(); },
                               [&] {
                                 m.second();
                                 return 2;
                               });
      static_assert(std::is_same_v<decltype(a), std::monostate>);
      EXPECT_EQ(b, 2);
    }
    {
      meeting m = meet();
      auto [a, b] = fork_join_(
          [&] {
            m.first();
            return 1;
          },
          [&] { m.second(); });
      static_assert(std::is_same_v<decltype(b), std::monostate>);
      EXPECT_EQ(a, 1);
    }
  }

  void references() {
    meeting m = meet();
    int x = 1;
    const std::string y = "y";
    auto result = fork_join_(
        [&]() -> int& {
          m.first();
          return x;
        },
        [&]() -> const std::string& {
          m.second();
          return y;
        });
    EXPECT_EQ(&std::get<0>(result), &x);
    EXPECT_EQ(&std::get<1>(result), &y);
    static_assert(std::is_same_v<decltype(result), std::tuple<int&, const std::string&>>);
  }

  void move_only() {
    meeting m = meet();
    auto [a, b] = fork_join_(
        [&] {
          m.first();
          return std::make_unique<int>(1);
        },
        [&] {
          m.second();
          return std::make_unique<int>(2);
        });
    EXPECT_EQ(*a, 1);
    EXPECT_EQ(*b, 2);
  }

  // Callables that cannot be copied or moved, that only rvalues or constants can call, that keep state.
  void callables() {
    struct pinned {
      explicit pinned(int by) : add(by) {}
      pinned(const pinned&) = delete;
      pinned& operator=(const pinned&) = delete;
      int operator()() { return calls += add; }
      int add;
      int calls = 0;
    };
    {
      pinned f(1);
      pinned g(10);
      for (int i = 1; i <= 3; ++i) {
        auto [a, b] = fork_join_(f, g);
        EXPECT_EQ(a, i);
        EXPECT_EQ(b, 10 * i);
      }
      auto [c, d] = fork_join_(pinned(3), pinned(4));
      EXPECT_EQ(c + d, 7);
    }
    {
      meeting m = meet();
      auto [a, b] = fork_join_(
          [&m, p = std::make_unique<int>(5)]() mutable {
            m.first();
            return std::move(p);
          },
          [&m, p = std::make_unique<int>(6)]() mutable {
            m.second();
            return std::move(p);
          });
      EXPECT_EQ(*a + *b, 11);
    }
    struct rvalue_only {
      int operator()() && { return 1; }
      int operator()() & { return 2; }
      int operator()() const& { return 3; }
    };
    rvalue_only changing;
    const rvalue_only constant;
    auto [a, b] = fork_join_(rvalue_only(), rvalue_only());
    EXPECT_EQ(a * 10 + b, 11);
    auto [c, d] = fork_join_(changing, changing);
    EXPECT_EQ(c * 10 + d, 22);
    auto [e, f] = fork_join_(constant, constant);
    EXPECT_EQ(e * 10 + f, 33);
    meeting m = meet();
    int x = 0;
    fork_join_([&m]() noexcept { m.first(); },
               [&m, &x]() noexcept {
                 m.second();
                 x = 9;
               });
    EXPECT_EQ(x, 9);
  }

  void exceptions() {
    for (const int first : {-1, 1}) {
      for (const int second : {-1, 2}) {
        SCOPED_TRACE("throw " + std::to_string(first) + " and " + std::to_string(second));
        meeting m = meet();
        std::atomic<bool> second_done = false;
        const int got = error_of([&] {
          fork_join_(
              [&] {
                m.first();
                if (first > 0) throw test_error(first);
              },
              [&] {
                m.second();
                for (int i = 0; i < 3; ++i) std::this_thread::yield();
                second_done = true;
                if (second > 0) throw test_error(second);
              });
        });
        EXPECT_TRUE(second_done) << "the join did not wait";
        EXPECT_EQ(got, first > 0 ? first : second);
      }
    }
    // Not derived from std::exception.
    meeting m = meet();
    EXPECT_THROW(fork_join_([&] { m.first(); },
                            [&]() -> int {
                              m.second();
                              throw 7;
                            }),
                 int);
  }

  // One half has a result, and the other throws.
  void exceptions_with_results() {
    tracked::start(tracked::no_throw);
    for (const bool first : {true, false}) {
      meeting m = meet();
      EXPECT_EQ(error_of([&] {
                  static_cast<void>(fork_join_(
                      [&] {
                        m.first();
                        if (first) throw test_error(1);
                        return tracked(1);
                      },
                      [&] {
                        m.second();
                        if (!first) throw test_error(2);
                        return tracked(2);
                      }));
                }),
                first ? 1 : 2);
    }
    tracked::expect_all_ended();
  }

  void lifetimes() {
    tracked::start(tracked::no_throw);
    {
      meeting m = meet();
      auto [a, b] = fork_join_(
          [&] {
            m.first();
            return tracked(3);
          },
          [&] {
            m.second();
            return tracked(4);
          });
      EXPECT_EQ(a.id(), 3);
      EXPECT_EQ(b.id(), 4);
      EXPECT_EQ(tracked::made - tracked::ended, 2);
    }
    tracked::expect_all_ended();
  }

  // Whichever move throws: both halves have run, nothing is left behind.
  void moves_that_throw() {
    for (int k = 0;; ++k) {
      ASSERT_LT(k, 20) << "so many moves?";
      SCOPED_TRACE("move " + std::to_string(k) + " throws");
      tracked::start(k);
      bool thrown = false;
      {
        meeting m = meet();
        try {
          auto [a, b] = fork_join_(
              [&] {
                m.first();
                return tracked(5);
              },
              [&] {
                m.second();
                return tracked(6);
              });
          EXPECT_EQ(a.id(), 5);
          EXPECT_EQ(b.id(), 6);
        } catch (const move_error&) {
          thrown = true;
        }
      }
      const bool all_moved = tracked::moves_left > 0 || (tracked::moves_left == 0 && !thrown);
      tracked::expect_all_ended();
      EXPECT_EQ(thrown, !all_moved);
      if (!thrown) break;
    }
  }

  any_pool& pool_;
  ForkJoin fork_join_;
  bool forced_ = false;
};

// pool.run: results, exceptions, references.
template <class Pool>
void check_results_of_run(any_pool& any, Pool& pool) {
  EXPECT_EQ(pool.run([] { return 5; }), 5);
  EXPECT_EQ(*pool.run([p = std::make_unique<int>(6)]() mutable { return std::move(p); }), 6);
  int x = 0;
  EXPECT_EQ(&pool.run([&]() -> int& { return x; }), &x);
  pool.run([&] { x = 1; });
  EXPECT_EQ(x, 1);
  EXPECT_EQ(error_of([&] { pool.run([] { throw test_error(3); }); }), 3);
  EXPECT_EQ(error_of([&] { pool.run([&] { any.fork([] {}, [] { throw test_error(4); }); }); }), 4);
  tracked::start(tracked::no_throw);
  EXPECT_EQ(pool.run([] { return tracked(7); }).id(), 7);
  tracked::expect_all_ended();
  EXPECT_EQ(pool.run([&] { return pool.run([&] { return pool.run([] { return 8; }); }); }), 8);
}

}  // namespace pilfer::test
