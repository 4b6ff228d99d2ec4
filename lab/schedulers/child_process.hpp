// A program that answers lines with lines.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace pilfer::lab::schedulers {

// What becomes of its standard error.
enum class complaints : unsigned char { shown, dropped };

class child_process {
 public:
  // Starts it; the first argument is the program, looked for as a shell does.
  //   Throws  std::system_error.
  explicit child_process(const std::vector<std::string>& arguments, complaints what_it_says = complaints::shown);
  // Closes its standard input, which should end it, and waits for that.
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  // Sends a line and waits for the answer, one line.
  //   Throws  std::runtime_error if the program ended.
  [[nodiscard]] std::string ask(std::string_view line);

  // The two halves of that: sends a line; waits for the next line, which it may also say without being asked.
  //   Throws  std::runtime_error if the program ended.
  void say(std::string_view line);
  [[nodiscard]] std::string read_line();

  // All that it writes until it ends or closes its standard output.
  [[nodiscard]] std::string read_to_end();

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace pilfer::lab::schedulers
