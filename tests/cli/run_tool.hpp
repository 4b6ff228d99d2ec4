// Runs the command line tool as a shell would.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace pilfer::test {

struct outcome {
  int exit_code = -1;  // 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

struct conditions {
  std::string stdout_to{};  // a path instead of a pipe
  bool close_stdout = false;
  std::chrono::milliseconds interrupt_after{0};  // sends SIGINT then
};

// Waits for the end. PILFER_TOOL names the binary.
[[nodiscard]] outcome run_tool(const std::vector<std::string>& arguments, const conditions& under = {});

// Arguments that the tool refuses, and what it says to them.
struct mistake {
  std::vector<std::string> arguments;
  std::string message;
};

// A new, empty folder, removed at the end.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  std::filesystem::path path_;
};

// Arguments of the shortest run of a benchmark that still takes every path.
[[nodiscard]] inline std::vector<std::string> shortest_bench(const std::string& suite,
                                                             const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"bench", suite, "--tiny", "--repetitions", "2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// These options end it with 2, that message, and nothing printed.
void expect_bench_refuses(const std::string& suite, const std::vector<std::string>& options,
                          const std::string& message);

[[nodiscard]] std::string read_file(const std::string& path);

[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace pilfer::test
