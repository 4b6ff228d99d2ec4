// The only file that knows hwloc.
#include <memory>
#include <utility>

#if defined(PILFER_HAS_HWLOC)
#include <hwloc.h>
#endif

#include "groups.hpp"

namespace pilfer::topology {

#if defined(PILFER_HAS_HWLOC)

namespace {

struct destroy_topology {
  void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
};
using topology_ptr = std::unique_ptr<hwloc_topology, destroy_topology>;

// Null when hwloc fails. Devices are left out: they take most of the time, and nobody asks for them.
topology_ptr load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  topology_ptr topology(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

// The farthest data cache on the way up to the machine; null when there is none.
const hwloc_obj* largest_cache(const hwloc_obj* unit) {
  const hwloc_obj* found = nullptr;
  for (const hwloc_obj* up = unit->parent; up != nullptr; up = up->parent) {
    if (hwloc_obj_type_is_dcache(up->type) != 0) found = up;
  }
  return found;
}

}  // namespace

std::optional<machine_map> map_from_hwloc(const std::vector<unsigned>& cpus) {
  constexpr std::uint32_t named_after_node = 1U << 31;  // as in map_from_sysfs
  const topology_ptr topology = load();
  if (!topology) return std::nullopt;
  std::vector<cpu_place> places;
  for (const unsigned cpu : cpus) {
    const hwloc_obj* const unit = hwloc_get_pu_obj_by_os_index(topology.get(), cpu);
    if (unit == nullptr) return std::nullopt;
    cpu_place place{.cpu = cpu};
    const int node = unit->nodeset == nullptr ? -1 : hwloc_bitmap_first(unit->nodeset);
    if (node > 0) place.numa_node = static_cast<std::uint32_t>(node);
    const hwloc_obj* const cache = largest_cache(unit);
    place.cache_group = cache != nullptr ? static_cast<std::uint32_t>(hwloc_bitmap_first(cache->cpuset))
                                         : named_after_node + place.numa_node;
    places.push_back(place);
  }
  return make_map(std::move(places), map_source::hwloc);
}

#else

std::optional<machine_map> map_from_hwloc(const std::vector<unsigned>& /*cpus*/) { return std::nullopt; }

#endif

}  // namespace pilfer::topology
