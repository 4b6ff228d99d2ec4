// Victim policies without threads: who is chosen, how often, after what.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/ext/machine_groups.hpp>
#include <pilfer/ext/random.hpp>
#include <pilfer/ext/victim_policy.hpp>
#include <pilfer/victim/best_of_many.hpp>
#include <pilfer/victim/best_of_two.hpp>
#include <pilfer/victim/last.hpp>
#include <pilfer/victim/numa.hpp>
#include <pilfer/victim/probabilistic.hpp>
#include <pilfer/victim/rand.hpp>
#include <pilfer/victim/seq.hpp>

#include "src/runtime/any_policy.hpp"

namespace pilfer::victim {
namespace {

constexpr std::uint64_t seed = 20261116;

// Queues of given sizes; counts the looks.
struct fake_queues {
  std::vector<std::size_t> sizes;
  std::size_t capacity = 100;
  std::set<std::size_t> hinted;
  std::size_t hints = 0;
  std::vector<std::size_t> sampled{};

  std::size_t size_hint(std::size_t victim) {
    ++hints;
    hinted.insert(victim);
    return sizes.at(victim);
  }
  bool sample(std::size_t victim, std::uint64_t random) {
    sampled.push_back(victim);
    return random % capacity < sizes.at(victim);
  }
};
static_assert(ext::victim_view<fake_queues>);

template <class Policy>
std::vector<std::size_t> count_choices(Policy& policy, fake_queues& queues, std::size_t choices) {
  std::vector<std::size_t> counts(queues.sizes.size());
  for (std::size_t i = 0; i < choices; ++i) ++counts.at(policy.choose(queues));
  return counts;
}

// Within a tenth of what is expected: for the numbers used here, more than six standard deviations.
void expect_about(std::size_t count, double expected) {
  EXPECT_NEAR(static_cast<double>(count), expected, expected / 10);
}

// --- What all policies have in common.

TEST(victim_policy, every_class_is_one) {
  static_assert(ext::static_victim_policy<rand_victim> && ext::static_victim_policy<seq_victim>);
  static_assert(ext::static_victim_policy<last_victim> && ext::static_victim_policy<numa_victim>);
  static_assert(ext::static_victim_policy<best_of_two> && ext::static_victim_policy<best_of_many>);
  static_assert(ext::static_victim_policy<probabilistic<numa_victim>>);
  static_assert(ext::static_victim_policy<probabilistic<probabilistic<rand_victim>>>);
  static_assert(ext::victim_policy<any_policy> && !ext::static_victim_policy<any_policy>);
}

class every_policy : public testing::TestWithParam<std::string_view> {
 protected:
  const ext::machine_groups groups_{.cache_group = {0, 0, 1, 1, 2, 2, 3, 3}, .numa_node = {0, 0, 0, 0, 1, 1, 1, 1}};

