// How many workers this process may use.
//
//   PILFER_WORKERS   if it is set, it alone decides: a user may want more workers than cores, or fewer.
//   otherwise        the smaller of the affinity mask's CPUs (which is also where cpusets show) and the CPU quota of the
//                    process's cgroup and all its ancestors, v1 and v2, rounded up.
// At least 1 in any case. Files are read below `root`: empty for this machine, a fake tree in a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pilfer::topology {

inline constexpr std::size_t most_workers = 65536;  // more is a slip of the keyboard

enum class sizing_source : std::uint8_t { affinity, cgroup, environment };

// quota_us of every period_us may be used.
struct cpu_quota {
  std::uint64_t quota_us = 0;
  std::uint64_t period_us = 1;

  [[nodiscard]] double cpus() const noexcept { return static_cast<double>(quota_us) / static_cast<double>(period_us); }
  [[nodiscard]] std::size_t workers() const noexcept;
};
struct found_quota {
  cpu_quota quota;
  std::string file;  // with root
};

struct sizing {
  std::size_t workers = 1;
  sizing_source source = sizing_source::affinity;
  std::size_t affinity_cpus = 1;
  std::optional<found_quota> quota;  // the smallest one, whether it decided or not
};

// All of it, for this process. A PILFER_WORKERS that is no number of workers is ignored, and standard error says so once.
[[nodiscard]] sizing find_sizing(const std::string& root = {});

// --- Its parts.

// The rule alone. `told` is the value of PILFER_WORKERS; empty: not set, because a shell has no other way to clear a variable for one
// command.
[[nodiscard]] sizing decide(std::size_t affinity_cpus, std::optional<found_quota> quota, std::string_view told);

// Requires 1 .. most_workers, written as such; otherwise throws std::invalid_argument, which names the variable and its value.
[[nodiscard]] std::size_t parse_workers(std::string_view text);

// The CPUs that the calling thread may run on, in ascending order; never empty. More than 1024 are no problem.
[[nodiscard]] std::vector<unsigned> allowed_cpus();

// The smallest quota of the process's cgroups and their ancestors, as far up as they are mounted here. What is missing or
// malformed limits nothing.
[[nodiscard]] std::optional<found_quota> find_quota(const std::string& root = {});

// --- Parsing.

// cpu.max: "QUOTA PERIOD", "QUOTA", or "max ...", which is no quota.
[[nodiscard]] std::optional<cpu_quota> parse_cpu_max(std::string_view text);
// cpu.cfs_quota_us and cpu.cfs_period_us; a negative quota is none.
[[nodiscard]] std::optional<cpu_quota> parse_cfs(std::string_view quota, std::string_view period);

// Of /proc/self/cgroup: where the process is in the hierarchy that limits CPU time.
struct cgroup_paths {
  std::optional<std::string> v1;  // of the hierarchy with the controller `cpu`
  std::optional<std::string> v2;
};
[[nodiscard]] cgroup_paths parse_cgroup(std::string_view text);

// Of /proc/self/mountinfo: where those hierarchies are to be seen.
struct cgroup_mount {
  bool v2 = false;
  std::string root;   // the cgroup that is mounted there: in a container not always the topmost
  std::string point;  // where
};
[[nodiscard]] std::vector<cgroup_mount> parse_mountinfo(std::string_view text);

// The folder of cgroup `path` below the mount's point, empty or "/a/b". Nothing when it cannot be seen through this mount.
[[nodiscard]] std::optional<std::string> visible_part(const cgroup_mount& mount, std::string_view path);

}  // namespace pilfer::topology
