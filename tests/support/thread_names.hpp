// What the kernel calls the threads of this process.
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

#include <pthread.h>

namespace pilfer::test {

[[nodiscard]] inline std::string name_of_this_thread() {
  std::array<char, 16> name{};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  return name.data();
}

// Of those that are there for the whole call.
[[nodiscard]] inline std::set<std::string> names_of_all_threads() {
  std::set<std::string> all;
  std::error_code ended;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task", ended)) {
    std::string name;
    if (std::getline(std::ifstream(each.path() / "comm"), name)) all.insert(name);
  }
  return all;
}

}  // namespace pilfer::test
