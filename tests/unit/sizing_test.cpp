// How many workers: the rule, the parsers, fake trees of /proc and /sys, and this process's own mask.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sched.h>

#include <gtest/gtest.h>

#include "src/sync/environment.hpp"
#include "src/topology/sizing.hpp"

#include "fake_root.hpp"

namespace pilfer::topology {
namespace {

using test::fake_root;
using test::variable;

constexpr std::string_view v2_mount =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr std::string_view v1_mounts =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";

// --- The rule.

TEST(sizing, the_smaller_of_affinity_and_quota_decides) {
  const found_quota two{.quota = {.quota_us = 150'000, .period_us = 100'000}, .file = "/here/cpu.max"};
  EXPECT_EQ(decide(8, std::nullopt, {}).workers, 8U);
  EXPECT_EQ(decide(8, std::nullopt, {}).source, sizing_source::affinity);
  EXPECT_EQ(decide(8, two, {}).workers, 2U);
  EXPECT_EQ(decide(8, two, {}).source, sizing_source::cgroup);
  EXPECT_EQ(decide(2, two, {}).source, sizing_source::affinity);
  EXPECT_EQ(decide(1, two, {}).workers, 1U);
  EXPECT_EQ(decide(0, std::nullopt, {}).workers, 1U);
}

TEST(sizing, the_variable_overrides_both) {
  const found_quota two{.quota = {.quota_us = 2, .period_us = 1}, .file = "f"};
  for (const char* text : {"1", "5", "64", "65536", "007"}) {
    const sizing result = decide(4, two, text);
    EXPECT_EQ(result.workers, std::stoul(text));
    EXPECT_EQ(result.source, sizing_source::environment);
    EXPECT_EQ(result.affinity_cpus, 4U);
    EXPECT_TRUE(result.quota);
  }
  EXPECT_EQ(decide(4, two, "").source, sizing_source::cgroup);  // as good as not set
}

TEST(sizing, a_bad_variable_is_refused_with_its_name_and_value) {
  for (const std::string text : {"0", "-1", "+2", "two", "2 ", " 2", "1.5", "0x10", "65537", "99999999999999999999"}) {
    try {
      static_cast<void>(decide(4, std::nullopt, text.c_str()));
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("PILFER_WORKERS='" + text + "'"), std::string::npos) << error.what();
    }
  }
}

// --- Parsing.

TEST(quota, cpu_max) {
  const auto two = parse_cpu_max("200000 100000\n");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->workers(), 2U);
  EXPECT_EQ(parse_cpu_max("50000")->cpus(), 0.5);
  for (const char* text : {"", "\n", "max 100000\n", "max", "100000 0", "0 100000", "-1 100000", "x 100000", "100000 x",
                           "100000 100000 3", "99999999999999999999 100000"}) {
    EXPECT_FALSE(parse_cpu_max(text)) << text;
  }
}

TEST(quota, cfs) {
  EXPECT_EQ(parse_cfs("250000\n", "100000\n")->workers(), 3U);
  for (const char* text : {"-1", "0", "", "x", "1 2"}) {
    EXPECT_FALSE(parse_cfs(text, "100000")) << text;
    EXPECT_FALSE(parse_cfs("100000", text)) << text;
  }
}

