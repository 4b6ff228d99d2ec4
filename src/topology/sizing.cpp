#include "sizing.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include <sched.h>

#include "../sync/environment.hpp"
#include "files.hpp"

namespace pilfer::topology {

std::size_t cpu_quota::workers() const noexcept {
  const std::uint64_t whole = quota_us / period_us + (quota_us % period_us != 0 ? 1 : 0);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(whole, 1, most_workers));
}

sizing find_sizing(const std::string& root) {
  const std::string_view told = detail::environment::value_of(detail::environment::workers);
  const std::size_t cpus = allowed_cpus().size();
  std::optional<found_quota> quota = find_quota(root);
  try {
    return decide(cpus, quota, told);
  } catch (const std::invalid_argument& wrong) {
    static std::once_flag said;
    std::call_once(said, [&] { std::fprintf(stderr, "pilfer: %s; it is ignored\n", wrong.what()); });
    return decide(cpus, std::move(quota), {});
  }
}

sizing decide(std::size_t affinity_cpus, std::optional<found_quota> quota, std::string_view told) {
  sizing result;
  result.affinity_cpus = std::max<std::size_t>(affinity_cpus, 1);
  result.workers = result.affinity_cpus;
  result.quota = std::move(quota);
  if (result.quota && result.quota->quota.workers() < result.workers) {
    result.workers = result.quota->quota.workers();
    result.source = sizing_source::cgroup;
  }
  if (!told.empty()) {
    result.workers = parse_workers(told);
    result.source = sizing_source::environment;
  }
  return result;
}

std::size_t parse_workers(std::string_view text) {
  const auto number = to_number<std::size_t>(text);
  if (!number || *number == 0 || *number > most_workers) {
    throw std::invalid_argument(std::string(detail::environment::workers) + "='" + std::string(text) +
                                "', but it must be a whole number from 1 to " + std::to_string(most_workers));
  }
  return *number;
}

// --- Affinity.

namespace {

struct free_cpu_set {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};

// Empty when the kernel does not say.
std::vector<unsigned> affinity_mask() {
  constexpr std::size_t most_bits = std::size_t{1} << 20;
  // The kernel refuses a set that is smaller than its own, and does not tell how large that is.
  for (std::size_t bits = CPU_SETSIZE; bits <= most_bits; bits *= 2) {
    const std::unique_ptr<cpu_set_t, free_cpu_set> set(CPU_ALLOC(bits));
    if (!set) return {};
    const std::size_t bytes = CPU_ALLOC_SIZE(bits);
    CPU_ZERO_S(bytes, set.get());
    if (::sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno == EINVAL) continue;
      return {};
    }
    std::vector<unsigned> cpus;
    for (std::size_t cpu = 0; cpu < bits; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(static_cast<unsigned>(cpu));
    }
    return cpus;
  }
  return {};
}

}  // namespace

std::vector<unsigned> allowed_cpus() {
  const int saved = errno;
  std::vector<unsigned> cpus = affinity_mask();
  errno = saved;
  if (cpus.empty()) {
    const unsigned count = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned cpu = 0; cpu < count; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

// --- Quota.

std::optional<cpu_quota> parse_cpu_max(std::string_view text) {
  constexpr std::uint64_t default_period_us = 100'000;
  std::string_view rest = trim(text);
  const auto quota = to_number<std::uint64_t>(next_part(rest, ' '));
  const auto period = rest.empty() ? default_period_us : to_number<std::uint64_t>(trim(rest));
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return cpu_quota{.quota_us = *quota, .period_us = *period};
}

std::optional<cpu_quota> parse_cfs(std::string_view quota, std::string_view period) {
  const auto quota_us = to_number<std::int64_t>(trim(quota));
  const auto period_us = to_number<std::int64_t>(trim(period));
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return cpu_quota{.quota_us = static_cast<std::uint64_t>(*quota_us),
                   .period_us = static_cast<std::uint64_t>(*period_us)};
}

namespace {

bool has_part(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    if (next_part(list, ',') == wanted) return true;
  }
  return false;
}

// mountinfo writes blanks, tabs, line ends and backslashes as \ and three octal digits.
std::string decode_octal(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '\\' && text.size() - i > 3 && std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3) {
      result.push_back(static_cast<char>(code));
      i += 3;
    } else {
      result.push_back(text[i]);
    }
  }
  return result;
}

}  // namespace

