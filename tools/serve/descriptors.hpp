// How many files and sockets this process may have open.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace pilfer::serve {

// Raises the soft limit to the hard one, and tells it. Programs that are started inherit it.
inline std::size_t raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;  // what is usual
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur;
}

// So many connections at a time leave descriptors for the rest: standard streams, rings and eventfds of the workers, and one or two for
// clients that are turned away. Who serves files needs two for each connection. One connection is always possible to try.
[[nodiscard]] constexpr std::size_t connections_within(std::size_t descriptors, std::size_t workers,
                                                       bool serves_files) noexcept {
  const std::size_t others = 16 + 4 * workers;
  const std::size_t left = descriptors > others ? descriptors - others : 1;
  return std::max<std::size_t>(serves_files ? left / 2 : left, 1);
}

}  // namespace pilfer::serve
