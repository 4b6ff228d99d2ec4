// Pools that sleep, ours and others': what wakes them, how long that takes, and what they cost meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/idle/meeting.hpp"

namespace pilfer::lab::idle {

enum class way : unsigned char {
  submit,  // by a thread that is none of the pool's
  fork,    // by a worker, as one half of a fork_join
  spawn,   // by a worker, as a task
};
inline constexpr way all_ways[] = {way::submit, way::fork, way::spawn};
[[nodiscard]] const char* name_of(way how) noexcept;

class sleeper {
 public:
  sleeper() = default;
  virtual ~sleeper() = default;
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;

  // Leaves it alone for so long, and hands one task over.
  //   Throws  std::runtime_error if it does not begin.
  [[nodiscard]] virtual wake_up wake(way how, std::chrono::microseconds after) = 0;

  // Spawns so many tasks inside, waits for all, and returns how many have run.
  [[nodiscard]] virtual std::int64_t run_tasks(std::int64_t count) = 0;

  // Jobs stolen so far; none of one that does not say.
  [[nodiscard]] virtual std::optional<std::uint64_t> steals_so_far() const { return std::nullopt; }
};

struct sleeper_entry {
  std::string name;
  std::string description;
  std::string why_unavailable{};                                        // of one that cannot be made here
  std::string version{};                                                // of a peer
  std::function<std::unique_ptr<sleeper>(std::size_t workers)> make{};  // empty: see why_unavailable
  std::vector<way> ways{std::begin(all_ways), std::end(all_ways)};
  // After its last work, and by far. As long for all where possible: a processor that idles for longer needs longer to come back.
  std::chrono::microseconds falls_asleep_in{2000};
};

inline constexpr const char* thread_name = "std::thread";
inline constexpr const char* default_name = "default";
inline constexpr const char* tbb_name = "onetbb";
inline constexpr const char* openmp_name = "openmp";

// All of them: a thread with a condition variable, pilfer::pool with each scheduler, peers.
[[nodiscard]] const std::vector<sleeper_entry>& sleepers();

// Their parts, by file.
[[nodiscard]] sleeper_entry thread_sleeper_entry();
[[nodiscard]] std::vector<sleeper_entry> pilfer_sleeper_entries();
[[nodiscard]] sleeper_entry tbb_sleeper_entry();
[[nodiscard]] sleeper_entry openmp_sleeper_entry();

// What a task handed over from outside has come to.
//   Throws  std::runtime_error, which names the pool, if it has not begun.
[[nodiscard]] wake_up awaited(const meeting& met, std::string_view who);

}  // namespace pilfer::lab::idle
