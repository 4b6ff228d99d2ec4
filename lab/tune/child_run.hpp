// Runs a program to its end, once, and says what it has used.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/measure/usage.hpp"

namespace pilfer::lab::tune {

using environment = std::vector<std::pair<std::string, std::string>>;

struct run_conditions {
  // On top of this process's own; an empty value takes the variable away.
  environment variables{};  // NOLINT(readability-redundant-member-init): g++ warns without
  std::chrono::duration<double> limit = std::chrono::minutes(1);  // then it is killed, and all that it has started
  bool keeps_output = false;  // otherwise what it prints is dropped unread, which costs it nothing
};

enum class ending : unsigned char { exited, killed_by_signal, out_of_time };

struct child_run {
  ending how = ending::exited;
  int code = 0;        // of exit; or the signal
  double seconds = 0;  // on the clock, from its start to its end
  usage used;          // of it, and of those it has waited for
  // The kernel counts what this process had in memory when it started the other: the other may have used less.
  bool peak_is_a_bound = false;
  std::string complaints_end;  // the last lines of its standard error
  // With keeps_output: what it printed, as a fingerprint; and the last of it.
  std::uint64_t output_bytes = 0;
  std::uint64_t output_hash = 0;
  std::string output_end;

  [[nodiscard]] bool succeeded() const noexcept { return how == ending::exited && code == 0; }
  // "exit code 3", "signal 11 (Segmentation fault)", "it did not end within 60 s"
  [[nodiscard]] std::string describe_ending(std::chrono::duration<double> limit) const;
};

// The largest resident set of this program so far. Unlike usage_so_far().peak_kilobytes it knows nothing of the program that
// started it.
[[nodiscard]] std::int64_t peak_kilobytes_of_this_process();

// Starts it without a shell; the first argument is the program, looked for as a shell does. Its standard input is empty.
//   Throws  std::system_error if it cannot be started; `interrupted`, when it has been killed.
[[nodiscard]] child_run run_child(const std::vector<std::string>& command, const run_conditions& under);

}  // namespace pilfer::lab::tune
