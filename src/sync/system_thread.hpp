// Threads with a name and a stack of a chosen size, which std::thread does not have.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <pilfer/detail/immovable.hpp>

namespace pilfer::detail {

class system_thread : immovable {
 public:
  // Runs `body`, which must not throw. `stack_bytes`: whole pages of at least so many bytes; 0: the system's default.
  //   Throws  std::system_error if there is no thread to be had, std::bad_alloc.
  system_thread(std::size_t stack_bytes, std::function<void()> body);
  void join() noexcept;  // once, before the end

 private:
  pthread_t native_{};
};

// The kernel keeps so many bytes of a thread's name.
inline constexpr std::size_t most_name_bytes = 15;
// "base/number", where the number is whole and the base may be cut short, not within a character of UTF-8.
[[nodiscard]] std::string numbered_name(std::string_view base, unsigned number);
// Of the calling thread: for debuggers, top(1) and /proc. No longer than that.
void name_this_thread(const char* name) noexcept;

}  // namespace pilfer::detail
