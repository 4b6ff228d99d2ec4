// On what a measurement was made. A figure without it means little.
#pragma once

#include <map>
#include <string>

namespace pilfer::lab {

struct machine {
  std::string cpu;                              // model name
  unsigned cores = 0;                           // processors online
  unsigned cores_allowed = 0;                   // of these, what this process may use
  std::string kernel;                           // system and release
  std::string governor;                         // of the processor's clock: "performance", or "unknown"
  std::string virtualization;                   // "none seen", or what hints at a virtual machine
  std::string compiler;                         // of this build
  std::string build;                            // build type and the flags that matter
  std::string commit;                           // when the build was configured, or "unknown"
  std::string pilfer;                           // version of the library
  std::map<std::string, std::string> versions;  // of what it is compared with: {"eigen": "3.4.0"}
  std::string date;                             // UTC, ISO 8601
  double load_average = 0;                      // of the last minute, when the measurement began
};

// Reads it from the system; what cannot be found out is "unknown".
[[nodiscard]] machine describe_machine();

// Version and commit of this build: "0.1.0 (1a2b3c4d5e6f)".
[[nodiscard]] std::string build_version();

// Two lines for the terminal.
[[nodiscard]] std::string machine_text(const machine& m);

}  // namespace pilfer::lab