// Lines are ID:CONTROLLERS:PATH, and 0::PATH is v2. A path may hold colons.
cgroup_paths parse_cgroup(std::string_view text) {
  cgroup_paths paths;
  while (!text.empty()) {
    std::string_view line = next_part(text, '\n');
    const std::string_view id = next_part(line, ':');
    const std::string_view controllers = next_part(line, ':');
    if (!line.starts_with('/')) continue;
    if (id == "0" && controllers.empty()) paths.v2 = line;
    if (has_part(controllers, "cpu")) paths.v1 = line;
  }
  return paths;
}

// Lines are: id parent device ROOT POINT options [tags...] - TYPE source SUPEROPTIONS.
std::vector<cgroup_mount> parse_mountinfo(std::string_view text) {
  std::vector<cgroup_mount> mounts;
  while (!text.empty()) {
    std::string_view line = next_part(text, '\n');
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view after = line.substr(dash + 3);
    const std::string_view type = next_part(after, ' ');
    static_cast<void>(next_part(after, ' '));
    const bool v2 = type == "cgroup2";
    if (!v2 && (type != "cgroup" || !has_part(after, "cpu"))) continue;
    for (int field = 0; field < 3; ++field) static_cast<void>(next_part(line, ' '));
    const std::string_view root = next_part(line, ' ');
    const std::string_view point = next_part(line, ' ');
    if (!root.starts_with('/') || !point.starts_with('/')) continue;
    mounts.push_back({.v2 = v2, .root = decode_octal(root), .point = decode_octal(point)});
  }
  return mounts;
}

std::optional<std::string> visible_part(const cgroup_mount& mount, std::string_view path) {
  // A process outside of its cgroup namespace's root is shown with "..", which no mount can follow.
  for (std::string_view rest = path; !rest.empty();) {
    if (next_part(rest, '/') == "..") return std::nullopt;
  }
  if (mount.root != "/") {
    if (!path.starts_with(mount.root)) return std::nullopt;
    path.remove_prefix(mount.root.size());
    if (!path.empty() && path.front() != '/') return std::nullopt;  // /ab is not below /a
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

namespace {

std::optional<found_quota> read_quota(const std::string& folder, bool v2) {
  const std::string file = folder + (v2 ? "/cpu.max" : "/cpu.cfs_quota_us");
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  std::optional<cpu_quota> quota;
  if (v2) {
    quota = parse_cpu_max(*text);
  } else if (const auto period = read_file(folder + "/cpu.cfs_period_us")) {
    quota = parse_cfs(*text, *period);
  }
  if (!quota) return std::nullopt;
  return found_quota{.quota = *quota, .file = file};
}

void keep_smaller(std::optional<found_quota>& smallest, std::optional<found_quota> other) {
  if (other && (!smallest || other->quota.cpus() < smallest->quota.cpus())) smallest = std::move(other);
}

// From the process's own cgroup up to the mount.
std::optional<found_quota> climb(const std::string& top, std::string folder, bool v2) {
  std::optional<found_quota> smallest;
  for (;;) {
    keep_smaller(smallest, read_quota(top + folder, v2));
    if (folder.empty()) return smallest;
    folder.erase(std::min(folder.rfind('/'), folder.size()));
  }
}

std::optional<found_quota> find_quota_of(const std::string& root, const std::vector<cgroup_mount>& mounts,
                                         const std::optional<std::string>& path, bool v2) {
  const cgroup_mount* fallback = nullptr;
  for (const cgroup_mount& mount : mounts) {
    if (!path || mount.v2 != v2) continue;
    if (fallback == nullptr) fallback = &mount;
    if (auto folder = visible_part(mount, *path)) return climb(root + mount.point, *std::move(folder), v2);
  }
  // The names of a container's inside and outside do not match. What is mounted at the point is then an ancestor of ours.
  return fallback == nullptr ? std::nullopt : climb(root + fallback->point, "", v2);
}

}  // namespace

std::optional<found_quota> find_quota(const std::string& root) {
  const auto cgroup = read_file(root + "/proc/self/cgroup");
  const auto mountinfo = read_file(root + "/proc/self/mountinfo");
  if (!cgroup || !mountinfo) return std::nullopt;
  const cgroup_paths paths = parse_cgroup(*cgroup);
  const std::vector<cgroup_mount> mounts = parse_mountinfo(*mountinfo);
  std::optional<found_quota> smallest = find_quota_of(root, mounts, paths.v1, false);
  keep_smaller(smallest, find_quota_of(root, mounts, paths.v2, true));
  return smallest;
}

}  // namespace pilfer::topology
