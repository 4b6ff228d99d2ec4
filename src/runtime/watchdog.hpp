// All pools of the process, and a thread that says so when one of them makes no progress.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include <pilfer/detail/scheduler.hpp>

namespace pilfer::detail {

class pool_registry {
 public:
  [[nodiscard]] static pool_registry& only();

  // `patience`: zero if no message is wanted.
  //   Throws  std::system_error if the watchdog's thread cannot be made.
  void add(scheduler& fresh, std::chrono::nanoseconds patience);
  void remove(scheduler& old) noexcept;
  //   Throws  std::bad_alloc
  [[nodiscard]] std::string describe();

 private:
  [[noreturn]] void watch() noexcept;
  void look_at_all() noexcept;

  std::mutex mutex_;
  scheduler* first_ = nullptr;
  bool is_watching_ = false;
};

}  // namespace pilfer::detail
