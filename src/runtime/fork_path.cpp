// Where the fast path of pilfer::fork_join ends.
#include <pilfer/detail/fork/fork_path.hpp>
#include <pilfer/detail/fork/hunger.hpp>

#include "lane.hpp"
#include "worker.hpp"

namespace pilfer::detail {

namespace {
fork_slow_path& slow_path_of(fork_slot* at) noexcept { return fork_slow_path::of(fork_stack::of(at)); }
}  // namespace

fork_slot* fork_slowly(fork_slot* at, forked_job& work) noexcept { return slow_path_of(at).fork(at, work); }
bool join_slowly(fork_slot* at, forked_job& work) noexcept { return slow_path_of(at).join(at, work); }
bool is_anyone_hungry_really(fork_slot* at) noexcept { return slow_path_of(at).is_wanted(); }
void count_suppressed(fork_slot* at) noexcept { slow_path_of(at).owner().counts.suppressed.add(); }

}  // namespace pilfer::detail
