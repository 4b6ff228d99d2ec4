// One line on stderr that says how far a measurement is; nothing at all when stderr is no terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace pilfer::lab {

// Several measurements, one after the other. While one of these lives, every `progress` shows how far all of them are. Its
// bar goes by time: what a measurement was expected to take, and what earlier ones really took.
class overall_progress {
 public:
  // `seconds`: expected of everything.
  explicit overall_progress(double seconds);
  ~overall_progress();
  overall_progress(const overall_progress&) = delete;
  overall_progress& operator=(const overall_progress&) = delete;

  // The next measurement; ends the one before.
  void begin(std::string title, double expected_seconds);

  // Share done so far, and seconds left, `now` seconds after the beginning. Never quite 1 before the end.
  struct state {
    double share = 0;
    double seconds_left = 0;
  };
  [[nodiscard]] state at(double now) const noexcept;

  // "[#####.....]  52 %  queues-alone (abp), 73 s left"
  [[nodiscard]] std::string line(double now, std::string_view what) const;
  [[nodiscard]] double seconds_since_start() const noexcept;

  // The one that lives, or null.
  [[nodiscard]] static const overall_progress* current() noexcept;

 private:
  using clock = std::chrono::steady_clock;
  double total_;
  double done_ = 0;      // expected seconds of what has ended
  double expected_ = 0;  // of what is at hand
  double began_ = 0;     // when it did
  std::string title_;
  clock::time_point start_ = clock::now();
};

class progress {
 public:
  // `steps`: how many calls of step() there will be.
  progress(std::string_view title, std::size_t steps);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // Before each step; redraws at most ten times a second.
  void step(std::string_view what);

 private:
  using clock = std::chrono::steady_clock;
  std::string_view title_;
  std::size_t steps_;
  std::size_t begun_ = 0;
  bool visible_;
  bool drawn_ = false;
  clock::time_point start_ = clock::now();
  clock::time_point next_draw_ = start_;
};

}  // namespace pilfer::lab
