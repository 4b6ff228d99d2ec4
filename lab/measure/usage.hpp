// What the system says that this process has used: processor time, context switches, memory.
#pragma once

#include <cstdint>

namespace pilfer::lab {

struct usage {
  double processor_seconds = 0;           // of all threads, also of those that have ended
  std::int64_t voluntary_switches = 0;    // a thread waited for something
  std::int64_t involuntary_switches = 0;  // a thread was taken from its processor
  std::int64_t peak_kilobytes = 0;        // the largest resident set so far: never falls

  // Since an earlier one; the peak is the later one's.
  [[nodiscard]] usage since(const usage& earlier) const noexcept {
    return {processor_seconds - earlier.processor_seconds, voluntary_switches - earlier.voluntary_switches,
            involuntary_switches - earlier.involuntary_switches, peak_kilobytes};
  }
};

// Of this process; of the children it has waited for.
[[nodiscard]] usage usage_so_far() noexcept;
[[nodiscard]] usage usage_of_children() noexcept;

}  // namespace pilfer::lab
