// Puts errno back at the end of a scope. Callers test results, not errno; a fence or a wake-up must not disturb a program
// that looks at errno around it.
#pragma once

#include <cerrno>

#include <pilfer/ext/immovable.hpp>

namespace pilfer::ext::os {

class errno_keeper : immovable {
 public:
  ~errno_keeper() { errno = saved_; }

 private:
  int saved_ = errno;
};

}  // namespace pilfer::ext::os
