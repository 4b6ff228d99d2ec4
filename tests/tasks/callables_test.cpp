// What can be spawned: everything that std::thread takes, and a stop_token first if it wants one.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

// The same with spawn, submit and detach; by the way, inside and outside. `check` gets a function that spawns, and one that waits.
template <class Check>
void with_every_launch(Check check) {
  const watchdog dog(std::chrono::seconds(100), ::testing::UnitTest::GetInstance()->current_test_info()->name());
  for (const std::size_t workers : {1U, 2U}) {
    pool home(workers);
    const auto both = [&] {
      {
        task_group group(home);
        check([&](auto&&... parts) { group.spawn(std::forward<decltype(parts)>(parts)...); }, [&] { group.wait(); });
      }
      {
        task_group group(home);
        std::vector<future<void>> all;
        check(
            [&](auto&&... parts) {
              auto result = group.submit(std::forward<decltype(parts)>(parts)...);
              static_cast<void>(result.valid());
            },
            [&] { group.wait(); });
      }
    };
    both();
    home.run(both);
  }
}

struct counter {
  void add(int n) { sum += n; }
  int add_and_say(int n) { return sum += n; }
  std::atomic<int> sum = 0;
  int plain = 0;
};
std::atomic<int> calls_made = 0;
void function(int n) { calls_made += n; }

TEST(callables, of_every_kind) {
  with_every_launch([](auto spawn, auto wait) {
    calls_made = 0;
    counter it;
    spawn(function, 1);
    spawn(&function, 2);
    spawn(&counter::add, &it, 3);
    spawn(&counter::add_and_say, std::ref(it), 4);
    spawn(std::function<void(int)>(function), 5);
    spawn(std::bind(function, 6));
    const auto constant = [](int n) { calls_made += n; };
    spawn(constant, 7);
    spawn([n = 0](int more) mutable { calls_made += n += more; }, 8);
    auto shared = std::make_shared<counter>();
    spawn(&counter::add, shared, 9);
    spawn(&counter::plain, std::ref(it));  // reads it, for nothing
    wait();
    EXPECT_EQ(calls_made, 1 + 2 + 5 + 6 + 7 + 8);
    EXPECT_EQ(it.sum, 3 + 4);
    EXPECT_EQ(shared->sum, 9);
    EXPECT_EQ(shared.use_count(), 1);
  });
}

int three() { return 3; }
int four(context /*here*/) noexcept { return 4; }

// Functions by their names: the size of one cannot be asked.
TEST(callables, functions_in_fork_join) {
  const auto [outside, also_outside] = fork_join(three, four);
  EXPECT_EQ(outside * 10 + also_outside, 34);
  pool home(2);
  home.run([](context here) {
    const auto [a, b, c] = fork_join(three, four, &three);
    EXPECT_EQ(a * 100 + b * 10 + c, 343);
    const auto [d, e] = fork_join(here, four, three);
    EXPECT_EQ(d * 10 + e, 43);
  });
  EXPECT_EQ(home.run(three), 3);
}

TEST(callables, move_only_and_by_reference) {
  with_every_launch([](auto spawn, auto wait) {
    std::vector<int> results(5);
    const auto write = [](int& to, std::unique_ptr<int> value) { to = *value; };
    for (std::size_t i = 0; i < results.size(); ++i) {
      spawn(write, std::ref(results[i]), std::make_unique<int>(static_cast<int>(i) + 1));
    }
    int last = 0;
    spawn([&last, p = std::make_unique<int>(6)] { last = *p; });
    struct only_rvalue {
      void operator()(int&& n) && { *to = n; }
      int* to;
    };
    int once = 0;
    spawn(only_rvalue{&once}, 8);
    wait();
    EXPECT_EQ(results, (std::vector<int>{1, 2, 3, 4, 5}));
    EXPECT_EQ(last, 6);
    EXPECT_EQ(once, 8);
  });
}

// As std::thread: a copy is taken at once.
TEST(callables, are_copied_when_spawned) {
  with_every_launch([](auto spawn, auto wait) {
    std::string seen;
    {
      std::string text = "as it was when it was spawned";
      char letters[] = "decays";
      spawn([&seen](const std::string& copy, const std::string& more) { seen = copy + more; }, text,
            std::string(letters));
      text.assign(text.size(), 'x');
      letters[0] = 'x';
    }
    wait();
    EXPECT_EQ(seen, "as it was when it was spawneddecays");
  });
}

template <std::size_t Bytes>
struct large {
  std::array<unsigned char, Bytes> content;
};
template <std::size_t Alignment>
struct alignas(Alignment) aligned {
  std::uint64_t value = 0;
  [[nodiscard]] bool is_aligned() const {
    volatile auto address = reinterpret_cast<std::uintptr_t>(this);  // which the compiler may not assume
    return address % Alignment == 0;
  }
};

