#include "lab/queues/claims.hpp"

#include <gtest/gtest.h>

#include "claim_by_id.hpp"

namespace pilfer::lab::queues {
namespace {

// Every queue takes `ns` nanoseconds per operation.
alone_result alone_with(const std::vector<std::pair<std::string, double>>& queues) {
  alone_result result{.shape = large_geometry, .repetitions = 3, .entries = {}};
  for (const auto& [name, ns] : queues) {
    result.entries.push_back({.who = find_implementation(name), .ns = {ns, ns, ns}, .ratio = {}, .filled = 8192});
  }
  return result;
}

thieves_result stolen(const std::string& name, double achieved, double relative) {
  thieves_result result{
      .settings = {}, .shape = large_geometry, .oversubscribed = false, .pinned = true, .entries = {}};
  thieves_result::entry entry{.who = find_implementation(name), .share = 0.20};
  entry.relative = estimate{relative, relative, relative};
  entry.owner.pushed.count = 1000;
  entry.thieves.taken.count = static_cast<std::uint64_t>(achieved * 1000);
  result.entries.push_back(entry);
  return result;
}

TEST(claims, all_ids_are_there_even_when_nothing_was_measured) {
  std::vector<std::string> ids;
  for (const claim& c : queue_claims(nullptr, nullptr)) {
    ids.push_back(c.id);
    EXPECT_FALSE(c.measured) << c.id;
    EXPECT_FALSE(c.met()) << c.id;
    EXPECT_FALSE(c.note.empty()) << c.id;
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"lifo_alone", "fifo_alone", "lifo_vs_abp", "seq_vs_abp", "fifo_vs_eigen",
                                           "seq_vs_eigen", "lifo_stolen20", "fifo_stolen20", "split_alone",
                                           "split_signal_alone", "asymmetric_alone"}));
}

TEST(claims, ratios_are_of_throughputs) {
  const auto alone = alone_with({{"seq-stack", 0.6}, {"abp", 3.0}, {"bwos-lifo", 0.625}});
  const auto claims = queue_claims(&alone, nullptr);
  EXPECT_NEAR(by_id(claims, "lifo_alone").measured->value, 0.96, 1e-9);
  EXPECT_EQ(by_id(claims, "lifo_alone").met(), true);
  EXPECT_NEAR(by_id(claims, "lifo_vs_abp").measured->value, 4.8, 1e-9);
}

TEST(claims, a_goal_over_abp_follows_the_sequential_limit_of_the_same_run) {
  const auto alone = alone_with({{"seq-stack", 0.6}, {"abp", 3.0}, {"bwos-lifo", 0.64}});
  const auto claims = queue_claims(&alone, nullptr);
  EXPECT_NEAR(by_id(claims, "seq_vs_abp").measured->value, 5.0, 1e-9);
  EXPECT_FALSE(by_id(claims, "seq_vs_abp").goal);
  EXPECT_FALSE(by_id(claims, "seq_vs_abp").met());
  EXPECT_NEAR(*by_id(claims, "lifo_vs_abp").goal, 4.75, 1e-9);
  EXPECT_EQ(by_id(claims, "lifo_vs_abp").met(), false);
}

TEST(claims, a_queue_that_was_not_chosen_is_named) {
  const auto alone = alone_with({{"seq-stack", 0.6}, {"bwos-lifo", 0.64}});
  const auto claims = queue_claims(&alone, nullptr);
  EXPECT_NE(by_id(claims, "lifo_vs_abp").note.find("abp"), std::string::npos);
  EXPECT_FALSE(by_id(claims, "lifo_vs_abp").goal);
}

TEST(claims, with_20_percent_stolen_the_owner_is_compared_with_itself) {
  const auto thieves = stolen("bwos-lifo", 0.199, 0.985);
  const auto claims = queue_claims(nullptr, &thieves);
  EXPECT_NEAR(by_id(claims, "lifo_stolen20").measured->value, 0.985, 1e-9);
  EXPECT_EQ(by_id(claims, "lifo_stolen20").met(), true);
  EXPECT_FALSE(by_id(claims, "fifo_stolen20").measured);
}

TEST(claims, too_small_a_stolen_share_proves_nothing) {
  const auto thieves = stolen("bwos-lifo", 0.17, 0.999);
  const auto claims = queue_claims(nullptr, &thieves);
  EXPECT_FALSE(by_id(claims, "lifo_stolen20").measured);
  EXPECT_NE(by_id(claims, "lifo_stolen20").note.find("17.0 %"), std::string::npos);
}

TEST(claims, threads_that_share_a_processor_prove_nothing) {
  auto thieves = stolen("bwos-fifo", 0.2, 0.95);
  thieves.oversubscribed = true;
  EXPECT_FALSE(by_id(queue_claims(nullptr, &thieves), "fifo_stolen20").measured);
}

}  // namespace
}  // namespace pilfer::lab::queues
