// A task that no pool knows: for rooms that only pass tasks on.
#pragma once

#include <array>
#include <cstddef>

#include "src/runtime/runtime.hpp"
#include "src/runtime/spawned_job.hpp"

namespace pilfer::test {

// Something to refer to where a room wants to know the pool, and never looks at it.
inline detail::runtime& no_pool() {
  alignas(detail::runtime) static std::array<std::byte, sizeof(detail::runtime)> memory{};
  return *reinterpret_cast<detail::runtime*>(memory.data());
}
// Where no worker of these tests sleeps.
inline detail::pool_parking& no_sleepers() {
  static detail::pool_parking only;
  return only;
}

class lone_task : public detail::spawned_job {
 public:
  // `uses`: how often the test and the room under test let go of it, together.
  lone_task(unsigned level, std::uint32_t uses)
      : spawned_job(type_of_this, {.home = no_pool(), .group = nullptr, .level = static_cast<std::uint8_t>(level)},
                    uses) {}

  bool is_destroyed = false;

 private:
  static void run_it(detail::job& /*self*/) noexcept {}
  static void note_end(detail::task& self) noexcept { reinterpret_cast<lone_task&>(self).is_destroyed = true; }
  static constexpr detail::job_class type_of_this{detail::job_kind::spawned, &run_it, &note_end};
};

}  // namespace pilfer::test
