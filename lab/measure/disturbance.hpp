// How much of the processors others used while we measured: other processes, and the hypervisor of a virtual machine.
#pragma once

#include <cstdint>
#include <optional>

namespace pilfer::lab {

class disturbance {
 public:
  // Begins to watch.
  disturbance() noexcept;
  // Share of all processors' time since then that neither was idle nor used by this process or its ended children; 0 where
  // the system does not say. Over less than a tenth of a second it says little: the system counts in hundredths.
  [[nodiscard]] double share() const noexcept;

 private:
  struct reading {
    double busy = 0;  // seconds, of all processors; stolen time included
    double all = 0;
  };
  [[nodiscard]] static std::optional<reading> read() noexcept;
  [[nodiscard]] static double own_seconds() noexcept;

  std::optional<reading> start_;
  double own_start_;
};

// From this share on the figures are to be read with care.
inline constexpr double busy_share = 0.05;

}  // namespace pilfer::lab
