#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/ext/sync.hpp>

#include "memory_orders.hpp"
#include "support/environment.hpp"
#include "support/failing_sync.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

template <class Sync>
class sync_policy : public ::testing::Test {};
using policies = ::testing::Types<ext::native_sync, ext::fence_free_sync, ext::counting_sync, failing_sync>;
TYPED_TEST_SUITE(sync_policy, policies);

TYPED_TEST(sync_policy, atomics_do_what_their_names_say) {
  using atomic = typename TypeParam::template atomic<std::uint64_t>;
  static_assert(sizeof(atomic) == sizeof(std::uint64_t), "a name costs nothing");
  static_assert(!std::is_copy_constructible_v<atomic> && !std::is_copy_assignable_v<atomic>);
  atomic word(5, "word");
  EXPECT_EQ(word.load(relaxed), 5U);
  word.store(6, release);
  EXPECT_EQ(word.exchange(7, relaxed), 6U);
  EXPECT_EQ(word.fetch_add(3, std::memory_order_acq_rel), 7U);
  std::uint64_t expected = 9;
  EXPECT_FALSE(word.compare_exchange(expected, 1, acquire, relaxed));
  EXPECT_EQ(expected, 10U) << "a failed compare_exchange tells what it found";
  EXPECT_TRUE(word.compare_exchange(expected, 1, acquire, relaxed));
  EXPECT_EQ(word.load(acquire), 1U);
}

TYPED_TEST(sync_policy, cell_is_plain_memory) {
  using cell = typename TypeParam::template cell<std::uint32_t>;
  static_assert(sizeof(cell) == sizeof(std::uint32_t) && std::is_trivially_default_constructible_v<cell>);
  cell place;
  place.set(3);
  EXPECT_EQ(place.get(), 3U);
}

TYPED_TEST(sync_policy, memory_is_aligned) {
  for (const std::size_t alignment : {std::size_t{16}, ext::isolation_bytes, std::size_t{4096}}) {
    void* memory = TypeParam::allocate(100, alignment);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U);
    TypeParam::deallocate(memory, alignment);
  }
}

TYPED_TEST(sync_policy, too_much_memory_is_null_and_no_exception) {
  static_assert(noexcept(TypeParam::allocate(1, 1)));
  EXPECT_EQ(TypeParam::allocate(~std::size_t{0} / 2, 64), nullptr);
}

TYPED_TEST(sync_policy, mutex_excludes) {
  typename TypeParam::mutex mutex;
  std::uint64_t counter = 0;  // plain: ThreadSanitizer would see a race
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        mutex.lock();
        ++counter;
        mutex.unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 3000U);
}

TYPED_TEST(sync_policy, fences_of_every_order_can_be_called) {
  for (const auto order : {acquire, release, std::memory_order_acq_rel, std::memory_order_seq_cst}) {
    TypeParam::fence(order);
    TypeParam::signal_fence(order);
  }
  TypeParam::light_fence();
  TypeParam::pause();
}

TYPED_TEST(sync_policy, heavy_fence_works_if_it_says_so) {
  const bool promised = TypeParam::asymmetric_fences();
  errno = 77;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(TypeParam::heavy_fence(), promised);
  EXPECT_EQ(TypeParam::asymmetric_fences(), promised) << "the answer changed";
  EXPECT_EQ(errno, 77);
}

TYPED_TEST(sync_policy, futex_wait_returns_when_the_word_has_changed) {
  const typename TypeParam::template atomic<std::uint32_t> word(1, "word");
  errno = 77;
  EXPECT_TRUE(TypeParam::futex_wait(word, 2));
  EXPECT_TRUE(TypeParam::futex_wait(word, 2, 1h));
  EXPECT_EQ(errno, 77);
}

TYPED_TEST(sync_policy, futex_wait_times_out) {
  const typename TypeParam::template atomic<std::uint32_t> word(1, "word");
  errno = 77;
  EXPECT_FALSE(TypeParam::futex_wait(word, 1, 0ns));
  const auto begin = std::chrono::steady_clock::now();
  bool in_time = true;
  while (in_time) in_time = TypeParam::futex_wait(word, 1, 20ms);  // may wake spuriously
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
  EXPECT_EQ(errno, 77);
}

TYPED_TEST(sync_policy, futex_wake_counts_sleepers) {
  const typename TypeParam::template atomic<std::uint32_t> word(0, "word");
  EXPECT_EQ(TypeParam::futex_wake(word, 1), 0U) << "nobody sleeps";
  EXPECT_EQ(TypeParam::futex_wake(word, ~std::size_t{0}), 0U);
  EXPECT_EQ(TypeParam::futex_wake(word, 0), 0U);
}

TYPED_TEST(sync_policy, futex_wake_wakes) {
  const watchdog guard(60s, "futex_wake");
  typename TypeParam::template atomic<std::uint32_t> word(0, "word");
  std::uint64_t message = 0;  // plain: carried by the release store
  std::thread sleeper([&] {
    while (word.load(acquire) == 0) TypeParam::futex_wait(word, 0);
    EXPECT_EQ(message, 42U);
  });
  std::this_thread::sleep_for(5ms);  // so that it is probably asleep; correct either way
  message = 42;
  word.store(1, release);
  TypeParam::futex_wake(word, 1);
  sleeper.join();
}

TYPED_TEST(sync_policy, futex_wake_wakes_no_more_than_it_was_told) {
  const watchdog guard(60s, "futex_wake of some");
  typename TypeParam::template atomic<std::uint32_t> word(0, "word");
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 3; ++i) {
    sleepers.emplace_back([&] {
      while (word.load(acquire) == 0) TypeParam::futex_wait(word, 0);
    });
  }
  // The word does not change, so whoever is woken goes back to sleep.
  for (int i = 0; i < 20; ++i) {
    EXPECT_LE(TypeParam::futex_wake(word, 2), 2U);
    std::this_thread::sleep_for(100us);
  }
  word.store(1, release);
  TypeParam::futex_wake(word, 3);
  for (std::thread& sleeper : sleepers) sleeper.join();
}

// The example of a lost wake-up: a token passed back and forth many times.
TYPED_TEST(sync_policy, futex_loses_no_wake_up) {
  const watchdog guard(60s, "futex ping-pong");
  typename TypeParam::template atomic<std::uint32_t> word(0, "word");
  constexpr std::uint32_t rounds = 2000;
  const auto play = [&word](std::uint32_t parity) {
    for (;;) {
      const std::uint32_t now = word.load(acquire);
      if (now >= rounds) break;
      if (now % 2 == parity) {
        word.store(now + 1, release);
        TypeParam::futex_wake(word, 1);
      } else {
        TypeParam::futex_wait(word, now);
      }
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(word.load(relaxed), rounds);
}

TEST(default_sync, has_no_thread_fence_under_thread_sanitizer) {
#if PILFER_THREAD_SANITIZER
  static_assert(std::is_base_of_v<ext::fence_free_sync, ext::default_sync>);
#else
  static_assert(std::is_base_of_v<ext::native_sync, ext::default_sync>);
  static_assert(!std::is_base_of_v<ext::fence_free_sync, ext::default_sync>);
#endif
  EXPECT_EQ(PILFER_THREAD_SANITIZER == 1, under_tsan);
}

TEST(edge, is_release_and_acquire_unless_told) {
  static_assert(ext::edge{}.rel == release && ext::edge{}.acq == acquire);
  static_assert(ext::edge{.rel = std::memory_order_seq_cst}.acq == acquire);
}

}  // namespace
}  // namespace pilfer::test
