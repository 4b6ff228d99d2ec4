// The level at which a worker works: what its tasks and forks inherit, and whether it may lift what it waits for.
#pragma once

#include <cstdint>

namespace pilfer::detail {

class task_level {
 public:
  constexpr task_level() noexcept = default;
  constexpr explicit task_level(unsigned level) noexcept : bits_(static_cast<std::uint8_t>(level)) {}
  // Of a caller from outside, who is no task: what it makes has that level, but its waiting lifts nothing.
  [[nodiscard]] static constexpr task_level of_caller(unsigned level) noexcept { return from_bits(level | caller); }
  [[nodiscard]] static constexpr task_level from_bits(unsigned bits) noexcept {
    task_level made;
    made.bits_ = static_cast<std::uint8_t>(bits);
    return made;
  }
  [[nodiscard]] constexpr std::uint8_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr unsigned number() const noexcept { return bits_ & 7U; }
  [[nodiscard]] constexpr bool lifts() const noexcept { return (bits_ & caller) == 0; }

 private:
  static constexpr unsigned caller = 0x80;
  std::uint8_t bits_ = 0;
};

}  // namespace pilfer::detail
