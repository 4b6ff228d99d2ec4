// The random tester of waits: nests of pools, groups, futures, coroutines, channels, regions and limits, acyclic by construction, in which
// every wait must return. plan.hpp has the plans and the reason; each runs in a process of its own.
//
//   PILFER_STRESS=720 waits_test          an hour of it
//   PILFER_SEED=…                         that plan only, again and again
//   PILFER_WITHOUT=own_pools,limits       plans without these ingredients
//   PILFER_ONLY=coroutines                plans without any other ingredients
//   PILFER_PATIENCE=3                     a hang is so many seconds without progress, instead of 10
//   PILFER_FAILURES=5                     ends after so many failures, instead of 1
//   PILFER_SHRINK=1                       looks for a smaller plan that fails, too, and prints what it does
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/environment.hpp"
#include "waits/plan.hpp"
#include "waits/run_plan.hpp"

namespace pilfer::test {
namespace {

constexpr unsigned share_of_stress = 100;  // of 50 ms: 5 s
constexpr std::size_t most_plans = 1'000'000;

[[nodiscard]] std::string text_from_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : "";
}
[[nodiscard]] unsigned number_from_environment(const char* name, unsigned otherwise) {
  const std::string text = text_from_environment(name);
  return text.empty() ? otherwise : static_cast<unsigned>(std::strtoul(text.c_str(), nullptr, 10));
}

void switch_ingredients(ingredients& use, std::string_view list, bool on) {
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    bool found = false;
    for (const ingredient_name& one : ingredient_names()) {
      if (name != one.name) continue;
      use.*one.which = on;
      found = true;
    }
    EXPECT_TRUE(found) << "no such ingredient: " << name;
  }
}
[[nodiscard]] ingredients chosen_ingredients() {
  ingredients use;
  if (const std::string only = text_from_environment("PILFER_ONLY"); !only.empty()) {
    for (const ingredient_name& one : ingredient_names()) use.*one.which = false;
    switch_ingredients(use, only, true);
  }
  switch_ingredients(use, text_from_environment("PILFER_WITHOUT"), false);
  return use;
}

enum class verdict : std::uint8_t { passed, wrong, ended_by_signal };

// In a process of its own: it has its own processors and threads, and one that hangs can be ended.
[[nodiscard]] verdict try_plan(const plan& all, unsigned patience_s, bool quiet) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (quiet) {
      const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      ::dup2(nothing, STDERR_FILENO);
      const rlimit no_core{};
      ::setrlimit(RLIMIT_CORE, &no_core);
    }
    const bool right = run_plan(all, patience_s);
    std::fflush(nullptr);
    std::_Exit(right ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) return verdict::ended_by_signal;
  return WEXITSTATUS(status) == EXIT_SUCCESS ? verdict::passed : verdict::wrong;
}

// --- A smaller plan that fails.

void collect(node& one, std::vector<node*>& all) {
  all.push_back(&one);
  for (node& child : one.below) collect(child, all);
}
[[nodiscard]] std::vector<node*> nodes_of(plan& all) {
  std::vector<node*> found;
  for (node& root : all.roots) collect(root, found);
  return found;
}
[[nodiscard]] bool has_earlier(plan& all) {
  for (const node* one : nodes_of(all)) {
    if (one->kind == node_kind::earlier) return true;
  }
  return false;
}

class shrinker {
 public:
  explicit shrinker(plan failing) : best_(std::move(failing)) {}

  plan shrink() {
    for (bool smaller = true; smaller;) {
      smaller = false;
      smaller |= drop_roots();
      smaller |= drop_nodes();
      smaller |= simplify();
    }
    return best_;
  }

