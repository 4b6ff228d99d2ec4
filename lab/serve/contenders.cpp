#include "lab/serve/contenders.hpp"

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
          .version = PILFER_LAB_HYPER_VERSION};
#else
  // cmake/PilferPeers.cmake was not included.
  static_cast<void>(workers);
  return {.name = hyper_name, .command = {}, .why_missing = "left out of a build with a sanitizer"};
#endif
}

}  // namespace pilfer::lab::serve
