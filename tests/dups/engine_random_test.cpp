// Random trees: what the search finds is what reading everything finds, on every scheduler, by every way of comparing.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "engine_tree.hpp"
#include "tools/dups/finder.hpp"

namespace pilfer::dups {
namespace {

using test::tree;

void expect_stable_order(const outcome& found) {
  for (const group& each : found.groups) {
    EXPECT_TRUE(std::ranges::is_sorted(test::paths_of(each)));
  }
  EXPECT_TRUE(std::ranges::is_sorted(found.groups, {}, [](const group& each) { return each.files.front().path; }));
}

TEST(DupsRandom, EveryWayOfComparing) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const tree where;
    test::grow_randomly(where, seed, 150);
    const auto expected = test::expected_groups(where.root());
    ASSERT_FALSE(expected.empty());
    pool home(2);
    search_options options{.paths = {where.root()}};
    progress seen;
    const outcome found = find_duplicates(home, options, seen);
    EXPECT_EQ(test::groups_of(found), expected);
    EXPECT_TRUE(found.problems.empty());
    EXPECT_FALSE(found.interrupted);
    EXPECT_EQ(seen.bytes_done, seen.bytes_to_do);
    EXPECT_EQ(seen.files_done, seen.files_to_do);
    expect_stable_order(found);

    options.memory_bytes = 0;  // as little as there can be: one lane, nothing kept in memory
    EXPECT_EQ(test::groups_of(find_duplicates(home, options)), expected);
    options.memory_bytes = std::size_t{64} << 20U;
    options.compare = comparison::hash_only;
    options.part_bytes = std::size_t{128} << 10U;
    EXPECT_EQ(test::groups_of(find_duplicates(home, options)), expected);
    options.compare = comparison::bytes;
    options.cache_file = where.path("cache of hashes");
    EXPECT_EQ(test::groups_of(find_duplicates(home, options)), expected);
  }
}

TEST(DupsRandom, EmptyFilesAndHardLinks) {
  const tree where;
  test::grow_randomly(where, 77, 200);
  pool home(2);
  for (const bool empty : {false, true}) {
    for (const bool links : {false, true}) {
      const outcome found =
          find_duplicates(home, {.paths = {where.root()}, .empty_files = empty, .hard_links_are_duplicates = links});
      EXPECT_EQ(test::groups_of(found), test::expected_groups(where.root(), empty, links)) << empty << links;
    }
  }
}

TEST(DupsRandom, EverySchedulerFindsTheSame) {
  const tree where;
  test::grow_randomly(where, 5, 120);
  const auto expected = test::expected_groups(where.root());
  std::vector<std::vector<std::string>> order;
  for (const std::string& name : scheduler_names()) {
    for (const unsigned levels : {1U, 3U}) {
      SCOPED_TRACE(name);
      pool home({.workers = 3, .scheduler = name, .levels = levels});
      const outcome found = find_duplicates(home, {.paths = {where.root()}});
      EXPECT_EQ(test::groups_of(found), expected);
      std::vector<std::vector<std::string>> now;
      for (const group& each : found.groups) now.push_back(test::paths_of(each));
      if (order.empty()) order = now;
      EXPECT_EQ(now, order);
    }
  }
}