 private:
  [[nodiscard]] bool still_fails(const plan& candidate) {
    constexpr int tries = 4;
    for (int i = 0; i < tries; ++i) {
      if (try_plan(candidate, 1, true) != verdict::passed) return true;
    }
    return false;
  }
  bool accept(plan candidate) {
    number_nodes(candidate);
    if (!still_fails(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }
  bool drop_roots() {
    bool any = false;
    for (std::size_t i = best_.roots.size(); best_.roots.size() > 1 && i-- > 0;) {
      plan candidate = best_;
      candidate.roots.erase(candidate.roots.begin() + static_cast<std::ptrdiff_t>(i));
      any |= accept(std::move(candidate));
    }
    return any;
  }
  // Tries f on a copy of each node; f returns false if it changes nothing.
  bool for_each_node(const std::function<bool(node&)>& f) {
    bool any = false;
    for (std::size_t i = 0;; ++i) {
      plan candidate = best_;
      const std::vector<node*> nodes = nodes_of(candidate);
      if (i >= nodes.size()) return any;
      if (f(*nodes[i])) any |= accept(std::move(candidate));
    }
  }
  bool drop_nodes() {
    bool any = for_each_node([](node& one) {
      if (one.below.empty()) return false;
      one.kind = is_coroutine(one.kind) ? node_kind::co_work : node_kind::work;
      one.below.clear();
      return true;
    });
    any |= for_each_node([](node& one) {
      if (one.kind != node_kind::earlier) return false;
      one.kind = node_kind::work;
      return true;
    });
    if (has_earlier(best_)) return any;  // they count their nodes above
    any |= for_each_node([](node& one) {
      if (one.below.size() != 1 || is_coroutine(one.kind) != is_coroutine(one.below.front().kind)) return false;
      node child = std::move(one.below.front());
      one = std::move(child);
      return true;
    });
    for (std::size_t which = 0; which < 8; ++which) {
      any |= for_each_node([which](node& one) {
        if (one.below.size() <= 1 || which >= one.below.size()) return false;
        one.below.erase(one.below.begin() + static_cast<std::ptrdiff_t>(which));
        return true;
      });
    }
    return any;
  }
  bool simplify() {
    bool any = false;
    for (std::size_t i = 0; i < best_.pools.size(); ++i) {
      plan candidate = best_;
      pool_options& one = candidate.pools[i];
      pool_options simple;
      simple.workers = one.workers;
      if (one.scheduler.empty() && one.levels == 1 && one.wait == simple.wait && one.callers_work) continue;
      one = simple;
      any |= accept(std::move(candidate));
    }
    if (best_.rounds > 1) {
      plan candidate = best_;
      candidate.rounds = 1;
      any |= accept(std::move(candidate));
    }
    if (best_.threads > 0) {
      plan candidate = best_;
      candidate.threads = 0;
      any |= accept(std::move(candidate));
    }
    any |= for_each_node([](node& one) {
      if (one.resize == 0) return false;
      one.resize = 0;
      return true;
    });
    any |= for_each_node([](node& one) {
      if (one.way == wait_way::plain) return false;
      one.way = wait_way::plain;
      return true;
    });
    return any;
  }

  plan best_;
};

// --- The tester itself.

[[nodiscard]] plan plan_of(node_kind kind) {
  plan all;
  all.pools.emplace_back();
  node leaf;
  node fault;
  fault.kind = kind;
  if (kind != node_kind::stuck) fault.below.push_back(leaf);
  node root;
  root.kind = node_kind::group;
  root.below = {leaf, fault, leaf};
  all.roots.push_back(root);
  return all;
}

TEST(random_nests, faults_are_found) {
  EXPECT_EQ(try_plan(plan_of(node_kind::fork), 10, false), verdict::passed);
  EXPECT_EQ(try_plan(plan_of(node_kind::stuck), 1, true), verdict::ended_by_signal);
  EXPECT_EQ(try_plan(plan_of(node_kind::twice), 10, true), verdict::wrong);
}

// The rules of plan.hpp, looked at in the finished trees.
class plan_checker {
 public:
  explicit plan_checker(const plan& all) : plan_(all) {}
  void check() {
    EXPECT_EQ(plan_.roots.front().id, 0U);
    for (const node& root : plan_.roots) visit(root);
  }

 private:
  [[nodiscard]] bool may_bury() const {
    if (plan_.threads > 0) return true;
    for (const pool_options& one : plan_.pools) {
      if (one.wait == waiting::any_work) return true;
    }
    return false;
  }
  void visit(const node& one) {
    if (one.kind == node_kind::earlier) {
      EXPECT_FALSE(may_bury());
      ASSERT_GE(one.up, 1U);
      ASSERT_LE(one.up, above_.size());
      // What is awaited has a whole subtree before the way to the waiter.
      const auto& [maker, child] = above_[above_.size() - one.up];
      if (maker->kind == node_kind::submit) {
        EXPECT_LT(one.index, child);
      } else {
        EXPECT_EQ(maker->kind, node_kind::stages);
        EXPECT_GE(child, maker->below.size() / 2);
      }
    }
    if (plan_.threads > 0) {
      EXPECT_TRUE(one.kind != node_kind::foreign && one.kind != node_kind::callers &&
                  one.kind != node_kind::co_schedule);
    }
    EXPECT_TRUE(one.kind != node_kind::stuck && one.kind != node_kind::twice);
    EXPECT_LT(one.home, static_cast<int>(plan_.pools.size()));
    for (std::size_t i = 0; i < one.below.size(); ++i) {
      const node& child = one.below[i];
      EXPECT_GT(child.id, one.id);
      const bool is_group = one.kind == node_kind::group;
      const bool takes_coroutines =
          one.kind == node_kind::sync || (is_coroutine(one.kind) && one.kind != node_kind::co_plain);
      EXPECT_TRUE(is_group || is_coroutine(child.kind) == takes_coroutines);
      above_.emplace_back(&one, i);
      visit(child);
      above_.pop_back();
    }
  }

  const plan& plan_;
  std::vector<std::pair<const node*, std::size_t>> above_;
};

TEST(random_nests, plans_are_acyclic_and_have_every_kind_of_node) {
  std::set<node_kind> kinds;
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    plan all = make_plan(seed, {});
    plan_checker(all).check();
    for (const node* one : nodes_of(all)) kinds.insert(one->kind);
  }
  constexpr std::size_t faults = 2;
  EXPECT_EQ(kinds.size() + faults, static_cast<std::size_t>(node_kind::co_plain) + 1);
}

TEST(random_nests, every_wait_returns) {
  const std::uint64_t first = base_seed();
  const bool one_plan = std::getenv("PILFER_SEED") != nullptr;
  const ingredients use = chosen_ingredients();
  const unsigned patience_s = number_from_environment("PILFER_PATIENCE", 10);
  const unsigned most_failures = number_from_environment("PILFER_FAILURES", 1);
  std::printf("first seed: PILFER_SEED=%llu\n", static_cast<unsigned long long>(first));

  unsigned failures = 0;
  std::size_t plans = 0;
  for (std::size_t round = 0; failures < most_failures && more_stress(round, most_plans, share_of_stress); ++round) {
    const std::uint64_t seed = one_plan ? first : first + round;
    const plan all = make_plan(seed, use);
    ++plans;
    const verdict found = try_plan(all, patience_s, false);
    if (found == verdict::passed) continue;
    ++failures;
    ADD_FAILURE() << describe(all)
                  << (found == verdict::wrong ? "a sum or a count is wrong" : "it was ended by a signal")
                  << "; to repeat: PILFER_SEED=" << seed;
    if (text_from_environment("PILFER_SHRINK").empty()) continue;
    const plan small = shrinker(all).shrink();
    std::fprintf(stderr, "--- the smallest plan that was found to fail:\n");
    for (int i = 0; i < 4 && try_plan(small, 1, false) == verdict::passed; ++i) {
    }
  }
  std::printf("%zu plans\n", plans);
}

}  // namespace
}  // namespace pilfer::test
