#include "lab/serve/contenders.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pilfer::lab::serve {

contestant own_server(std::size_t workers) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  // A test program that started itself would run its tests again, and again.
  if (error || self.filename() != own_name)
    return {.name = own_name, .command = {}, .why_missing = "this program is not the command-line tool"};
  return {.name = own_name, .command = {self.string(), "serve", "--port", "0", "--workers", std::to_string(workers)}};
}

contestant hyper_server(std::size_t workers) {
#if defined(PILFER_LAB_HYPER_PROGRAM)
  const std::string program = PILFER_LAB_HYPER_PROGRAM;
  if (program.empty()) return {.name = hyper_name, .command = {}, .why_missing = PILFER_LAB_HYPER_MISSING};
  return {.name = hyper_name,
          .command = {program, "127.0.0.1:0", std::to_string(workers)},
          .version = PILFER_LAB_HYPER_VERSION,
          .why_missing = {},
          .is_peer = true};
#else
  // cmake/PilferPeers.cmake was not included.
  static_cast<void>(workers);
  return {.name = hyper_name, .command = {}, .why_missing = "left out of a build with a sanitizer"};
#endif
}

std::optional<stolen_counts> parse_stolen(const std::string& last_words) {
  const auto number_behind = [&](const std::string& words) -> std::optional<std::uint64_t> {
    const std::size_t at = last_words.find(words);
    if (at == std::string::npos) return std::nullopt;
    const char* const digits = last_words.c_str() + at + words.size();
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(digits, &end, 10);
    return end == digits ? std::nullopt : std::optional(value);
  };
  const auto tasks = number_behind("tasks stolen: ");
  const auto continuations = number_behind("continuations of I/O stolen: ");
  if (!tasks || !continuations) return std::nullopt;
  return stolen_counts{*tasks, *continuations};
}

}  // namespace pilfer::lab::serve
