// The late leaf: the owner forks 8 tasks, then runs a leaf as long as all of them together and looks at nothing
// meanwhile. Where the owner has to be asked for work and answers at its next fork, thieves wait in vain.
#pragma once

#include <cstdint>
#include <ctime>

namespace pilfer::lab::programs {

inline constexpr int late_leaf_tasks = 8;

// Processor time of this thread, not time on the clock: who is put off the processor does not work meanwhile.
[[nodiscard]] inline std::int64_t thread_cpu_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Computes for that long; returns 1.
inline std::int64_t work_for_ns(std::int64_t ns) noexcept {
  constexpr int steps_between_looks = 4000;  // some microseconds: a look is a system call
  const std::int64_t end = thread_cpu_ns() + ns;
  std::uint64_t state = 1;
  while (thread_cpu_ns() < end) {
    for (int i = 0; i < steps_between_looks; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      __asm__ volatile("" : "+r"(state));  // keeps the loop
    }
  }
  return 1;
}

[[nodiscard]] inline std::int64_t serial_late_leaf(std::int64_t leaf_ns) noexcept {
  std::int64_t done = work_for_ns(leaf_ns);
  for (int i = 0; i < late_leaf_tasks; ++i) done += work_for_ns(leaf_ns / late_leaf_tasks);
  return done;
}

// Nested forks: the first callable of a fork is the owner's.
template <class S>
// NOLINTNEXTLINE(bugprone-exception-escape): a program that cannot fork has failed
[[nodiscard]] inline std::int64_t late_leaf(std::int64_t leaf_ns, int tasks = late_leaf_tasks) noexcept {
  if (tasks == 0) return work_for_ns(leaf_ns);
  auto [a, b] = S::fork_join([leaf_ns, tasks]() noexcept { return late_leaf<S>(leaf_ns, tasks - 1); },
                             [leaf_ns]() noexcept { return work_for_ns(leaf_ns / late_leaf_tasks); });
  return a + b;
}

}  // namespace pilfer::lab::programs
