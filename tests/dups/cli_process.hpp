// `pilfer dups` as a process: with something on its standard input, or at a terminal.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "tests/cli/run_tool.hpp"

namespace pilfer::test {

// Runs `pilfer dups` with these arguments in this folder; standard input is the text. Nothing is a terminal.
struct dups_run {
  std::string folder = ".";
  std::string input = {};
  std::map<std::string, std::string> environment = {};
  bool as_nobody = false;  // if we are root, whom no permission stops
};
[[nodiscard]] outcome run_dups(const std::vector<std::string>& arguments, const dups_run& how = {});

// The tool with a terminal of its own as standard input, output and error.
class terminal_session {
 public:
  terminal_session(const std::string& folder, const std::vector<std::string>& arguments);
  ~terminal_session();  // kills it, if it is still there
  terminal_session(const terminal_session&) = delete;
  terminal_session& operator=(const terminal_session&) = delete;

  // Until the output has this text; false: it ended before, or it took a minute.
  [[nodiscard]] bool wait_for(const std::string& text);
  void type(const std::string& text) const;
  // Reads the rest. Returns the code of exit, 128 + signal.
  [[nodiscard]] int finish();
  [[nodiscard]] const std::string& output() const noexcept { return output_; }

 private:
  [[nodiscard]] bool read_some(std::chrono::steady_clock::time_point until);

  pid_t child_ = -1;
  int terminal_ = -1;
  std::string output_;
};

// Writes a file, with folders where needed. Returns its path.
std::string put(const scratch_folder& in, const std::string& name, const std::string& content);

}  // namespace pilfer::test
