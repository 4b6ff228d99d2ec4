// The expensive side of an asymmetric fence: membarrier(2), private and expedited.
//
// The process registers once, on first use, and the command is tried at that moment: an old kernel says ENOSYS, a kernel
// without the command or with nohz_full cores EINVAL, a sandbox EPERM or ENOSYS. Any of them means "does not work here", and
// the answer stays, because queues decide at construction whether they may rely on it.
#include <cerrno>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pilfer/ext/sync.hpp>

#include "errno_keeper.hpp"

namespace pilfer::ext::os {
namespace {

long call(int command) noexcept { return ::syscall(SYS_membarrier, command, 0U, 0); }

bool enroll() noexcept { return call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0; }

bool probe() noexcept {
  const errno_keeper keeper;
  constexpr long needed = MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
  const long offered = call(MEMBARRIER_CMD_QUERY);
  return offered >= 0 && (offered & needed) == needed && enroll() && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;
}

}  // namespace

bool membarrier_works() noexcept {
  static const bool works = probe();  // the first caller probes, all others wait for its answer
  return works;
}

bool membarrier() noexcept {
  if (!membarrier_works()) return false;
  const errno_keeper keeper;
  if (call(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return true;
  // EPERM: this address space is not registered, as when a child process did not inherit it from the one that was.
  return errno == EPERM && enroll() && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;
}

}  // namespace pilfer::ext::os
