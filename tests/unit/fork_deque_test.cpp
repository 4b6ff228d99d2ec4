#include <cstddef>
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include <pilfer/queue/fork_deque.hpp>

#include "push_ids.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using ext::steal_status;
using small_fork_deque = queue::fork_deque<item8, ext::default_sync, queue::fork_orders, 4096>;
using outcome = small_fork_deque::pop_outcome;

item8 numbered(std::uint64_t id) { return make_item<item8>(id); }

TEST(fork_deque, a_position_leads_to_its_deque) {
  const auto q = std::make_unique<small_fork_deque>(100);
  auto* const first = q->cursor();
  push_ids(*q, 0, 100);
  EXPECT_EQ(q->cursor(), first + 100);
  EXPECT_EQ(&small_fork_deque::of(first), q.get());
  EXPECT_EQ(&small_fork_deque::of(q->cursor()), q.get());
}

TEST(fork_deque, push_and_pop_by_position) {
  const auto q = std::make_unique<small_fork_deque>(4);
  auto* at = q->cursor();
  for (std::uint64_t id = 0; id < 4; ++id) {
    at = q->push_at(at, numbered(id)) ? at + 1 : q->look_up_after_push(at).next;
  }
  EXPECT_FALSE(q->push_at(at, numbered(4)));
  EXPECT_EQ(q->look_up_after_push(at).next, at) << "a full deque says no";
  for (std::uint64_t id = 4; id-- > 0;) {
    --at;
    EXPECT_TRUE(q->pop_at(at) || q->look_up_before_pop(at).outcome == outcome::mine);
    EXPECT_EQ(id_of(at->load(std::memory_order_relaxed)), id);
  }
  EXPECT_FALSE(q->has_items());
}

TEST(fork_deque, the_region_bounds_the_capacity_and_is_constructed_as_it_is_used) {
  const auto q = std::make_unique<small_fork_deque>(std::size_t{1} << 20);
  EXPECT_EQ(q->capacity(), small_fork_deque::max_capacity);
  push_ids(*q, 0, small_fork_deque::max_capacity);
  EXPECT_FALSE(q->owner().push(numbered(0)));
  for (std::uint64_t id = small_fork_deque::max_capacity; id-- > 0;) EXPECT_EQ(id_of(*q->owner().take()), id);
  EXPECT_FALSE(q->owner().take());
}

TEST(fork_deque, a_request_exposes_half_at_the_next_operation) {
  const auto q = std::make_unique<small_fork_deque>(16);
  push_ids(*q, 0, 5);
  EXPECT_EQ(q->thief().steal().status(), steal_status::private_work);
  q->thief().request();
  EXPECT_TRUE(q->is_asked());
  auto* const at = q->cursor();
  ASSERT_FALSE(q->push_at(at, numbered(5)));
  EXPECT_EQ(q->look_up_after_push(at).exposed, 3U);
  EXPECT_FALSE(q->is_asked());
  for (std::uint64_t id = 0; id < 3; ++id) EXPECT_EQ(id_of(*q->thief().steal()), id);
  EXPECT_EQ(q->thief().steal().status(), steal_status::private_work);
}

TEST(fork_deque, a_request_without_work_stays) {
  const auto q = std::make_unique<small_fork_deque>(16);
  q->thief().request();
  push_ids(*q, 0, 1);
  EXPECT_EQ(id_of(*q->thief().steal()), 0U);
}

TEST(fork_deque, a_thief_seizes_half_and_the_request_stays) {
  const auto q = std::make_unique<small_fork_deque>(16);
  EXPECT_EQ(q->seize(), 0U);
  push_ids(*q, 0, 5);
  q->thief().request();
  EXPECT_EQ(q->seize(3), 0U) << "the oldest lies before the mark";
  EXPECT_EQ(q->seize(), 3U);
  EXPECT_TRUE(q->is_asked()) << "a sleeper may have left it, whom only the owner calls";
  EXPECT_EQ(id_of(*q->thief().steal()), 0U);
  EXPECT_EQ(q->seize(), 1U);
}

TEST(fork_deque, a_push_that_is_refused_cannot_be_seized) {
  const auto q = std::make_unique<small_fork_deque>(1);
  push_ids(*q, 0, 1);
  ASSERT_EQ(q->seize(), 1U);
  auto* const at = q->cursor();
  ASSERT_FALSE(q->push_at(at, numbered(1)));
  EXPECT_EQ(q->seize(), 0U);
  EXPECT_EQ(q->look_up_after_push(at).next, at);
}

TEST(fork_deque, marks) {
  const auto q = std::make_unique<small_fork_deque>(16);
  push_ids(*q, 0, 2);
  const std::uint64_t mark = q->owner().mark();
  push_ids(*q, 2, 4);
  q->owner().expose(4);
  EXPECT_EQ(q->thief().steal_from(mark).status(), steal_status::empty);
  EXPECT_EQ(id_of(*q->thief().steal()), 0U);
  EXPECT_EQ(id_of(*q->thief().steal()), 1U);
  EXPECT_EQ(id_of(*q->thief().steal_from(mark)), 2U);
}

TEST(fork_deque, the_join_of_a_stolen_job_frees_its_place) {
  const auto q = std::make_unique<small_fork_deque>(2);
  auto* const at = q->cursor();
  for (std::uint64_t round = 0; round < 100; ++round) {
    push_ids(*q, round, round + 1);
    q->owner().expose(1);
    ASSERT_EQ(id_of(*q->thief().steal()), round);
    EXPECT_FALSE(q->pop_at(at));
    EXPECT_EQ(q->look_up_before_pop(at).outcome, outcome::stolen);
    EXPECT_EQ(q->cursor(), at);
    push_ids(*q, round, round + 1);
    q->owner().expose(1);
    EXPECT_FALSE(q->pop_at(at));
    EXPECT_EQ(q->look_up_before_pop(at).outcome, outcome::taken_back);
  }
}

TEST(fork_deque, without_membarrier_every_operation_looks_up) {
  const auto q = std::make_unique<small_fork_deque>(8, false);
  EXPECT_FALSE(q->uses_membarrier());
  auto* const at = q->cursor();
  EXPECT_FALSE(q->push_at(at, numbered(0)));
  EXPECT_EQ(q->look_up_after_push(at).next, at + 1);
  EXPECT_EQ(q->seize(), 1U);
  EXPECT_FALSE(q->pop_at(at));
  EXPECT_EQ(q->look_up_before_pop(at).outcome, outcome::taken_back);
}

}  // namespace
}  // namespace pilfer::test
