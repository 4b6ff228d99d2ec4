// Which workers are near each other. Plain data: a policy takes it as it is, whether it was read from this machine or
// made up by a test or a simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pilfer::ext {

enum class nearness : std::uint8_t {
  same_cache,  // share the largest cache there is
  same_node,   // share the memory of a NUMA node
  far,         // neither, or nothing is known
};
inline constexpr std::size_t nearness_count = 3;

// Element i is about worker i. Numbers only say what is equal; they need not be the kernel's.
struct machine_groups {
  std::vector<std::uint32_t> cache_group;
  std::vector<std::uint32_t> numa_node;

  [[nodiscard]] std::size_t size() const noexcept {
    return cache_group.size() < numa_node.size() ? cache_group.size() : numa_node.size();
  }
  // A worker that is not in the vectors is far from everybody: it may have joined later.
  [[nodiscard]] nearness between(std::size_t a, std::size_t b) const noexcept {
    if (a >= size() || b >= size()) return nearness::far;
    if (cache_group[a] == cache_group[b]) return nearness::same_cache;
    return numa_node[a] == numa_node[b] ? nearness::same_node : nearness::far;
  }
};

}  // namespace pilfer::ext
