// Every scheduler of the registry can be made and computes what serial code computes.
#include <gtest/gtest.h>

#include <set>

#include "lab/programs/workload.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::schedulers {
namespace {

TEST(schedulers, names_are_unique_and_described) {
  std::set<std::string> names;
  for (const entry& one : registry()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_FALSE(one.description.empty()) << one.name;
    EXPECT_EQ(one.why_unavailable.empty(), static_cast<bool>(one.make)) << one.name;
    EXPECT_EQ(find_scheduler(one.name), &one);
  }
  EXPECT_EQ(find_scheduler("no such"), nullptr);
  for (const char* name : {"serial",
                           "default",
                           "default-context",
                           "default-throwing",
                           "ws-global",
                           "ws-locked",
                           "ws-abp",
                           "ws-chase-lev",
                           "bwos-lifo",
                           "bwos-fifo",
                           "lcws-user",
                           "lcws-signal",
                           "lcws-conservative",
                           "lcws-half",
                           "lace",
                           "asymmetric",
                           "switched/ws-abp",
                           "onetbb",
                           "openmp",
                           "rayon"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(schedulers, every_one_runs_every_program) {
  for (const entry& one : registry()) {
    if (!one.make) continue;
    for (const std::size_t workers : {1U, 2U}) {
      const auto made = one.make(workers);
      for (const program what : programs::all_programs()) {
        if (!one.runs(what)) continue;
        EXPECT_NO_THROW(EXPECT_GT(made->seconds_of(programs::scaled(what, programs::scale::tiny)), 0))
            << one.name << ' ' << programs::name_of(what);
      }
    }
  }
}

TEST(schedulers, counted_configurations_count_forks_that_synchronize) {
  const workload what{program::fib, 16};
  const std::uint64_t forks = programs::forks_of(what);
  for (const counted_entry& one : counted_registry()) {
    const synchronization counted = one.count(what, 1);
    if (one.name == "ws-abp" || one.name == "ws-chase-lev") {
      EXPECT_GE(counted.fences, forks) << one.name;  // one for every pop
    } else {
      EXPECT_LT(counted.fences, forks / 10) << one.name;
    }
  }
}

TEST(schedulers, what_is_pushed_is_popped_or_stolen) {
  const workload what{program::fib, 18};
  for (const counted_entry& one : counted_registry()) {
    for (const std::size_t workers : {1U, 2U, 4U}) {
      const synchronization counted = one.count(what, workers);
      EXPECT_EQ(counted.pushes, programs::forks_of(what)) << one.name << ", " << workers << " workers";
      EXPECT_EQ(counted.pushes, counted.pops + counted.steals) << one.name << ", " << workers << " workers";
    }
  }
}

}  // namespace
}  // namespace pilfer::lab::schedulers
