// Marks, in every queue that has them: a thief gets nothing that was pushed before the mark was taken.
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/global_queue.hpp>
#include <pilfer/queue/locked_deque.hpp>
#include <pilfer/queue/split_deque.hpp>

#include "support/environment.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using ext::default_sync;
using ext::steal_status;

// A queue, how to make it, and how its work becomes stealable.
template <class Queue, std::size_t Capacity = 16>
struct plain {
  using queue_type = Queue;
  queue_type q{Capacity};
  void expose_all() {
    if constexpr (Queue::traits.split) q.owner().expose(1000);
  }
};
template <class Queue>
using small = plain<Queue, 4>;  // for narrow indices
template <class Queue>
struct fenced {  // biased from the start
  using queue_type = Queue;
  queue_type q{8, queue::fencing::always};
  void expose_all() {}
};
template <class Queue, std::size_t Entries>
struct blocks_of {
  using queue_type = Queue;
  queue_type q{{.blocks = 64 / Entries, .entries = Entries}};
  void expose_all() {}
};

template <class Kind>
class deque_marks : public ::testing::Test {
 protected:
  void push(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t id = from; id < to; ++id) ASSERT_TRUE(kind.q.owner().push(make_item<item8>(id))) << id;
  }
  // What a thief that asks again and again gets: a block queue's owner answers at its next push or pop.
  [[nodiscard]] std::optional<std::uint64_t> from(std::uint64_t mark) {
    kind.expose_all();
    for (int i = 0; i < 3; ++i) {
      if (const auto got = kind.q.thief().steal_from(mark)) return id_of(*got);
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> any() {
    kind.expose_all();
    const auto got = kind.q.thief().steal();
    return got ? std::optional(id_of(*got)) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> take() {
    const auto got = kind.q.owner().take();
    return got ? std::optional(id_of(*got)) : std::nullopt;
  }

  Kind kind;
};

template <class T, unsigned Bits>
using narrow_chase_lev = queue::chase_lev_deque<T, default_sync, queue::chase_lev_orders, queue::growth::growing, Bits>;
template <class T, unsigned Bits>
using narrow_split = queue::split_deque<T, default_sync, queue::split_orders, queue::split_form::polled, Bits>;
template <class T, unsigned Bits>
using narrow_signal = queue::signal_safe_split_deque<T, default_sync, queue::split_orders, Bits>;
template <class T, unsigned Bits>
using narrow_asymmetric = queue::asymmetric_deque<T, default_sync, queue::asymmetric_orders, Bits>;

using kinds = ::testing::Types<
    plain<queue::locked_deque<item8>>, plain<queue::abp_deque<item8>>, plain<queue::chase_lev_deque<item8>>,
    plain<queue::bounded_chase_lev_deque<item8>>, plain<queue::asymmetric_deque<item8>>,
    fenced<queue::asymmetric_deque<item8>>, plain<queue::split_deque<item8>>,
    plain<queue::signal_safe_split_deque<item8>>, blocks_of<queue::bwos_lifo<item8>, 1>,
    blocks_of<queue::bwos_lifo<item8>, 4>, small<narrow_chase_lev<item8, 6>>, small<narrow_asymmetric<item8, 6>>,
    fenced<narrow_asymmetric<item8, 7>>, small<narrow_split<item8, 6>>, small<narrow_signal<item8, 6>>>;
TYPED_TEST_SUITE(deque_marks, kinds);

static_assert(!queue::global_queue<item8>::traits.marks && !queue::bwos_fifo<item8>::traits.marks);

// How many items must lie above the ones a thief should reach: a block queue's owner keeps its own block.
template <class Kind>
constexpr std::uint64_t kept = Kind::queue_type::traits.batch ? 4 : 0;

TYPED_TEST(deque_marks, strangers_are_refused_and_younger_items_taken_once_they_are_gone) {
  constexpr std::uint64_t more = kept<TypeParam>;
  for (int round = 0; round < 40; ++round) {  // indices of 6 bits wrap
    this->push(0, 2);
    const std::uint64_t mark = this->kind.q.owner().mark();
    EXPECT_EQ(this->from(mark), std::nullopt) << "only strangers";
    this->push(2, 4 + more);
    EXPECT_EQ(this->from(mark), std::nullopt) << "strangers are in front";
    EXPECT_EQ(this->kind.q.thief().steal_from(mark).status(), steal_status::empty);
    ASSERT_EQ(this->any(), 0U);
    EXPECT_EQ(this->from(mark), std::nullopt) << "one stranger is left";
    ASSERT_EQ(this->any(), 1U);
    EXPECT_EQ(this->from(mark), 2U);
    EXPECT_EQ(this->from(mark), 3U);
    for (std::uint64_t id = 4 + more; id > 4; --id) EXPECT_EQ(this->take(), id - 1);
    EXPECT_EQ(this->take(), std::nullopt);
    EXPECT_EQ(this->from(mark), std::nullopt);
  }
}

TYPED_TEST(deque_marks, a_mark_in_an_empty_queue_admits_everything_later) {
  constexpr std::uint64_t more = kept<TypeParam>;
  for (int round = 0; round < 40; ++round) {
    const std::uint64_t mark = this->kind.q.owner().mark();
    EXPECT_EQ(this->from(mark), std::nullopt);
    this->push(0, 3 + more);
    EXPECT_EQ(this->from(mark), 0U);
    EXPECT_EQ(this->from(mark), 1U);
    while (this->take()) {
    }
  }
}

TYPED_TEST(deque_marks, pops_above_the_mark_leave_it_in_force) {
  constexpr std::uint64_t more = kept<TypeParam>;
  for (int round = 0; round < 40; ++round) {
    this->push(0, 1);
    const std::uint64_t mark = this->kind.q.owner().mark();
    this->push(1, 3);
    EXPECT_EQ(this->take(), 2U);
    EXPECT_EQ(this->take(), 1U);
    EXPECT_EQ(this->kind.q.owner().mark(), mark) << "the next push goes there again";
    EXPECT_EQ(this->from(mark), std::nullopt);
    this->push(5, 7 + more);
    EXPECT_EQ(this->from(mark), std::nullopt);
    ASSERT_EQ(this->any(), 0U);
    EXPECT_EQ(this->from(mark), 5U);
    while (this->take()) {
    }
  }
}

// The owner takes the strangers itself: nothing older than the mark can come out, whatever lies where they were.
TYPED_TEST(deque_marks, pops_below_the_mark_admit_nothing_old) {
  constexpr std::uint64_t more = kept<TypeParam>;
  for (int round = 0; round < 40; ++round) {
    this->push(0, 3);
    const std::uint64_t mark = this->kind.q.owner().mark();
    EXPECT_EQ(this->take(), 2U);
    this->push(10, 13 + more);
    for (int i = 0; i < 4; ++i) {
      if (const auto got = this->from(mark)) {
        EXPECT_GE(*got, 10U);
      }
      static_cast<void>(this->any());
    }
    while (this->take()) {
    }
  }
}

TYPED_TEST(deque_marks, a_later_mark_is_stricter) {
  constexpr std::uint64_t more = kept<TypeParam>;
  this->push(0, 1);
  const std::uint64_t first = this->kind.q.owner().mark();
  this->push(1, 2);
  const std::uint64_t second = this->kind.q.owner().mark();
  this->push(2, 4 + more);
  ASSERT_EQ(this->any(), 0U);
  EXPECT_EQ(this->from(second), std::nullopt);
  EXPECT_EQ(this->from(first), 1U);
  EXPECT_EQ(this->from(second), 2U);
}

// Random pushes, takes, steals and marks, against the plain definition.
TYPED_TEST(deque_marks, agree_with_the_definition) {
  SCOPED_TRACE(describe_seed());
  random_source random(base_seed());
  std::uint64_t next = 0;
  std::deque<std::uint64_t> inside;  // oldest first
  std::uint64_t mark = this->kind.q.owner().mark();
  std::uint64_t pushed_before = 0;
  std::uint64_t age = 0;
  std::uint64_t admitted = 0;
  for (int step = 0; step < 20000; ++step) {
    switch (random.below(8)) {
      case 0:
      case 1:
      case 2:
        if (inside.size() < 4 + kept<TypeParam> && this->kind.q.owner().push(make_item<item8>(next))) {
          inside.push_back(next);
          ++next;
          ++age;
        }
        break;
      case 3:
      case 4:
        if (const auto got = this->take()) {
          ASSERT_FALSE(inside.empty());
          ASSERT_EQ(*got, inside.back());
          inside.pop_back();
        }
        break;
      case 5:
        if (const auto got = this->any()) {
          ASSERT_EQ(*got, inside.front());
          inside.pop_front();
        }
        break;
      case 6:
        if (const auto got = this->from(mark)) {
          ASSERT_GE(*got, pushed_before) << "older than the mark";
          ASSERT_EQ(*got, inside.front());
          inside.pop_front();
          ++admitted;
        }
        break;
      default:
        // 6 bits tell no more than 32 pushes apart.
        if (random.one_in(4) || age > 12) {
          mark = this->kind.q.owner().mark();
          pushed_before = next;
          age = 0;
        }
        break;
    }
  }
  EXPECT_GT(admitted, 100U);
}

// A thief that sleeps for 2^bits items between its look and its claim may take the wrong item: no threads on narrow indices.
template <class Kind>
constexpr bool has_narrow_indices = false;
template <class Queue>
constexpr bool has_narrow_indices<small<Queue>> = true;
template <>
constexpr bool has_narrow_indices<fenced<narrow_asymmetric<item8, 7>>> = true;

// With thieves on other threads, one of which keeps to the newest mark it knows.
TYPED_TEST(deque_marks, hold_against_threads) {
  if (has_narrow_indices<TypeParam>) GTEST_SKIP() << "indices wrap";
  const std::uint64_t items = stress_amount(20'000);
  auto& q = this->kind.q;
  std::vector<std::uint64_t> payload(items);  // plain: whoever takes an item must see what the owner wrote
  std::mutex mutex;
  std::uint64_t mark = q.owner().mark();
  std::uint64_t pushed_before = 0;
  default_sync::atomic<std::uint32_t> stop{0, "stop"};
  std::vector<std::vector<std::uint64_t>> got(3);
  std::uint64_t too_old = 0;
  std::vector<std::thread> thieves;
  for (std::size_t who = 1; who <= 2; ++who) {
    thieves.emplace_back([&, who] {
      auto thief = q.thief();
      while (stop.load(std::memory_order_acquire) == 0) {
        std::uint64_t from = 0;
        std::uint64_t before = 0;
        if (who == 2) {
          const std::lock_guard lock(mutex);
          from = mark;
          before = pushed_before;
        }
        const auto stolen = who == 2 ? thief.steal_from(from) : thief.steal();
        if (stolen) {
          const std::uint64_t id = id_of(*stolen);
          if (id < before) ++too_old;
          if (payload[id] == id + 1) got[who].push_back(id);
        } else {
          if constexpr (TypeParam::queue_type::traits.requests) thief.request();
          std::this_thread::yield();
        }
      }
    });
  }
  random_source random(base_seed());
  for (std::uint64_t next = 0; next < items;) {
    const std::uint64_t choice = random.below(16);
    if (choice < 8) {
      payload[next] = next + 1;
      if (q.owner().push(make_item<item8>(next))) ++next;
    } else if (choice < 13) {
      if (const auto id = this->take()) got[0].push_back(*id);
    } else if (choice < 14) {
      const std::lock_guard lock(mutex);
      mark = q.owner().mark();
      pushed_before = next;
    } else {
      if constexpr (TypeParam::queue_type::traits.split) q.owner().expose(random.below(3));
      if (random.one_in(64)) std::this_thread::yield();
    }
    if (q.size_hint() > 12) {  // not more than a bounded queue holds
      if (const auto id = this->take()) got[0].push_back(*id);
    }
  }
  while (const auto id = this->take()) got[0].push_back(*id);
  stop.store(1, std::memory_order_release);
  for (std::thread& t : thieves) t.join();
  while (const auto id = this->take()) got[0].push_back(*id);
  EXPECT_EQ(too_old, 0U);
  std::vector<int> times(items);
  for (const auto& mine : got) {
    for (const std::uint64_t id : mine) ++times[id];
  }
  for (std::uint64_t id = 0; id < items; ++id) ASSERT_EQ(times[id], 1) << id;
}

// Where the split deque knows that all strangers are gone, it says that there is private work; else that there is nothing.
template <class Queue>
void check_private_work() {
  Queue q(8);
  ASSERT_TRUE(q.owner().push(make_item<item8>(0)));
  const std::uint64_t mark = q.owner().mark();
  ASSERT_TRUE(q.owner().push(make_item<item8>(1)));
  EXPECT_EQ(q.thief().steal().status(), steal_status::private_work);
  EXPECT_EQ(q.thief().steal_from(mark).status(), steal_status::empty) << "a stranger is in front";
  q.owner().expose(1);
  EXPECT_EQ(q.thief().steal_from(mark).status(), steal_status::empty);
  EXPECT_TRUE(q.thief().steal());
  EXPECT_EQ(q.thief().steal_from(mark).status(), steal_status::private_work);
  q.owner().expose(1);
  EXPECT_EQ(id_of(*q.thief().steal_from(mark)), 1U);
  EXPECT_TRUE(!q.owner().pop());
  EXPECT_EQ(q.thief().steal_from(mark).status(), steal_status::empty);
}
TEST(deque_marks_split, private_work_counts_once_the_strangers_are_gone) {
  check_private_work<queue::split_deque<item8>>();
  check_private_work<queue::signal_safe_split_deque<item8>>();
}

// ABP counts from 0 again when it has been empty; the mark knows by its tag.
TEST(deque_marks_abp, everything_is_younger_once_the_deque_was_empty) {
  for (const bool by_thieves : {false, true}) {
    queue::abp_deque<item8> q(8);
    for (std::uint64_t id = 0; id < 3; ++id) ASSERT_TRUE(q.owner().push(make_item<item8>(id)));
    const std::uint64_t mark = q.owner().mark();
    for (int i = 0; i < 3; ++i) {
      if (by_thieves) {
        EXPECT_TRUE(q.thief().steal());
      } else {
        EXPECT_TRUE(q.owner().pop().has_value());
      }
    }
    EXPECT_FALSE(q.owner().pop().has_value());
    ASSERT_TRUE(q.owner().push(make_item<item8>(7)));
    EXPECT_EQ(id_of(*q.thief().steal_from(mark)), 7U) << "at index 0, below the mark's";
  }
}

// A thief that refuses strangers in the owner's block of a block queue asks for what is behind them.
TEST(deque_marks_bwos_lifo, asks_for_a_part_of_the_owners_block) {
  queue::bwos_lifo<item8> q({.blocks = 4, .entries = 8});
  ASSERT_TRUE(q.owner().push(make_item<item8>(0)));
  const std::uint64_t mark = q.owner().mark();
  for (std::uint64_t id = 1; id < 5; ++id) ASSERT_TRUE(q.owner().push(make_item<item8>(id)));
  EXPECT_FALSE(q.thief().steal_from(mark));
  ASSERT_TRUE(q.owner().push(make_item<item8>(5)));  // answers: the older half is granted
  EXPECT_FALSE(q.thief().steal_from(mark)) << "a stranger is in front";
  EXPECT_EQ(id_of(*q.thief().steal()), 0U);
  EXPECT_EQ(id_of(*q.thief().steal_from(mark)), 1U);
}

}  // namespace
}  // namespace pilfer::test
