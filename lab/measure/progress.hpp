// One line on stderr that says how far a measurement is; nothing at all when stderr is no terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace pilfer::lab {

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
