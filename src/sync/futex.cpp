// Sleeping and waking on a word, directly on futex(2): no condition variable, so none of its lost wake-ups.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pilfer/ext/sync.hpp>

#include "errno_keeper.hpp"

namespace pilfer::ext::os {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds one_second{1'000'000'000};
constexpr nanoseconds refused_nap{50'000};

nanoseconds monotonic_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return nanoseconds{now.tv_sec * one_second.count() + now.tv_nsec};
}

timespec to_timespec(nanoseconds time) noexcept {
  timespec result{};
  result.tv_sec = static_cast<time_t>(time / one_second);
  result.tv_nsec = static_cast<long>((time % one_second).count());
  return result;
}

}  // namespace

bool futex_wait(const void* word, std::uint32_t expected, nanoseconds timeout) noexcept {
  const errno_keeper keeper;
  // An absolute deadline: a storm of signals restarts the wait, but never prolongs it. FUTEX_WAIT_BITSET takes one, and
  // measures it on the monotonic clock.
  const nanoseconds now = timeout < nanoseconds::zero() ? nanoseconds::zero() : monotonic_now();
  const bool endless = timeout < nanoseconds::zero() || timeout > nanoseconds::max() - now;
  const nanoseconds deadline = endless ? nanoseconds::max() : now + timeout;
  const timespec until = to_timespec(deadline);

  bool in_time = true;
  while (::syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, endless ? nullptr : &until, nullptr,
                   FUTEX_BITSET_MATCH_ANY) != 0) {
    if (errno == EINTR) continue;  // the kernel compares the word again
    if (errno == ETIMEDOUT) {
      in_time = false;
    } else if (errno != EAGAIN) {  // EAGAIN: the word has changed already
      // Refused, by a sandbox for instance. The caller sees a spurious wake-up and looks again; nap, so that it does not spin.
      const nanoseconds left = endless ? refused_nap : deadline - monotonic_now();
      in_time = left > nanoseconds::zero();
      if (in_time) {
        const timespec nap = to_timespec(std::min(left, refused_nap));
        ::nanosleep(&nap, nullptr);
      }
    }
    break;
  }
  return in_time;
}

std::size_t futex_wake(const void* word, std::size_t count) noexcept {
  if (count == 0) return 0;  // to the kernel, 0 means 1
  const errno_keeper keeper;
  const int limit = static_cast<int>(std::min<std::size_t>(count, INT_MAX));
  const long woken = ::syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, limit, nullptr, nullptr, 0);
  return woken > 0 ? static_cast<std::size_t>(woken) : 0;
}

}  // namespace pilfer::ext::os
