#include "lab/measure/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string_view>

#include "lab/measure/affinity.hpp"
#include "lab/measure/build_info.hpp"

namespace pilfer::lab {
namespace {

constexpr const char* unknown = "unknown";

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return trimmed(line);
}

// The first "key : value" of /proc/cpuinfo; Arm has no "model name".
std::string cpuinfo(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && trimmed(std::string_view(line).substr(0, colon)) == key) {
      return trimmed(std::string_view(line).substr(colon + 1));
    }
  }
  return {};
}

std::string virtualization_hint() {
  if (std::string type = first_line("/sys/hypervisor/type"); !type.empty()) return type;
  const bool hypervisor = fmt::format(" {} ", cpuinfo("flags")).find(" hypervisor ") != std::string::npos;
  if (!hypervisor) return "none seen";
  const std::string vendor = first_line("/sys/class/dmi/id/sys_vendor");
  return vendor.empty() ? "virtual machine" : fmt::format("virtual machine ({})", vendor);
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return unknown;
#endif
}

std::string build_text() {
  const std::string text = trimmed(fmt::format("{} {}", build_info::build_type, build_info::flags));
  return text.empty() ? unknown : text;
}

}  // namespace

machine describe_machine() {
  machine m;
  m.cpu = cpuinfo("model name");
  if (m.cpu.empty()) m.cpu = unknown;
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  m.cores = online > 0 ? static_cast<unsigned>(online) : 1;
  m.cores_allowed = static_cast<unsigned>(allowed_processors().size());
  utsname name{};
  m.kernel = ::uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : unknown;
  m.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (m.governor.empty()) m.governor = unknown;
  m.virtualization = virtualization_hint();
  m.compiler = trimmed(compiler_name());
  m.build = build_text();
  m.commit = build_info::commit;
  m.pilfer = build_info::pilfer_version;
  m.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  if (double load = 0; ::getloadavg(&load, 1) == 1) m.load_average = load;
  return m;
}

std::string build_version() { return fmt::format("{} ({})", build_info::pilfer_version, build_info::commit); }

std::string machine_text(const machine& m) {
  std::string text = fmt::format("{}, {} cores ({} allowed), {}, {}, governor {}, load {:.1f}\n", m.cpu, m.cores,
                                 m.cores_allowed, m.kernel, m.virtualization, m.governor, m.load_average);
  text += fmt::format("pilfer {} ({}), {}, {}", m.pilfer, m.commit, m.compiler, m.build);
  for (const auto& [what, version] : m.versions) text += fmt::format(", {} {}", what, version);
  return text + "\n";
}

}  // namespace pilfer::lab
