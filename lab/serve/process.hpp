// A program that runs beside us: it is sent signals, and its processor time is looked at while it runs.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstdint>
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
  // The same, with a signal now and then until it ends: one alone may come too early, and several that come together are one.
  [[nodiscard]] std::string read_to_end(int which);
  void signal(int which) const noexcept;
  // Until it has a handler for this signal, which would end it otherwise. False: it ended, or some seconds were not enough.
  [[nodiscard]] bool await_handler(int which) const;
  [[nodiscard]] pid_t id() const noexcept { return pid_; }
  // Of all its threads so far. Throws std::system_error if it has ended.
  [[nodiscard]] double processor_seconds() const;
  // Of all threads that it has now: those of a server stay.
  struct context_switches {
    std::int64_t voluntary = 0;
    std::int64_t involuntary = 0;
  };
  [[nodiscard]] context_switches switches() const;

 private:
  [[nodiscard]] bool has_ended() noexcept;
  // False: that was all.
  [[nodiscard]] bool read_more(std::string& to);

  pid_t pid_ = -1;
  clockid_t clock_{};
  int to_ = -1;
  int from_ = -1;
  bool reaped_ = false;
};

}  // namespace pilfer::lab::serve