TEST(callables, of_every_size) {
  with_every_launch([](auto spawn, auto wait) {
    std::atomic<std::size_t> right = 0;
    std::size_t spawned = 0;
    const auto one = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
      large<Bytes> data;
      for (std::size_t i = 0; i < Bytes; ++i) data.content[i] = static_cast<unsigned char>(i * 7 + Bytes);
      for (int n = 0; n < 3; ++n, ++spawned) {
        spawn([&right, data, held = counted_object()] {
          bool same = true;
          for (std::size_t i = 0; i < Bytes; ++i)
            same = same && data.content[i] == static_cast<unsigned char>(i * 7 + Bytes);
          right += same ? 1 : 0;
        });
      }
    };
    counted_object::alive = 0;
    one(std::integral_constant<std::size_t, 1>());
    one(std::integral_constant<std::size_t, 40>());
    one(std::integral_constant<std::size_t, 64>());
    one(std::integral_constant<std::size_t, 100>());
    one(std::integral_constant<std::size_t, 128>());
    one(std::integral_constant<std::size_t, 191>());
    one(std::integral_constant<std::size_t, 192>());
    one(std::integral_constant<std::size_t, 193>());
    one(std::integral_constant<std::size_t, 256>());
    one(std::integral_constant<std::size_t, 5000>());
    wait();
    EXPECT_EQ(right, spawned);
    EXPECT_EQ(counted_object::alive, 0);
  });
}

TEST(callables, of_every_alignment) {
  with_every_launch([](auto spawn, auto wait) {
    std::atomic<int> right = 0;
    const auto check = [&right](auto data) { right += data.is_aligned() && data.value == 7 ? 1 : 0; };
    for (int i = 0; i < 5; ++i) {
      spawn(check, aligned<16>{7});
      spawn(check, aligned<32>{7});
      spawn(check, aligned<64>{7});
      spawn(check, aligned<128>{7});
      spawn(check, aligned<256>{7});
      spawn(check, aligned<4096>{7});
      spawn([&right, data = aligned<128>{7}] { right += data.is_aligned() ? 1 : 0; });
    }
    wait();
    EXPECT_EQ(right, 35);
  });
}

// What goes wrong while it is copied goes to who spawns, and nothing is left behind.
struct throwing_copy {
  throwing_copy() = default;
  throwing_copy(const throwing_copy& other) : held(other.held) { throw numbered_error(6); }
  throwing_copy& operator=(const throwing_copy&) = delete;
  ~throwing_copy() = default;
  void operator()() const { ++calls_made; }
  counted_object held;
};

TEST(callables, that_cannot_be_copied_now) {
  with_every_launch([](auto spawn, auto wait) {
    calls_made = 0;
    counted_object::alive = 0;
    {
      const throwing_copy bad;
      EXPECT_THROW(spawn(bad), numbered_error);
      EXPECT_THROW(spawn([](const throwing_copy&, const counted_object&) { ++calls_made; }, bad, counted_object()),
                   numbered_error);
      EXPECT_THROW(spawn([](const counted_object&, const throwing_copy&) { ++calls_made; }, counted_object(), bad),
                   numbered_error);
      spawn([] { ++calls_made; });
      wait();
      EXPECT_EQ(calls_made, 1);
      EXPECT_EQ(counted_object::alive, 1);
    }
    EXPECT_EQ(counted_object::alive, 0);
  });
}

TEST(callables, null) {
  with_every_launch([](auto spawn, auto wait) {
    calls_made = 0;
    counted_object::alive = 0;
    counter it;
    void (*no_function)(int) = nullptr;
    void (counter::*no_member)(int) = nullptr;
    EXPECT_THROW(spawn(no_function, 1), std::invalid_argument);
    EXPECT_THROW(spawn(no_member, &it, 1), std::invalid_argument);
    EXPECT_THROW(spawn(std::function<void()>()), std::invalid_argument);
    EXPECT_THROW(spawn(std::function<void(counted_object)>(), counted_object()), std::invalid_argument);
    EXPECT_EQ(counted_object::alive, 0);
    spawn(function, 3);
    wait();
    EXPECT_EQ(calls_made, 3);
  });
}

TEST(callables, null_for_the_pool) {
  const watchdog dog(std::chrono::seconds(100), "null for the pool");
  pool home(1);
  void (*no_function)() = nullptr;
  EXPECT_THROW(home.detach(no_function), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(home.submit(std::function<int()>())), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(home.async(no_function)), std::invalid_argument);
  EXPECT_EQ(home.submit([] { return 1; }).get(), 1);
}

// Captures are gone when wait() returns, whoever ran the task and however it ended.
struct says_when_gone {
  explicit says_when_gone(std::atomic<int>& where) : gone(&where) {}
  says_when_gone(says_when_gone&& other) noexcept : gone(std::exchange(other.gone, nullptr)) {}
  says_when_gone& operator=(says_when_gone&&) = delete;
  ~says_when_gone() {
    if (gone == nullptr) return;
    std::this_thread::yield();
    ++*gone;
  }
  std::atomic<int>* gone;
};

TEST(callables, are_gone_when_the_wait_is_over) {
  with_every_launch([](auto spawn, auto wait) {
    for (std::size_t round = 0; more_stress(round, 200); ++round) {
      std::atomic<int> gone = 0;
      for (int i = 0; i < 6; ++i) {
        spawn(
            [i, mine = says_when_gone(gone)](const says_when_gone&) {
              if (i == 9) throw numbered_error(1);
            },
            says_when_gone(gone));
      }
      wait();
      ASSERT_EQ(gone, 12);
    }
  });
}

TEST(callables, with_a_stop_token) {
  with_every_launch([](auto spawn, auto wait) {
    std::atomic<int> right = 0;
    spawn([&](std::stop_token stop) { right += stop.stop_possible() && !stop.stop_requested() ? 1 : 0; });
    spawn([&](const std::stop_token& stop, int n) { right += stop.stop_requested() ? 0 : n; }, 10);
    spawn([&](int n) { right += n; }, 100);
    wait();
    EXPECT_EQ(right, 111);
  });
}

}  // namespace
}  // namespace pilfer::test
