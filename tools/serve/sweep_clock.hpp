// The time that clients are measured by. It moves when somebody sweeps, and by two rounds at most: if the server itself stood still (a
// busy machine, a debugger, a laptop that slept), its clients have not been slow, and none of them is timed out for it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace pilfer::serve {

class sweep_clock {
 public:
  using clock = std::chrono::steady_clock;

  sweep_clock(clock::time_point begin, std::chrono::milliseconds round) : last_(begin), most_(2 * round) {}

  // What it shows from now on, in milliseconds. Differences are right beyond 49 days, too.
  [[nodiscard]] std::uint32_t move(clock::time_point now) noexcept {
    // Whole milliseconds: what is left of one counts the next time.
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - last_);
    if (passed.count() <= 0) return shown_;
    last_ += passed;
    shown_ += static_cast<std::uint32_t>(std::min(passed, most_).count());
    return shown_;
  }

 private:
  clock::time_point last_;
  std::chrono::milliseconds most_;
  std::uint32_t shown_ = 0;
};

}  // namespace pilfer::serve
