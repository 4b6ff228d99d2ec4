// Names one execution of one job.
#pragma once

#include <cstdint>

namespace pilfer::detail {

// The worker, the nesting depth on it, and a number that is never used twice there.
class run_id {
 public:
  static constexpr unsigned worker_bits = 10;
  static constexpr unsigned depth_bits = 6;
  constexpr run_id() noexcept = default;
  constexpr explicit run_id(std::uint64_t word) noexcept : word_(word) {}
  constexpr run_id(unsigned worker, unsigned depth, std::uint64_t serial) noexcept
      : word_((((serial << depth_bits) | depth) << worker_bits) | worker) {}
  [[nodiscard]] constexpr unsigned worker() const noexcept {
    return static_cast<unsigned>(word_ & ((1U << worker_bits) - 1));
  }
  [[nodiscard]] constexpr unsigned depth() const noexcept {
    return static_cast<unsigned>((word_ >> worker_bits) & ((1U << depth_bits) - 1));
  }
  [[nodiscard]] constexpr std::uint64_t serial() const noexcept { return word_ >> (worker_bits + depth_bits); }
  [[nodiscard]] constexpr std::uint64_t word() const noexcept { return word_; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return word_ != 0; }
  friend constexpr bool operator==(run_id, run_id) noexcept = default;

 private:
  std::uint64_t word_ = 0;  // a serial number is odd while its job runs, so a running job's word is not 0
};

}  // namespace pilfer::detail
