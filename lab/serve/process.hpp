// A program that runs beside us: it is sent signals, and its processor time is looked at while it runs.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <string>
#include <vector>

namespace pilfer::lab::serve {

class process {
 public:
  // Its standard error is dropped; its standard input ends with this object.
  //   Throws  std::system_error if it cannot be started: ENOENT, if there is no such program.
  explicit process(const std::vector<std::string>& command);
  // Ends it with SIGTERM, after some seconds with SIGKILL.
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  // Without its end. Throws std::runtime_error if the program ended.
  [[nodiscard]] std::string read_line();
  [[nodiscard]] std::string read_to_end();
  void signal(int which) const noexcept;
  // Of all its threads so far. Throws std::system_error if it has ended.
  [[nodiscard]] double processor_seconds() const;

 private:
  [[nodiscard]] bool has_ended() noexcept;

  pid_t pid_ = -1;
  clockid_t clock_{};
  int to_ = -1;
  int from_ = -1;
  bool reaped_ = false;
};

}  // namespace pilfer::lab::serve