TEST(DupsRandom, ManyFilesOfOneSize) {
  const tree where;
  std::mt19937_64 random(9);
  const std::string base = test::random_text(random, 17'000);
  for (int i = 0; i < 300; ++i) {
    std::string text = base;
    text[8000 + static_cast<std::size_t>(i) % 100] ^= 1;  // neither in the first nor in the last block
    where.write("large/" + std::to_string(i % 7) + "/" + std::to_string(i), text);
    where.write("small/" + std::to_string(i), text.substr(7990, 200));
  }
  pool home(2);
  const auto expected = test::expected_groups(where.root());
  ASSERT_EQ(expected.size(), 200U);
  EXPECT_EQ(test::groups_of(find_duplicates(home, {.paths = {where.root()}})), expected);
  EXPECT_EQ(test::groups_of(find_duplicates(home, {.paths = {where.root()}, .memory_bytes = 0})), expected);
}

// Files with the same first and last block were once compared with one of them, then with the next: their number squared.
TEST(DupsRandom, ManyFilesThatDifferInTheMiddleAreReadAFewTimes) {
  const tree where;
  std::mt19937_64 random(11);
  const std::string base = test::random_text(random, 100'000);
  for (int i = 0; i < 300; ++i) {
    std::string text = base;
    if (i < 60) text[0] ^= 1;  // fewer than all have the same edges
    text[90'000] = static_cast<char>(i / 2 % 120);
    text[90'001] = static_cast<char>(i / 240);
    where.write(std::to_string(i), text);
  }
  pool home(2);
  const outcome found = find_duplicates(home, {.paths = {where.root()}});
  EXPECT_EQ(test::groups_of(found), test::expected_groups(where.root()));
  EXPECT_LE(found.totals.bytes_read, 3 * found.totals.bytes);
}

TEST(DupsRandom, LargeFilesInParts) {
  const tree where;
  std::mt19937_64 random(3);
  std::string text = test::random_text(random, std::size_t{9} << 20U);
  where.write("a", text);
  where.write("b", text);
  text[text.size() / 2] ^= 1;
  where.write("c", text);
  where.write("d", text);
  text[text.size() / 3] ^= 1;
  where.write("alone", text);
  const test::path_groups expected = {{where.path("a"), where.path("b")}, {where.path("c"), where.path("d")}};
  pool home(2);
  search_options options{.paths = {where.root()}};
  EXPECT_EQ(test::groups_of(find_duplicates(home, options)), expected);
  options.compare = comparison::hash_only;
  options.part_bytes = std::size_t{1} << 20U;
  const outcome in_parts = find_duplicates(home, options);
  EXPECT_EQ(test::groups_of(in_parts), expected);
  pool alone(1);
  const outcome again = find_duplicates(alone, options);
  ASSERT_EQ(again.groups.size(), 2U);
  EXPECT_EQ(in_parts.groups[0].hash, again.groups[0].hash);  // whoever computed which part
  EXPECT_NE(again.groups[0].hash, again.groups[1].hash);
}

TEST(DupsRandom, ALargeFolderIsLookedAtInBatches) {
  const tree where;
  for (int i = 0; i < 3000; ++i)
    where.write("all/a rather long name, so that a listing is full early " + std::to_string(i), std::to_string(i / 2));
  where.write("all/inner/x", "0");
  pool home(2);
  const outcome found = find_duplicates(home, {.paths = {where.root()}});
  EXPECT_EQ(found.totals.files, 3001U);
  EXPECT_EQ(test::groups_of(found), test::expected_groups(where.root()));
}

TEST(DupsRandom, WhatWasFinishedBeforeAStopIsCorrect) {
  const tree where;
  test::grow_randomly(where, 21, 300);
  const auto expected = test::expected_groups(where.root());
  pool home(2);
  progress seen;
  std::stop_source stop;
  std::jthread presser([&] {
    while (seen.files_done < 10 && seen.stage != search_stage::finished) std::this_thread::yield();
    stop.request_stop();
  });
  // More than a second of work is left when the stop comes: even if the presser gets no processor for long, it is not too late.
  const outcome found = find_duplicates(home, {.paths = {where.root()}, .load_per_file = std::chrono::milliseconds(10)},
                                        seen, stop.get_token());
  presser.join();
  EXPECT_TRUE(found.interrupted);
  for (const auto& each : test::groups_of(found)) EXPECT_TRUE(expected.contains(each));

  std::stop_source before;
  before.request_stop();
  progress nothing;
  const outcome none = find_duplicates(home, {.paths = {where.root()}}, nothing, before.get_token());
  EXPECT_TRUE(none.interrupted);
  EXPECT_TRUE(none.groups.empty());
}

}  // namespace
}  // namespace pilfer::dups
