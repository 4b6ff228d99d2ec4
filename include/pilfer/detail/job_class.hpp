// What is told of all jobs of a kind.
#pragma once

#include <cstdint>

namespace pilfer::detail {

struct job;
class task;

enum class job_kind : std::uint8_t { forked, spawned, resumed };
// A constant: one for all resumptions, one for each callable that is forked or spawned, so that a job needs a single store to tell all of it.
struct job_class {
  job_kind kind;
  void (*run)(job&) noexcept;  // of a fork or a task: calls it here, and keeps its result; an exception too
  void (*destroy)(task&) noexcept = nullptr;  // of a task: ends it, and frees its memory
};

}  // namespace pilfer::detail
