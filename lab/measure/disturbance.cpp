#include "lab/measure/disturbance.hpp"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "lab/measure/usage.hpp"

namespace pilfer::lab {

disturbance::disturbance() noexcept : start_(read()), own_start_(own_seconds()) {}

double disturbance::share() const noexcept {
  const std::optional<reading> now = read();
  if (!start_ || !now || now->all <= start_->all) return 0;
  const double others = now->busy - start_->busy - (own_seconds() - own_start_);
  return std::clamp(others / (now->all - start_->all), 0.0, 1.0);
}

std::optional<disturbance::reading> disturbance::read() noexcept {
  std::FILE* const file = std::fopen("/proc/stat", "re");
  if (file == nullptr) return std::nullopt;
  // user nice system idle iowait irq softirq steal; guest time is part of user.
  constexpr int columns = 8;
  constexpr int idle = 3;
  constexpr int waiting_for_io = 4;
  std::uint64_t ticks[columns] = {};
  const int found = std::fscanf(
      file, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
      &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
  std::fclose(file);
  const long per_second = ::sysconf(_SC_CLK_TCK);
  if (found != columns || per_second <= 0) return std::nullopt;
  reading now;
  for (int i = 0; i < columns; ++i) {
    const double seconds = static_cast<double>(ticks[i]) / static_cast<double>(per_second);
    now.all += seconds;
    if (i != idle && i != waiting_for_io) now.busy += seconds;
  }
  return now;
}

double disturbance::own_seconds() noexcept {
  return usage_so_far().processor_seconds + usage_of_children().processor_seconds;
}

}  // namespace pilfer::lab
