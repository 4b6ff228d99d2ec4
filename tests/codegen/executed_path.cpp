// The atomic instructions that an operation executes on the path it takes: the usual one, the last item, an empty queue.
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/split_deque.hpp>

#include "lab/measure/single_step.hpp"

namespace {

using pilfer::ext::native_sync;
using pilfer::lab::executed;
using pilfer::lab::single_step;
using item = std::uint64_t;

constexpr executed nothing{};
constexpr std::size_t capacity = 64;
constexpr pilfer::ext::block_geometry geometry{.blocks = 8, .entries = 16};
constexpr std::size_t all = geometry.blocks * geometry.entries;

// A queue under the microscope. Nothing here is inlined into a test, so that no test's knowledge of a queue's contents
// reaches the compiler.
template <class Queue>
class specimen {
 public:
  template <class... Arguments>
  explicit specimen(Arguments... arguments) : queue_(arguments...) {}

  [[gnu::noinline]] void fill(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!queue_.owner().push(i)) ADD_FAILURE() << "no room for item " << i;
    }
  }
  [[gnu::noinline]] executed push() {
    return single_step([&] { done_ = queue_.owner().push(7); });
  }
  [[gnu::noinline]] executed pop() {
    return single_step([&] { keep(queue_.owner().pop()); });
  }
  [[gnu::noinline]] executed take() {
    return single_step([&] { keep(queue_.owner().take()); });
  }
  [[gnu::noinline]] executed steal() {
    return single_step([&] { keep(queue_.thief().steal()); });
  }
  [[gnu::noinline]] executed push_all(std::size_t n) {
    return single_step([&] {
      for (std::size_t i = 0; i < n; ++i) done_ = queue_.owner().push(i);
    });
  }
  [[gnu::noinline]] executed pop_all(std::size_t n) {
    return single_step([&] {
      for (std::size_t i = 0; i < n; ++i) keep(queue_.owner().pop());
    });
  }

  // Did the last operation add or take an item?
  [[nodiscard]] bool done() const noexcept { return done_; }
  [[nodiscard]] Queue& queue() noexcept { return queue_; }

 private:
  template <class Result>
  void keep(const Result& result) noexcept {
    done_ = static_cast<bool>(result);
    if (done_) last_ = *result;
  }

  Queue queue_;
  bool done_ = false;
  item last_ = 0;
};

// A queue that is neither empty nor full, in the middle of its life: one pop has already gone by.
template <class Queue, class... Arguments>
void expect_usual_path(executed push, executed pop, executed steal, Arguments... arguments) {
  specimen<Queue> s(arguments...);
  s.fill(20);
  s.pop();
  EXPECT_EQ(s.push(), push);
  EXPECT_TRUE(s.done());
  EXPECT_EQ(s.pop(), pop);
  EXPECT_TRUE(s.done());
  EXPECT_EQ(s.steal(), steal);
  EXPECT_TRUE(s.done());
}

TEST(executed_path, abp) {
  expect_usual_path<pilfer::queue::abp_deque<item, native_sync>>(nothing, {.fences = 1}, {.fences = 1, .cas = 1},
                                                                 capacity);
  specimen<pilfer::queue::abp_deque<item, native_sync>> last(capacity);
  last.fill(1);
  EXPECT_EQ(last.pop(), (executed{.fences = 1, .cas = 1}));
  EXPECT_TRUE(last.done());
  EXPECT_EQ(last.pop(), nothing);
  EXPECT_FALSE(last.done());
}

template <class Queue>
void chase_lev_paths() {
  expect_usual_path<Queue>(nothing, {.fences = 1}, {.fences = 1, .cas = 1}, capacity);
  specimen<Queue> last(capacity);
  last.fill(1);
  EXPECT_EQ(last.pop(), (executed{.fences = 1, .cas = 1}));
  EXPECT_TRUE(last.done());
  EXPECT_EQ(last.steal(), nothing) << "an empty victim costs a thief no fence";
  EXPECT_FALSE(last.done());
}
TEST(executed_path, chase_lev) { chase_lev_paths<pilfer::queue::chase_lev_deque<item, native_sync>>(); }
TEST(executed_path, chase_lev_bounded) { chase_lev_paths<pilfer::queue::bounded_chase_lev_deque<item, native_sync>>(); }

