// Who is near whom: on fake trees of /sys, on machines that hwloc makes up, and here.
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/topology/groups.hpp"
#include "src/topology/sizing.hpp"

#include "fake_root.hpp"

namespace pilfer::topology {
namespace {

using test::fake_root;
using test::variable;

using places = std::vector<cpu_place>;

TEST(cpu_list, parses_ranges) {
  EXPECT_EQ(parse_cpu_list("0-2,8,10-11\n"), (std::vector<unsigned>{0, 1, 2, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("3,1,3"), (std::vector<unsigned>{1, 3}));
  EXPECT_EQ(parse_cpu_list("\n"), std::vector<unsigned>{});
  for (const char* text : {"a", "1-", "2-1", "-1", "1,,2", "0-99999999", "1 2"}) {
    EXPECT_FALSE(parse_cpu_list(text)) << text;
  }
}

struct sysfs : testing::Test {
  fake_root root;
  void cache(unsigned cpu, unsigned index, const char* level, const char* type, const char* sharers) const {
    const std::string folder =
        "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + "/";
    root.write(folder + "level", level);
    root.write(folder + "type", type);
    root.write(folder + "shared_cpu_list", sharers);
  }
  void node(unsigned number, const char* cpus) const {
    root.write("/sys/devices/system/node/node" + std::to_string(number) + "/cpulist", cpus);
  }
  void nodes(const char* online) const { root.write("/sys/devices/system/node/online", online); }
};

TEST_F(sysfs, reads_caches_and_nodes) {
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    cache(cpu, 0, "1\n", "Data\n", std::to_string(cpu).c_str());
    cache(cpu, 1, "4\n", "Instruction\n", "0-7\n");  // never counts
    cache(cpu, 2, "3\n", "Unified\n", cpu % 4 < 2 ? (cpu < 4 ? "0-1\n" : "4-5\n") : (cpu < 4 ? "2-3\n" : "6-7\n"));
    cache(cpu, 3, "2\n", "Unified\n", std::to_string(cpu).c_str());
  }
  nodes("0,2\n");
  node(0, "0-1,4-5\n");
  node(2, "2-3,6-7\n");
  const auto map = map_from_sysfs({0, 1, 2, 3, 4, 5, 6, 7}, root.path());
  ASSERT_TRUE(map);
  EXPECT_EQ(map->source, map_source::sysfs);
  EXPECT_EQ(map->cpus,
            (places{{0, 0, 0}, {1, 0, 0}, {4, 2, 0}, {5, 2, 0}, {2, 1, 1}, {3, 1, 1}, {6, 3, 1}, {7, 3, 1}}));

  const ext::machine_groups groups = map->groups(9);  // one more than CPUs: begins again
  EXPECT_EQ(groups.size(), 9U);
  EXPECT_EQ(groups.between(0, 1), ext::nearness::same_cache);
  EXPECT_EQ(groups.between(0, 2), ext::nearness::same_node);
  EXPECT_EQ(groups.between(0, 4), ext::nearness::far);
  EXPECT_EQ(groups.between(0, 8), ext::nearness::same_cache);
  EXPECT_EQ(map->place_of(10).cpu, 4U);
}

TEST_F(sysfs, only_the_cpus_that_were_asked_for) {
  for (const unsigned cpu : {0U, 5U}) cache(cpu, 0, "2\n", "Unified\n", cpu < 4 ? "0-3\n" : "4-7\n");
  const auto map = map_from_sysfs({5}, root.path());
  ASSERT_TRUE(map);
  EXPECT_EQ(map->cpus, (places{{5, 0, 0}}));
}

TEST_F(sysfs, nodes_without_caches_are_the_groups) {
  nodes("0-1\n");
  node(0, "0,2\n");
  node(1, "1,3\n");
  const auto map = map_from_sysfs({0, 1, 2, 3}, root.path());
  ASSERT_TRUE(map);
  EXPECT_EQ(map->cpus, (places{{0, 0, 0}, {2, 0, 0}, {1, 1, 1}, {3, 1, 1}}));
}

TEST_F(sysfs, malformed_files_are_passed_over) {
  cache(0, 0, "deep\n", "Unified\n", "0-1\n");
  cache(0, 1, "2\n", "Unified\n", "zero\n");
  cache(1, 0, "2\n", "Unified\n", "\n");
  nodes("0-1\n");
  node(0, "0-\xff\n");
  node(1, "1\n");
  const auto map = map_from_sysfs({0, 1}, root.path());
  ASSERT_TRUE(map);
  EXPECT_EQ(map->cpus, (places{{0, 0, 0}, {1, 1, 1}}));
}

TEST_F(sysfs, no_files_no_map) {
  EXPECT_FALSE(map_from_sysfs({0, 1}, root.path()));
  const machine_map one = map_of_one_group({3, 1});
  EXPECT_EQ(one.cpus, (places{{1, 0, 0}, {3, 0, 0}}));
  EXPECT_EQ(one.source, map_source::none);
  EXPECT_EQ(one.groups(4).between(0, 3), ext::nearness::same_cache);
}

TEST(hwloc, reads_another_machine) {
  if (!map_from_hwloc(allowed_cpus())) GTEST_SKIP() << "built without hwloc";
  const variable shape("HWLOC_SYNTHETIC", "node:2 l3:2 core:1 pu:2");
  const auto map = map_from_hwloc({0, 1, 2, 3, 4, 5, 6, 7});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->source, map_source::hwloc);
  EXPECT_EQ(map->cpus,
            (places{{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 1, 0}, {4, 2, 1}, {5, 2, 1}, {6, 3, 1}, {7, 3, 1}}));
  EXPECT_EQ(map_from_hwloc({7, 2})->cpus, (places{{2, 0, 0}, {7, 1, 1}}));
  EXPECT_FALSE(map_from_hwloc({8}));  // which it does not know
}

TEST(hwloc, a_machine_without_caches_is_grouped_by_node) {
  if (!map_from_hwloc(allowed_cpus())) GTEST_SKIP() << "built without hwloc";
  const variable shape("HWLOC_SYNTHETIC", "node:2 core:2 pu:1");
  const auto map = map_from_hwloc({0, 1, 2, 3});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->cpus, (places{{0, 0, 0}, {1, 0, 0}, {2, 1, 1}, {3, 1, 1}}));
}

TEST(machine, here_both_sources_agree) {
  const std::vector<unsigned> cpus = allowed_cpus();
  const machine_map best = find_machine(cpus);
  EXPECT_EQ(best.cpus.size(), cpus.size());
  EXPECT_EQ(find_groups(9).cache_group, best.groups(9).cache_group);
  EXPECT_EQ(find_groups(9).numa_node, best.groups(9).numa_node);
  const auto by_hwloc = map_from_hwloc(cpus);
  const auto by_sysfs = map_from_sysfs(cpus);
  EXPECT_EQ(best.source, by_hwloc ? map_source::hwloc : by_sysfs ? map_source::sysfs : map_source::none);
  if (!by_hwloc || !by_sysfs) GTEST_SKIP() << "only one source here";
  EXPECT_EQ(by_hwloc->cpus, by_sysfs->cpus);
}

}  // namespace
}  // namespace pilfer::topology