  // Chooses with all kinds of feedback; returns who was chosen.
  static std::set<std::size_t> exercise(any_policy& policy, fake_queues& queues, int choices = 3000) {
    ext::random_source random(seed);
    std::set<std::size_t> chosen;
    for (int i = 0; i < choices; ++i) {
      const std::size_t victim = policy.choose(queues);
      chosen.insert(victim);
      if (victim == npos) continue;
      if (random.one_in(3)) policy.stole(victim);
      if (random.one_in(2)) policy.failed(victim);
    }
    return chosen;
  }
  static std::set<std::size_t> all_but(std::size_t self, std::size_t workers) {
    std::set<std::size_t> result;
    for (std::size_t i = 0; i < workers; ++i) {
      if (i != self) result.insert(i);
    }
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(victim, every_policy, testing::ValuesIn(policy_names().begin(), policy_names().end()),
                         [](const auto& test) {
                           std::string name(test.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(every_policy, chooses_every_other_worker_and_never_itself) {
  for (const ext::machine_groups* groups : {static_cast<const ext::machine_groups*>(nullptr), &groups_}) {
    for (std::size_t workers = 2; workers <= 10; ++workers) {  // some of which the groups do not know
      for (const std::size_t self : {std::size_t{0}, workers / 2, workers - 1}) {
        fake_queues queues{.sizes = std::vector<std::size_t>(workers, 50)};
        any_policy policy(GetParam(), {self, workers, seed, groups});
        EXPECT_EQ(exercise(policy, queues), all_but(self, workers)) << self << " of " << workers;
      }
    }
  }
}

TEST_P(every_policy, of_two_workers_robs_the_other) {
  fake_queues queues{.sizes = {0, 0}};
  any_policy first(GetParam(), {0, 2, seed, &groups_});
  any_policy second(GetParam(), {1, 2, seed, &groups_});
  EXPECT_EQ(exercise(first, queues), std::set<std::size_t>{1});
  EXPECT_EQ(exercise(second, queues), std::set<std::size_t>{0});
}

TEST_P(every_policy, alone_has_nobody_to_rob) {
  fake_queues queues{.sizes = {5}};
  any_policy policy(GetParam(), {0, 1, seed, &groups_});
  policy.failed(0);
  policy.stole(0);
  EXPECT_EQ(exercise(policy, queues), std::set<std::size_t>{npos});
  EXPECT_EQ(queues.hints + queues.sampled.size(), 0U);
}

TEST_P(every_policy, of_a_thief_that_is_no_worker_may_rob_all) {
  for (const std::size_t workers : {0U, 1U, 2U, 5U}) {
    fake_queues queues{.sizes = std::vector<std::size_t>(workers, 50)};
    any_policy policy(GetParam(), {npos, workers, seed, &groups_});
    EXPECT_EQ(exercise(policy, queues), workers == 0 ? std::set<std::size_t>{npos} : all_but(npos, workers));
  }
}

TEST_P(every_policy, follows_a_change_of_size) {
  fake_queues queues{.sizes = std::vector<std::size_t>(12, 50)};
  any_policy policy(GetParam(), {1, 8, seed, &groups_});
  for (const std::size_t workers : {8U, 3U, 12U, 2U, 1U, 4U, 8U}) {
    policy.resize(workers);
    EXPECT_EQ(exercise(policy, queues), workers == 1 ? all_but(npos, 1) : all_but(1, workers)) << workers;
  }
}

TEST_P(every_policy, ignores_loot_from_a_worker_that_has_left) {
  fake_queues queues{.sizes = std::vector<std::size_t>(3, 50)};
  any_policy policy(GetParam(), {0, 8, seed, &groups_});
  policy.stole(7);
  policy.resize(3);
  policy.stole(6);
  policy.failed(5);
  EXPECT_EQ(exercise(policy, queues), all_but(0, 3));
}

TEST_P(every_policy, repeats_with_its_seed) {
  fake_queues queues{.sizes = {1, 2, 3, 4, 5, 6, 7, 8}};
  any_policy a(GetParam(), {2, 8, seed, &groups_});
  any_policy b(GetParam(), {2, 8, seed, &groups_});
  for (int i = 0; i < 200; ++i) EXPECT_EQ(a.choose(queues), b.choose(queues));
}

TEST_P(every_policy, knows_its_name) { EXPECT_EQ(any_policy(GetParam(), {0, 2, seed, nullptr}).name(), GetParam()); }

// --- Each for itself.

TEST(rand_victim, gives_all_an_equal_chance) {
  rand_victim policy({.self = 3, .workers = 8, .seed = seed});
  fake_queues queues{.sizes = std::vector<std::size_t>(8)};
  const auto counts = count_choices(policy, queues, 70000);
  for (std::size_t i = 0; i < 8; ++i) expect_about(counts[i], i == 3 ? 0 : 10000);
}

TEST(rand_victim, thieves_with_one_seed_choose_differently) {
  rand_victim a({.self = 8, .workers = 8, .seed = seed});
  rand_victim b({.self = 9, .workers = 8, .seed = seed});
  std::size_t equal = 0;
  for (int i = 0; i < 80000; ++i) equal += a.choose(ext::blind_view{}) == b.choose(ext::blind_view{}) ? 1 : 0;
  expect_about(equal, 10000);
}

TEST(seq_victim, goes_round_whatever_comes_of_it) {
  seq_victim policy({.self = 2, .workers = 4});
  for (const std::size_t expected : {3U, 0U, 1U, 3U, 0U, 1U, 3U}) {
    const std::size_t victim = policy.choose(ext::blind_view{});
    EXPECT_EQ(victim, expected);
    expected % 2 == 0 ? policy.stole(victim) : policy.failed(victim);
  }
  policy.resize(6);  // goes on after 3
  for (const std::size_t expected : {4U, 5U, 0U, 1U, 3U, 4U, 5U}) EXPECT_EQ(policy.choose(ext::blind_view{}), expected);
  policy.resize(4);  // 5 has left
  for (const std::size_t expected : {0U, 1U, 3U, 0U}) EXPECT_EQ(policy.choose(ext::blind_view{}), expected);
}

TEST(last_victim, stays_with_who_gave_until_it_fails) {
  last_victim policy({.self = 0, .workers = 8, .seed = seed});
  fake_queues queues{.sizes = std::vector<std::size_t>(8)};
  policy.stole(5);
  EXPECT_EQ(count_choices(policy, queues, 100)[5], 100U);
  policy.failed(4);  // somebody else
  EXPECT_EQ(policy.choose(queues), 5U);
  policy.failed(5);
  const auto counts = count_choices(policy, queues, 70000);
  for (std::size_t i = 1; i < 8; ++i) expect_about(counts[i], 10000);
}

TEST(last_victim, forgets_who_has_left) {
  last_victim policy({.self = 0, .workers = 8, .seed = seed});
  policy.stole(5);
  policy.resize(6);
  EXPECT_EQ(policy.choose(ext::blind_view{}), 5U);
  policy.resize(5);
  for (int i = 0; i < 100; ++i) EXPECT_LT(policy.choose(ext::blind_view{}), 5U);
}

TEST(best_of_two, takes_the_larger_of_two_different_ones) {
  best_of_two policy({.self = 0, .workers = 5, .seed = seed});
  fake_queues queues{.sizes = {99, 10, 20, 30, 40}};
  const auto counts = count_choices(policy, queues, 60000);
  // Of the six pairs, 4 wins three, 3 two, 2 one, and 1 none.
  EXPECT_EQ(counts[0] + counts[1], 0U);
  expect_about(counts[2], 10000);
  expect_about(counts[3], 20000);
  expect_about(counts[4], 30000);
  EXPECT_EQ(queues.hints, 120000U);
  EXPECT_FALSE(queues.hinted.contains(0));
}

TEST(best_of_two, is_fair_between_equals) {
  best_of_two policy({.self = 4, .workers = 5, .seed = seed});
  fake_queues queues{.sizes = {7, 7, 7, 7, 7}};
  const auto counts = count_choices(policy, queues, 40000);
  for (std::size_t i = 0; i < 4; ++i) expect_about(counts[i], 10000);
}

TEST(best_of_two, asks_nobody_when_there_is_no_choice) {
  best_of_two policy({.self = 0, .workers = 2, .seed = seed});
  fake_queues queues{.sizes = {0, 9}};
  EXPECT_EQ(policy.choose(queues), 1U);
  EXPECT_EQ(queues.hints, 0U);
}

TEST(best_of_many, takes_the_largest_of_half) {
  best_of_many policy({.self = 7, .workers = 8, .seed = seed});
  EXPECT_EQ(policy.looks(), 4U);  // 001: best of four, of eight queues
  fake_queues queues{.sizes = {1, 2, 3, 4, 5, 6, 7, 99}};
  const auto counts = count_choices(policy, queues, 35000);
  // Of the 35 sets of four out of seven, the largest is worker w in C(w, 3).
  EXPECT_EQ(counts[0] + counts[1] + counts[2] + counts[7], 0U);
  EXPECT_NEAR(static_cast<double>(counts[3]), 1000, 200);
  expect_about(counts[4], 4000);
  expect_about(counts[5], 10000);
  expect_about(counts[6], 20000);
  EXPECT_EQ(queues.hints, 4U * 35000);
}

TEST(best_of_many, looks_at_different_ones_and_at_a_bounded_number) {
  best_of_many policy({.self = 0, .workers = 100, .seed = seed});
  fake_queues queues{.sizes = std::vector<std::size_t>(200)};
  for (const std::size_t workers : {100U, 200U, 9U, 3U, 2U}) {
    policy.resize(workers);
    queues.hinted.clear();
    static_cast<void>(policy.choose(queues));
    const std::size_t half = (workers + 1) / 2;
    EXPECT_EQ(queues.hinted.size(), std::min(half, best_of_many::most_looks)) << workers;
  }
}

class numa : public testing::Test {
 protected:
  // Thief 0: one neighbour in its cache group, two more on its node, four far away.
  const ext::machine_groups groups_{.cache_group = {0, 0, 1, 1, 2, 2, 3, 3}, .numa_node = {0, 0, 0, 0, 1, 1, 1, 1}};
  numa_victim policy_{victim_setup{.self = 0, .workers = 8, .seed = seed, .groups = &groups_}};
  fake_queues queues_{.sizes = std::vector<std::size_t>(8)};

  // With one choice in eight made anywhere, seven in eight go to the ring.
  void expect_at(const std::set<std::size_t>& ring) {
    const double anywhere = 56000.0 / 8 / 7;
    const auto counts = count_choices(policy_, queues_, 56000);
    for (std::size_t i = 1; i < 8; ++i) {
      expect_about(counts[i], anywhere + (ring.contains(i) ? 49000.0 / static_cast<double>(ring.size()) : 0));
    }
    EXPECT_EQ(counts[0], 0U);
  }
};

TEST_F(numa, prefers_the_cache_group_and_starves_nobody) { expect_at({1}); }

TEST_F(numa, goes_farther_with_every_failure_and_comes_back_with_loot) {
  policy_.failed(1);
  expect_at({2, 3});
  policy_.failed(2);
  expect_at({2, 3});  // the ring has two
  policy_.failed(3);
  expect_at({4, 5, 6, 7});
  for (int i = 0; i < 4; ++i) policy_.failed(6);
  expect_at({1});  // round again
  policy_.failed(1);
  policy_.stole(5);
  expect_at({1});
}

TEST_F(numa, skips_rings_without_workers) {
  policy_.resize(2);  // only the neighbour is left
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(policy_.choose(queues_), 1U);
    policy_.failed(1);
  }
  policy_.resize(8);
  expect_at({1});
  const ext::machine_groups lonely{.cache_group = {0, 1, 2, 3, 4, 5, 6, 7}, .numa_node = {0, 1, 1, 1, 0, 1, 1, 1}};
  policy_ = numa_victim({.self = 0, .workers = 8, .seed = seed, .groups = &lonely});
  expect_at({4});
  policy_.failed(4);
  expect_at({1, 2, 3, 5, 6, 7});
}

TEST_F(numa, without_groups_gives_all_an_equal_chance) {
  policy_ = numa_victim({.self = 0, .workers = 8, .seed = seed});
  expect_at({1, 2, 3, 4, 5, 6, 7});
}

TEST(machine_groups, tell_how_near_two_workers_are) {
  const ext::machine_groups groups{.cache_group = {0, 0, 1, 2}, .numa_node = {0, 0, 0, 1}};
  EXPECT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups.between(0, 1), ext::nearness::same_cache);
  EXPECT_EQ(groups.between(1, 2), ext::nearness::same_node);
  EXPECT_EQ(groups.between(3, 0), ext::nearness::far);
  EXPECT_EQ(groups.between(0, 4), ext::nearness::far);
  EXPECT_EQ(groups.between(npos, npos), ext::nearness::far);
}

TEST(probabilistic, chooses_in_proportion_to_size) {
  probabilistic<rand_victim> policy({.self = 0, .workers = 4, .seed = seed});
  fake_queues queues{.sizes = {100, 20, 40, 60}};
  const auto counts = count_choices(policy, queues, 60000);
  // The bound on tries lets a few through unprobed, 0.6^8 of them: 200 for each.
  expect_about(counts[1], 10000);
  expect_about(counts[2], 20000);
  expect_about(counts[3], 30000);
  EXPECT_EQ(counts[0], 0U);
  EXPECT_EQ(queues.hints, 0U);  // a probe is all it takes
}

TEST(probabilistic, accepts_a_full_queue_at_once_and_passes_over_an_empty_one) {
  probabilistic<seq_victim> policy({.self = 0, .workers = 4, .seed = seed});
  fake_queues queues{.sizes = {0, 0, 100, 0}};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(policy.choose(queues), 2U);
  EXPECT_EQ(queues.sampled.size(), 2U + 9U * 3U);
}

TEST(probabilistic, gives_up_after_a_bounded_number_of_tries_and_names_a_victim) {
  probabilistic<seq_victim> policy({.self = 0, .workers = 4, .seed = seed});
  fake_queues queues{.sizes = {0, 0, 0, 0}};
  const std::size_t victim = policy.choose(queues);
  ASSERT_FALSE(queues.sampled.empty());
  EXPECT_EQ(victim, queues.sampled.back());
  EXPECT_EQ(queues.sampled.size(), probabilistic<seq_victim>::most_tries);
}

TEST(probabilistic, passes_on_what_came_of_it) {
  probabilistic<last_victim> policy({.self = 0, .workers = 8, .seed = seed});
  fake_queues queues{.sizes = std::vector<std::size_t>(8, 100)};
  policy.stole(5);
  EXPECT_EQ(count_choices(policy, queues, 100)[5], 100U);
  policy.failed(5);
  EXPECT_LT(count_choices(policy, queues, 100)[5], 50U);
}

// --- By name.

TEST(any_policy, lists_its_names) {
  const std::vector<std::string> expected{"rand", "seq", "last", "best_of_two", "best_of_many", "numa"};
  std::vector<std::string> names(policy_names().begin(), policy_names().end());
  ASSERT_EQ(names.size(), 2 * expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(names[i], expected[i]);
    EXPECT_EQ(names[expected.size() + i], "probabilistic-" + expected[i]);
  }
}

TEST(any_policy, rejects_an_unknown_name_and_lists_the_known_ones) {
  for (const std::string name : {"", "random", "probabilistic-", "probabilistic-probabilistic-rand", "Rand", "rand "}) {
    try {
      static_cast<void>(any_policy(name, {0, 2, seed, nullptr}));
      ADD_FAILURE() << name;
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("'" + name + "'"), std::string::npos) << text;
      for (const std::string_view known : policy_names()) EXPECT_NE(text.find(known), std::string::npos) << text;
    }
  }
}

TEST(any_policy, chooses_what_the_class_itself_would) {
  best_of_many direct({.self = 1, .workers = 8, .seed = seed});
  any_policy named("best_of_many", {.self = 1, .workers = 8, .seed = seed});
  fake_queues queues{.sizes = {8, 7, 6, 5, 4, 3, 2, 1}};
  for (int i = 0; i < 200; ++i) EXPECT_EQ(direct.choose(queues), named.choose(queues));
}

}  // namespace
}  // namespace pilfer::victim
