// A line of progress on standard error, and the eye on Ctrl-C.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "finder.hpp"

namespace pilfer::dups {

// What the line says.
struct bar_state {
  search_stage stage = search_stage::walking;
  std::uint64_t files_found = 0;
  std::uint64_t folders_found = 0;
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_to_do = 0;
  std::uint64_t groups_found = 0;
  std::uint64_t wasted_bytes = 0;
  std::optional<double> seconds_left = {};
};
// At most `width` columns; all of it is ASCII.
[[nodiscard]] std::string bar_line(const bar_state& of, std::size_t width);

// How long it will take, from how fast it went of late.
class time_estimate {
 public:
  // Seconds, which only grow; the first call is where the work begins.
  void note(double now, std::uint64_t bytes_done);
  // None: nothing can be said yet.
  [[nodiscard]] std::optional<double> left(std::uint64_t bytes_to_do) const noexcept;

 private:
  std::optional<double> rate_;  // bytes per second, smoothed
  std::optional<double> last_;  // none: no call yet
  std::uint64_t done_ = 0;
};

// While it exists, a thread requests a stop when a signal was noted (lab::note_interrupts), and draws the line if it shall.
class watcher {
 public:
  watcher(const progress& seen, bool draw);
  ~watcher();  // erases the line
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }
  // To standard error, in place of the line; that comes back.
  void say(std::string_view text);

 private:
  using clock = std::chrono::steady_clock;
  void watch(const std::stop_token& end);
  void redraw();

  const progress& seen_;
  bool draw_;
  bool drawn_ = false;
  clock::time_point start_ = clock::now();
  time_estimate estimate_;
  std::stop_source source_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // the last member: it uses the others
};

}  // namespace pilfer::dups
