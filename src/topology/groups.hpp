// The machine's cache groups and NUMA nodes, from hwloc where the library was built with it, otherwise from the kernel's
// files, otherwise unknown. Never fails: to know less means one group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pilfer/ext/machine_groups.hpp>

namespace pilfer::topology {

enum class map_source : std::uint8_t { hwloc, sysfs, none };

// One CPU. Groups and nodes are numbered from 0, without a gap, in the order of their first CPU.
struct cpu_place {
  unsigned cpu = 0;  // the kernel's number
  std::uint32_t cache_group = 0;
  std::uint32_t numa_node = 0;
  friend bool operator==(const cpu_place&, const cpu_place&) = default;
};

// The CPUs that were asked for, near ones side by side: ordered by node, then cache group, then number.
struct machine_map {
  std::vector<cpu_place> cpus;
  map_source source = map_source::none;

  // The CPU that worker i belongs to: near workers get near CPUs, and beyond the last CPU it starts again. Whether the
  // worker's thread is bound to it is the scheduler's business; if it is not, the groups are a good guess and no more.
  [[nodiscard]] const cpu_place& place_of(std::size_t worker) const { return cpus[worker % cpus.size()]; }
  [[nodiscard]] ext::machine_groups groups(std::size_t workers) const;
};

// What a pool of this many workers needs: those of the CPUs that this thread may run on.
[[nodiscard]] ext::machine_groups find_groups(std::size_t workers);

// `cpus` is what allowed_cpus() says; must not be empty. The best that there is of the three below.
[[nodiscard]] machine_map find_machine(const std::vector<unsigned>& cpus);

// Nothing when built without hwloc, or when it fails, or when it does not know all of these CPUs. hwloc itself obeys
// HWLOC_SYNTHETIC and HWLOC_XMLFILE: a way to try another machine's shape.
[[nodiscard]] std::optional<machine_map> map_from_hwloc(const std::vector<unsigned>& cpus);
// Below root: sys/devices/system/{cpu,node}. Nothing when there is neither. A CPU without caches belongs to the group of
// its node.
[[nodiscard]] std::optional<machine_map> map_from_sysfs(const std::vector<unsigned>& cpus,
                                                        const std::string& root = {});
[[nodiscard]] machine_map map_of_one_group(const std::vector<unsigned>& cpus);

// --- Parts, also for the hwloc side.

// Sorts and renumbers; what equal numbers say stays.
[[nodiscard]] machine_map make_map(std::vector<cpu_place> cpus, map_source source);
// "0-3,8,10-11" in ascending order; nothing when it is malformed or not of this world (a million CPUs).
[[nodiscard]] std::optional<std::vector<unsigned>> parse_cpu_list(std::string_view text);

}  // namespace pilfer::topology
