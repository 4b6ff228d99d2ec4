// Runs a program once and says what it has used, down to the bytes that it read.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/measure/usage.hpp"

namespace pilfer::lab::dups {

struct observed_run {
  int exit_code = 0;  // 128 + signal if one ended it
  double seconds = 0;
  usage used;
  // As the kernel counts: what read() and its like returned, which a ring's reads are not part of; what came from a disk.
  std::optional<std::uint64_t> bytes_read;
  std::optional<std::uint64_t> bytes_from_disk;
};

struct run_place {
  std::string output;      // a file for its standard output
  std::string complaints;  // one for its standard error
  std::chrono::duration<double> limit = std::chrono::minutes(10);
};

// Starts it without interpreting its arguments; the first is the program, looked for as a shell does. On the processors that the
// calling thread may use. Its standard input is empty.
//   Throws  std::system_error if it cannot be observed; std::runtime_error if it does not end in time; `interrupted`.
[[nodiscard]] observed_run observe(const std::vector<std::string>& command, const run_place& where);

// A whole file as text; empty if there is none.
[[nodiscard]] std::string text_of(const std::string& path);

}  // namespace pilfer::lab::dups
