#include <pilfer/priority.hpp>

#include <stdexcept>
#include <string>

#include "current_worker.hpp"
#include "runtime.hpp"

namespace pilfer {

namespace {
// Of threads that are no workers, in with_priority.
thread_local constinit bool is_outside_set = false;
thread_local constinit priority outside = priority::normal;
}  // namespace

void priority::refuse(unsigned level, unsigned levels) {
  throw std::invalid_argument("pilfer: this pool has no level " + std::to_string(level) + ", only " +
                              (levels == 1 ? "level 0" : "0 to " + std::to_string(levels - 1)) +
                              " (pool_options::levels)");
}

priority current_priority() noexcept {
  const detail::worker* const self = detail::current_worker();
  return self != nullptr ? priority(self->level.number()) : outside;
}

namespace detail {

task_target target_at(runtime& home, task_scope* group, priority wanted) {
  return {home, group, static_cast<std::uint8_t>(wanted.level_in(home.ready->levels()))};
}

task_level level_from_outside(unsigned levels) noexcept {
  const unsigned level = outside.nearest_level_in(levels);
  return is_outside_set ? task_level(level) : task_level::of_caller(level);
}

priority_section::priority_section(priority wanted)
    : self_(current_worker()),
      outside_set_(is_outside_set),
      outside_(outside),
      level_(self_ != nullptr ? self_->level.bits() : std::uint8_t{0}) {
  if (self_ != nullptr) {
    worker& self = *self_;
    const task_level level(wanted.level_in(self.home.ready->levels()));
    self.scopes.push(self.queue->mark(), self.scope, level.bits());
    self.level = level;
    self.home.ready->begin_nested(self, level.number());
  } else {
    static_cast<void>(wanted.level_in(most_levels));
    outside = wanted;
    is_outside_set = true;
  }
}

priority_section::~priority_section() {
  if (self_ != nullptr) {
    self_->level = task_level::from_bits(level_);
    self_->scopes.pop();
  } else {
    outside = outside_;
    is_outside_set = outside_set_;
  }
}

}  // namespace detail
}  // namespace pilfer
