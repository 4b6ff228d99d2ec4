// What group.spawn(coroutine()) and pool.detach(coroutine()) replace. Not after version 0.1.
#pragma once

#include <utility>

#include <pilfer/coro/task.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

namespace pilfer {

[[deprecated("write group.spawn(coroutine())")]] inline void spawn(task_group& group, task<void> work) {
  group.spawn(std::move(work));
}
[[deprecated("write group.at(priority).spawn(coroutine())")]] inline void spawn(task_group& group, priority wanted,
                                                                                task<void> work) {
  group.at(wanted).spawn(std::move(work));
}
[[deprecated("write pool.detach(coroutine())")]] inline void detach(pool& home, task<void> work) {
  home.detach(std::move(work));
}
[[deprecated("write pool.at(priority).detach(coroutine())")]] inline void detach(pool& home, priority wanted,
                                                                                 task<void> work) {
  home.at(wanted).detach(std::move(work));
}

}  // namespace pilfer
