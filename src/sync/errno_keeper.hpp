// Puts errno back at the end of a scope. Callers test results, not errno; a fence or a wake-up must not disturb a program
// that looks at errno around it.
#pragma once

#include <cerrno>

namespace pilfer::ext::os {

class errno_keeper {
 public:
  errno_keeper() noexcept = default;
  ~errno_keeper() { errno = saved_; }
  errno_keeper(const errno_keeper&) = delete;
  errno_keeper& operator=(const errno_keeper&) = delete;

 private:
  int saved_ = errno;
};

}  // namespace pilfer::ext::os
