// Locked instructions of empty tasks, counted one instruction at a time on the only worker of a pool.
#include <fmt/format.h>

#include <cstddef>

#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "lab/tasks/experiment.hpp"

#if defined(__x86_64__) && !defined(PILFER_LAB_SANITIZED)
#define PILFER_LAB_STEPS 1
#include "lab/measure/single_step.hpp"
#endif

namespace pilfer::lab::experiments::tasks {

#if defined(PILFER_LAB_STEPS)

namespace {

[[gnu::noinline]] void spawn_and_wait(task_group& group, std::size_t tasks) {
  for (std::size_t i = 0; i < tasks; ++i) group.spawn([] {});
  group.wait();
}

}  // namespace

findings count_locked(const settings& given) {
  const auto few = by_effort<std::size_t>(given, 20, 100, 100);
  const std::size_t many = 4 * few;  // what the wait itself takes is in both
  executed of_few;
  executed of_many;
  pool home(pool_options{.workers = 1});
  home.run([&] {
    task_group group;
    for (int i = 0; i < 3; ++i) spawn_and_wait(group, many);  // memory is there, and symbols are found
    of_few = single_step([&] { spawn_and_wait(group, few); });
    of_many = single_step([&] { spawn_and_wait(group, many); });
  });
  const auto locked = static_cast<double>(of_many.atomic_instructions()) - of_few.atomic_instructions();
  findings found;
  found.rows.push_back({.suite = suite_name,
                        .name = locked_row,
                        .impl = group_impl,
                        .params = {{"tasks", many - few}, {"workers", 1}},
                        .unit = "locked instructions",
                        .samples = {locked / static_cast<double>(many - few)},
                        .ratio_to_sequential = {}});
  found.rows.back().extra["system_calls"] = of_many.syscalls;
  return found;
}

#else

findings count_locked(const settings& /*given*/) {
  findings found;
  found.notes.emplace_back("locked: instructions are stepped through on x86-64 only, and without a sanitizer");
  return found;
}

#endif

}  // namespace pilfer::lab::experiments::tasks
