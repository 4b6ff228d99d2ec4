#include "groups.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "files.hpp"
#include "sizing.hpp"

namespace pilfer::topology {

ext::machine_groups machine_map::groups(std::size_t workers) const {
  ext::machine_groups result;
  result.cache_group.reserve(workers);
  result.numa_node.reserve(workers);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    result.cache_group.push_back(place_of(worker).cache_group);
    result.numa_node.push_back(place_of(worker).numa_node);
  }
  return result;
}

ext::machine_groups find_groups(std::size_t workers) { return find_machine(allowed_cpus()).groups(workers); }

machine_map find_machine(const std::vector<unsigned>& cpus) {
  if (auto map = map_from_hwloc(cpus)) return *std::move(map);
  if (auto map = map_from_sysfs(cpus)) return *std::move(map);
  return map_of_one_group(cpus);
}

machine_map map_of_one_group(const std::vector<unsigned>& cpus) {
  std::vector<cpu_place> places;
  places.reserve(cpus.size());
  for (const unsigned cpu : cpus) places.push_back({.cpu = cpu});
  return make_map(std::move(places), map_source::none);
}

machine_map make_map(std::vector<cpu_place> cpus, map_source source) {
  std::ranges::sort(cpus, {}, &cpu_place::cpu);
  std::map<std::uint32_t, std::uint32_t> caches;
  std::map<std::uint32_t, std::uint32_t> nodes;
  for (cpu_place& place : cpus) {
    place.cache_group = caches.try_emplace(place.cache_group, static_cast<std::uint32_t>(caches.size())).first->second;
    place.numa_node = nodes.try_emplace(place.numa_node, static_cast<std::uint32_t>(nodes.size())).first->second;
  }
  std::ranges::sort(cpus, {},
                    [](const cpu_place& place) { return std::tuple(place.numa_node, place.cache_group, place.cpu); });
  return {.cpus = std::move(cpus), .source = source};
}

std::optional<std::vector<unsigned>> parse_cpu_list(std::string_view text) {
  constexpr unsigned most_cpus = 1U << 20;
  std::set<unsigned> cpus;
  for (std::string_view rest = trim(text); !rest.empty();) {
    std::string_view range = next_part(rest, ',');
    const bool single = range.find('-') == std::string_view::npos;
    const auto first = to_number<unsigned>(next_part(range, '-'));
    const auto last = single ? first : to_number<unsigned>(range);
    if (!first || !last || *first > *last || *last >= most_cpus) return std::nullopt;
    for (unsigned cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
  }
  return std::vector<unsigned>(cpus.begin(), cpus.end());
}

namespace {

// The CPUs that share the largest cache with `cpu`; nothing when its caches are unknown.
std::optional<std::vector<unsigned>> largest_cache(const std::string& cpu_folder) {
  std::optional<std::vector<unsigned>> sharers;
  unsigned highest = 0;
  for (unsigned index = 0;; ++index) {
    const std::string folder = cpu_folder + "/cache/index" + std::to_string(index) + "/";
    const auto level_text = read_file(folder + "level");
    if (!level_text) return sharers;
    const auto level = to_number<unsigned>(trim(*level_text));
    const auto type = read_file(folder + "type");
    const auto list = read_file(folder + "shared_cpu_list");
    if (!level || *level <= highest || !list || (type && trim(*type) == "Instruction")) continue;
    auto cpus = parse_cpu_list(*list);
    if (!cpus || cpus->empty()) continue;
    highest = *level;
    sharers = std::move(cpus);
  }
}

// CPU -> node, of the nodes that have CPUs.
std::map<unsigned, std::uint32_t> read_nodes(const std::string& root) {
  std::map<unsigned, std::uint32_t> node_of;
  const std::string folder = root + "/sys/devices/system/node/";
  const auto online = read_file(folder + "online");
  const auto nodes = online ? parse_cpu_list(*online) : std::nullopt;
  if (!nodes) return node_of;
  for (const unsigned node : *nodes) {
    const auto list = read_file(folder + "node" + std::to_string(node) + "/cpulist");
    const auto cpus = list ? parse_cpu_list(*list) : std::nullopt;
    if (!cpus) continue;
    for (const unsigned cpu : *cpus) node_of.emplace(cpu, node);
  }
  return node_of;
}

}  // namespace

std::optional<machine_map> map_from_sysfs(const std::vector<unsigned>& cpus, const std::string& root) {
  // Until make_map renumbers: a cache is called after its first CPU, a node's CPUs without caches after the node, from here.
  constexpr std::uint32_t named_after_node = 1U << 31;
  const std::map<unsigned, std::uint32_t> node_of = read_nodes(root);
  bool any_cache = false;
  std::vector<cpu_place> places;
  for (const unsigned cpu : cpus) {
    cpu_place place{.cpu = cpu};
    if (const auto node = node_of.find(cpu); node != node_of.end()) place.numa_node = node->second;
    const auto sharers = largest_cache(root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu));
    any_cache = any_cache || sharers.has_value();
    place.cache_group = sharers ? sharers->front() : named_after_node + place.numa_node;
    places.push_back(place);
  }
  if (!any_cache && node_of.empty()) return std::nullopt;
  return make_map(std::move(places), map_source::sysfs);
}

}  // namespace pilfer::topology