TEST(quota, is_rounded_up_and_never_below_one) {
  const auto workers = [](std::uint64_t us) { return cpu_quota{.quota_us = us, .period_us = 100'000}.workers(); };
  EXPECT_EQ(workers(1), 1U);
  EXPECT_EQ(workers(10'000), 1U);
  EXPECT_EQ(workers(100'000), 1U);
  EXPECT_EQ(workers(100'001), 2U);
  EXPECT_EQ(workers(~std::uint64_t{0}), most_workers);
}

TEST(quota, cgroup_file) {
  const auto paths = parse_cgroup("12:cpuset:/a\n4:cpu,cpuacct:/b:c d\n1:name=systemd:/e\n0::/f\n");
  EXPECT_EQ(paths.v1, "/b:c d");
  EXPECT_EQ(paths.v2, "/f");
  const auto nothing = parse_cgroup("garbage\n3:cpu\n\n:::\n0::relative\n5:cpuset:/x");
  EXPECT_FALSE(nothing.v1 || nothing.v2);
}

TEST(quota, mountinfo_file) {
  const auto mounts = parse_mountinfo(std::string(v1_mounts) + "garbage\n - cgroup2\n" +
                                      "40 31 0:38 /in\\040side /sys/fs/c\\134g\\9 rw a:1 b:2 - cgroup2 none rw");
  ASSERT_EQ(mounts.size(), 2U);
  EXPECT_FALSE(mounts[0].v2);
  EXPECT_EQ(mounts[0].point, "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_TRUE(mounts[1].v2);
  EXPECT_EQ(mounts[1].root, "/in side");
  EXPECT_EQ(mounts[1].point, "/sys/fs/c\\g\\9");
}

TEST(quota, visible_part_of_a_path) {
  const cgroup_mount whole{.v2 = true, .root = "/", .point = "/m"};
  const cgroup_mount part{.v2 = true, .root = "/a/b", .point = "/m"};
  EXPECT_EQ(visible_part(whole, "/"), "");
  EXPECT_EQ(visible_part(whole, "/a/b"), "/a/b");
  EXPECT_EQ(visible_part(part, "/a/b"), "");
  EXPECT_EQ(visible_part(part, "/a/b/c"), "/c");
  EXPECT_EQ(visible_part(part, "/a/bc"), std::nullopt);
  EXPECT_EQ(visible_part(part, "/a"), std::nullopt);
  EXPECT_EQ(visible_part(whole, "/../x"), std::nullopt);
}

// --- Fake trees.

struct quota_in_tree : testing::Test {
  fake_root root;
  [[nodiscard]] std::optional<found_quota> find() const { return find_quota(root.path()); }
  // What was found, as file and workers; the file without the root.
  void expect(const std::string& file, std::size_t workers) const {
    const auto found = find();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->file, root.path() + file);
    EXPECT_EQ(found->quota.workers(), workers);
  }
  void v2(std::string_view path) const {
    root.write("/proc/self/cgroup", "0::" + std::string(path) + "\n");
    root.write("/proc/self/mountinfo", v2_mount);
  }
  void v1(std::string_view path) const {
    root.write("/proc/self/cgroup", "3:cpu,cpuacct:" + std::string(path) + "\n2:cpuset:/other\n");
    root.write("/proc/self/mountinfo", v1_mounts);
  }
  void cfs(const std::string& folder, std::string_view quota, std::string_view period) const {
    root.write("/sys/fs/cgroup/cpu,cpuacct" + folder + "/cpu.cfs_quota_us", quota);
    root.write("/sys/fs/cgroup/cpu,cpuacct" + folder + "/cpu.cfs_period_us", period);
  }
};

TEST_F(quota_in_tree, no_files_no_quota) {
  EXPECT_FALSE(find());
  root.write("/proc/self/cgroup", "0::/a\n");
  EXPECT_FALSE(find());
  v2("/a");
  EXPECT_FALSE(find());
}

TEST_F(quota_in_tree, v2) {
  v2("/a/b");
  root.write("/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
  expect("/sys/fs/cgroup/a/b/cpu.max", 3);
}

TEST_F(quota_in_tree, v2_the_smallest_of_all_ancestors) {
  v2("/a/b/c");
  root.write("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  root.write("/sys/fs/cgroup/a/b/cpu.max", "800000 100000\n");
  root.write("/sys/fs/cgroup/a/cpu.max", "30000 20000\n");
  expect("/sys/fs/cgroup/a/cpu.max", 2);
  root.write("/sys/fs/cgroup/a/b/c/cpu.max", "10000 100000\n");  // a tenth of a CPU
  expect("/sys/fs/cgroup/a/b/c/cpu.max", 1);
}

TEST_F(quota_in_tree, v2_max_everywhere_is_no_quota) {
  v2("/a/b");
  root.write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  root.write("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_FALSE(find());
}

TEST_F(quota_in_tree, v2_malformed_files_are_passed_over) {
  v2("/a/b/c");
  root.write("/sys/fs/cgroup/a/b/c/cpu.max", "lots\n");
  root.make_folder("/sys/fs/cgroup/a/b/cpu.max");  // opens, but cannot be read
  root.write("/sys/fs/cgroup/a/cpu.max", "400000 100000\n");
  expect("/sys/fs/cgroup/a/cpu.max", 4);
}

TEST_F(quota_in_tree, v2_in_a_container_with_its_own_namespace) {
  v2("/");
  root.write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  expect("/sys/fs/cgroup/cpu.max", 2);
}

TEST_F(quota_in_tree, v2_names_of_another_namespace_leave_the_mount_itself) {
  v2("/../elsewhere");
  root.write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  expect("/sys/fs/cgroup/cpu.max", 2);
}

TEST_F(quota_in_tree, v1_with_a_smaller_parent) {
  v1("/a/b");
  cfs("/a/b", "-1\n", "100000\n");
  cfs("/a", "120000\n", "50000\n");
  cfs("", "-1\n", "100000\n");
  expect("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", 3);
  cfs("/a/b", "5000\n", "50000\n");
  expect("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", 1);
}

TEST_F(quota_in_tree, v1_in_a_container_that_sees_only_its_own_cgroup) {
  root.write("/proc/self/cgroup", "3:cpu,cpuacct:/docker/0123\n");
  root.write("/proc/self/mountinfo",
             "32 31 0:29 /docker/0123 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
  cfs("", "200000\n", "100000\n");
  expect("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", 2);
}

TEST_F(quota_in_tree, v1_without_a_period_is_no_quota) {
  v1("/a");
  root.write("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "100000\n");
  EXPECT_FALSE(find());
}

TEST_F(quota_in_tree, both_versions_the_smaller_decides) {
  root.write("/proc/self/cgroup", "3:cpu,cpuacct:/a\n0::/b\n");
  root.write("/proc/self/mountinfo",
             std::string(v1_mounts) + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 c rw\n");
  cfs("/a", "300000\n", "100000\n");
  expect("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", 3);
  root.write("/sys/fs/cgroup/unified/b/cpu.max", "200000 100000\n");
  expect("/sys/fs/cgroup/unified/b/cpu.max", 2);
}

TEST_F(quota_in_tree, decides_the_number_of_workers) {
  v2("/a");
  root.write("/sys/fs/cgroup/a/cpu.max", "10000 100000\n");
  const variable unset(detail::environment::workers, nullptr);
  const sizing small = find_sizing(root.path());
  EXPECT_EQ(small.workers, 1U);
  EXPECT_EQ(small.source, small.affinity_cpus > 1 ? sizing_source::cgroup : sizing_source::affinity);
  const variable seven(detail::environment::workers, "7");
  EXPECT_EQ(find_sizing(root.path()).workers, 7U);
  const variable bad(detail::environment::workers, "many");
  EXPECT_EQ(find_sizing(root.path()).workers, 1U) << "it is ignored";
}

// --- Affinity.

TEST(affinity, follows_the_mask) {
  const std::vector<unsigned> before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  // A thread of its own: its mask ends with it.
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(before.back(), &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0) GTEST_SKIP() << "may not set the affinity";
    EXPECT_EQ(allowed_cpus(), std::vector<unsigned>{before.back()});
    const variable unset(detail::environment::workers, nullptr);
    const fake_root empty;
    EXPECT_EQ(find_sizing(empty.path()).workers, 1U);
    EXPECT_EQ(find_sizing(empty.path()).source, sizing_source::affinity);
  }).join();
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace pilfer::topology
