// All pools of the process, and a thread that says so when one of them makes no progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace pilfer::detail {

struct runtime;

// The option, or PILFER_WATCHDOG in seconds.
[[nodiscard]] std::chrono::nanoseconds watchdog_patience(std::chrono::nanoseconds option) noexcept;

class pool_registry {
 public:
  [[nodiscard]] static pool_registry& only();

  // `patience`: zero if no message is wanted.
  //   Throws  std::bad_alloc, std::system_error if the watchdog's thread cannot be made.
  void add(runtime& fresh, std::chrono::nanoseconds patience);
  void remove(runtime& old) noexcept;
  //   Throws  std::bad_alloc
  [[nodiscard]] std::string describe();

 private:
  struct entry {
    runtime* pool;
    std::chrono::nanoseconds patience;            // zero: no message is wanted
    std::chrono::steady_clock::time_point since;  // when its progress was last another
    std::uint64_t progress = 0;
    bool is_told = false;
  };
  [[noreturn]] void watch() noexcept;
  void look_at_all() noexcept;

  std::mutex mutex_;
  std::vector<entry> pools_;
  bool is_watching_ = false;
};

}  // namespace pilfer::detail