TEST(executed_path, asymmetric) {
  using queue = pilfer::queue::asymmetric_deque<item, native_sync>;
  if (!native_sync::asymmetric_fences()) GTEST_SKIP() << "membarrier(2) is refused here";
  expect_usual_path<queue>(nothing, nothing, {.cas = 1, .syscalls = 1}, capacity);
  specimen<queue> last(capacity);
  last.fill(1);
  EXPECT_EQ(last.pop(), executed{.cas = 1});
  EXPECT_TRUE(last.done());
  EXPECT_EQ(last.steal(), nothing) << "an empty victim costs a thief no system call";
  EXPECT_FALSE(last.done());
}

TEST(executed_path, asymmetric_where_membarrier_is_refused) {
  using queue = pilfer::queue::asymmetric_deque<item, native_sync>;
  expect_usual_path<queue>(nothing, {.fences = 1}, {.fences = 1, .cas = 1}, capacity, pilfer::queue::fencing::always);
}

template <class Queue>
void block_paths() {
  expect_usual_path<Queue>(nothing, nothing, {.cas = 1, .adds = 1}, geometry);
  specimen<Queue> alone(geometry);
  const executed pushes = alone.push_all(all);
  EXPECT_TRUE(alone.done());
  const executed pops = alone.pop_all(all);
  EXPECT_TRUE(alone.done());
  EXPECT_LE(pushes.atomic_instructions(), geometry.blocks) << pushes;
  EXPECT_LE(pops.atomic_instructions(), 2 * geometry.blocks) << "a takeover, and a look for requests: " << pops;
}
TEST(executed_path, bwos_lifo) { block_paths<pilfer::queue::bwos_lifo<item, native_sync>>(); }
TEST(executed_path, bwos_fifo) { block_paths<pilfer::queue::bwos_fifo<item, native_sync>>(); }

template <class Queue>
void split_paths() {
  specimen<Queue> s(capacity);
  s.fill(20);
  EXPECT_EQ(s.push(), nothing);
  EXPECT_TRUE(s.done());
  EXPECT_EQ(s.pop(), nothing);
  EXPECT_TRUE(s.done());
  EXPECT_EQ(s.take(), nothing) << "private work needs no synchronization, whatever it is asked by";
  EXPECT_TRUE(s.done());
  s.queue().owner().expose(2);
  EXPECT_EQ(s.steal(), (executed{.fences = 1, .cas = 1}));
  EXPECT_TRUE(s.done());
  EXPECT_EQ(s.pop_all(17), nothing);
  EXPECT_TRUE(s.done());
  EXPECT_EQ(s.pop(), nothing) << "pop never touches the public part";
  EXPECT_FALSE(s.done());
  EXPECT_EQ(s.take(), (executed{.fences = 1, .cas = 1})) << "the last public item";
  EXPECT_TRUE(s.done());
}
TEST(executed_path, split) { split_paths<pilfer::queue::split_deque<item, native_sync>>(); }
TEST(executed_path, split_signal_safe) { split_paths<pilfer::queue::signal_safe_split_deque<item, native_sync>>(); }

// The microscope itself: it sees what is there.
TEST(executed_path, sees_every_kind) {
  // Not on the stack, where a read-modify-write would pass for a fence.
  static native_sync::atomic<std::uint64_t> word{1};
  static native_sync::atomic<std::uint32_t> sleepers{0};
  const executed seen = single_step([] {
    std::uint64_t expected = 1;
    native_sync::fence(std::memory_order_seq_cst);
    word.compare_exchange(expected, 2, std::memory_order_acq_rel, std::memory_order_relaxed);
    word.fetch_add(3, std::memory_order_release);
    word.exchange(expected, std::memory_order_relaxed);
    _mm_mfence();
    native_sync::futex_wake(sleepers, 1);
  });
  EXPECT_EQ(seen, (executed{.fences = 1, .cas = 1, .adds = 1, .exchanges = 1, .mfences = 1, .syscalls = 1}));
  EXPECT_GT(seen.instructions, 20U);
}

}  // namespace
