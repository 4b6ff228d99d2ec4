// The benchmark itself must not lose items, or invent them, with any queue.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "lab/measure/affinity.hpp"
#include "lab/queues/alone.hpp"
#include "lab/queues/bench_queues.hpp"
#include "lab/queues/measured_queue.hpp"
#include "lab/queues/thieves.hpp"

namespace pilfer::lab::queues {
namespace {

std::vector<const implementation*> all_available() {
  std::vector<const implementation*> list;
  for (const implementation& one : implementations()) {
    if (one.make) list.push_back(&one);
  }
  return list;
}

TEST(queues, the_names_are_those_of_the_documentation) {
  EXPECT_EQ(queue_names(),
            (std::vector<std::string>{"seq-stack", "seq-ring", "mutex-deque", "eigen-runqueue", "moodycamel", "global",
                                      "locked", "abp", "chase-lev", "chase-lev-bounded", "bwos-lifo", "bwos-fifo",
                                      "split", "split-signal", "asymmetric"}));
}

TEST(queues, every_queue_has_a_sequential_baseline) {
  for (const implementation& one : implementations()) {
    const implementation* baseline = find_implementation(one.baseline);
    ASSERT_NE(baseline, nullptr) << one.name;
    EXPECT_TRUE(baseline->sequential) << one.name;
  }
}

TEST(queues, alone_each_round_gives_back_what_was_pushed) {
  for (const geometry& shape : {large_geometry, small_geometry}) {
    for (const implementation* one : all_available()) {
      const auto queue = one->make(shape);
      owner_totals totals;
      queue->run_alone(3, totals);
      EXPECT_EQ(totals.pushed, totals.popped) << one->name;
      // A FIFO of blocks may be full while its consumer still holds the last block.
      EXPECT_GE(totals.pushed.count, 3 * (shape.blocks - 1) * shape.entries) << one->name;
      EXPECT_LE(totals.pushed.count, 3 * capacity_of(shape)) << one->name;
      EXPECT_EQ(queue->drain(), tally{}) << one->name;
    }
  }
}

// Whatever has happened before, the next items pushed can be stolen again. On one processor that could take for ever: an owner
// that answers a thief's request takes the work back before the thief runs.
TEST(queues, a_thief_is_never_starved_for_ever) {
  using namespace std::chrono_literals;
  constexpr int times = 4;
  const std::vector<int> processors = allowed_processors();
  if (processors.size() < 2) GTEST_SKIP() << "needs two processors";
  const pinned here(processors.back());
  for (const implementation* one : all_available()) {
    if (one->sequential) continue;
    const auto queue = one->make(small_geometry);
    traffic with;
    owner_totals owner;
    thief_totals thief;
    std::thread thread([&] {
      pin_this_thread(processors.front());
      thief = queue->run_thief(with, {.share = 0.05});
    });
    int robbed = 0;
    for (const auto deadline = std::chrono::steady_clock::now() + 10s;
         robbed < times && std::chrono::steady_clock::now() < deadline;) {
      const std::uint64_t stolen = owner.pushed.count - owner.popped.count;
      for (int round = 0; round < 20; ++round) queue->run_round(with, owner);
      if (owner.pushed.count - owner.popped.count > stolen) ++robbed;
    }
    with.stop.store(1, std::memory_order_relaxed);
    thread.join();
    EXPECT_EQ(owner.pushed, owner.popped + thief.taken + queue->drain()) << one->name;
    EXPECT_EQ(robbed, times) << one->name << ": a thief got something only so many times in 10 seconds";
    EXPECT_GE(thief.attempts(), thief.steals) << one->name;
  }
}

// Two items lost and two found twice, so that number and sum are right.
TEST(queues, items_that_only_add_up_are_not_the_same) {
  const auto of = [](std::uint64_t a, std::uint64_t b) {
    return tally{1, a, scattered(a)} + tally{1, b, scattered(b)};
  };
  EXPECT_EQ(of(1, 4), of(2, 3));
  EXPECT_FALSE(of(1, 4).same_items(of(2, 3)));
  EXPECT_TRUE(of(1, 4).same_items(of(4, 1)));
}

TEST(queues, checked_rounds_give_back_each_item) {
  for (const implementation* one : all_available()) {
    const auto queue = one->make(small_geometry);
    traffic nobody;
    owner_totals owner;
    for (int i = 0; i < 3; ++i) queue->check_round(nobody, owner);
    EXPECT_GT(owner.pushed.count, 0U) << one->name;
    EXPECT_TRUE(owner.pushed.same_items(owner.popped + queue->drain())) << one->name;
  }
}

TEST(queues, thieves_by_frequency_keep_to_it) {
  const auto begin = std::chrono::steady_clock::now();
  const thieves_result result =
      measure_thieves(small_geometry, {find_implementation("locked")},
                      {.thieves = 1, .frequencies = {1000}, .sample = std::chrono::milliseconds(50), .repetitions = 1});
  ASSERT_EQ(result.entries.size(), 2U);
  EXPECT_EQ(result.entries[0].thieves.attempts(), 0U);
  EXPECT_GT(result.entries[1].thieves.attempts(), 0U);
  // 50 in 50 ms; but a sample may be late to end: by the whole time that all of this took at most.
  const auto took = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  EXPECT_LE(result.entries[1].thieves.attempts(), static_cast<std::uint64_t>(took.count()) + 1);
}

TEST(queues, the_report_of_a_small_run_follows_the_schema) {
  std::string text;
  const report r =
      bench_queues({.queues = {"bwos-lifo", "abp"}, .sample = std::chrono::milliseconds(1), .repetitions = 2},
                   [&](std::string_view part) { text += part; });
  EXPECT_EQ(schema_errors(to_json(r)), std::vector<std::string>{});
  // Two geometries alone with the stack; with thieves the stack once and two queues at six shares.
  EXPECT_EQ(r.rows.size(), 2 * 3 + 1 + 2 * 6U);
  for (const row& one : r.rows) EXPECT_EQ(one.samples.size(), 2U);
  EXPECT_NE(text.find("compiler barrier"), std::string::npos);
}

TEST(queues, an_unknown_name_is_refused) {
  EXPECT_THROW((void)bench_queues({.queues = {"bogus"}}, [](std::string_view) {}), std::invalid_argument);
}

}  // namespace
}  // namespace pilfer::lab::queues
