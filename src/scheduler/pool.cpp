#include <pilfer/pool.hpp>

#include <cstdlib>
#include <stdexcept>

#include <pilfer/detail/configurations.hpp>

#include "../tasks/current_worker.hpp"
#include "pool_lane.hpp"

namespace pilfer {

namespace {

constexpr const char* default_name = "default";

std::string chosen_scheduler(const std::string& option) {
  if (!option.empty()) return option;
  const char* variable = std::getenv("PILFER_SCHEDULER");  // NOLINT(concurrency-mt-unsafe)
  return variable != nullptr && *variable != '\0' ? variable : default_name;
}

// Makes lanes of the named kind.
detail::scheduler::lane_maker lanes_named(const std::string& name) {
  if (name == default_name) {
    return [](detail::worker& self) { return std::make_unique<detail::pool_lane>(self, nullptr); };
  }
  detail::scheduler::lane_maker found;
  detail::for_each_configuration([&]<class Config>(std::type_identity<Config>) {
    if (name != Config::name) return;
    found = [make = detail::lanes_of<Config>()](detail::worker& self) {
      std::unique_ptr<detail::lane> other = make(self);
      return std::make_unique<detail::pool_lane>(
          self, std::unique_ptr<detail::fork_lane>(static_cast<detail::fork_lane*>(other.release())));
    };
  });
  if (!found) {
    std::string message = "pilfer: there is no scheduler '" + name + "'; choose one of";
    for (const std::string& each : scheduler_names()) message += " " + each;
    throw std::invalid_argument(message);
  }
  return found;
}

// Tasks lie in a queue of the same kind. The default's deque is for forks alone: its items' places are held by frames.
detail::scheduler::task_lane_maker task_lanes_named(const std::string& name) {
  detail::scheduler::task_lane_maker found = detail::task_lanes_of<detail::config::ws_chase_lev>();
  detail::for_each_configuration([&]<class Config>(std::type_identity<Config>) {
    if (name == Config::name) found = detail::task_lanes_of<Config>();
  });
  return found;
}

}  // namespace

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names{default_name};
  detail::for_each_configuration([&]<class Config>(std::type_identity<Config>) { names.emplace_back(Config::name); });
  return names;
}

pool::pool(const pool_options& options)
    : scheduler_(options, chosen_scheduler(options.scheduler), lanes_named(chosen_scheduler(options.scheduler)),
                 task_lanes_named(chosen_scheduler(options.scheduler))) {}
pool::~pool() = default;

bool pool::is_inside() const noexcept {
  const detail::worker* const self = detail::current_worker();
  return self != nullptr && &self->home == &scheduler_;
}

std::optional<std::size_t> worker_index() noexcept {
  const detail::worker* const self = detail::current_worker();
  if (self == nullptr) return std::nullopt;
  return self->index;
}

pool& default_pool() {
  static pool* const only = new pool;  // never destroyed: its threads may outlive every static object
  return *only;
}

namespace detail {
worker* current_worker() noexcept {
  const fork_deque* const deque = current_deque;
  return deque != nullptr ? &static_cast<pool_lane*>(deque->companion())->owner() : nullptr;
}
scheduler& scheduler_of_caller() {
  worker* const self = current_worker();
  return self != nullptr ? self->home : default_pool().inside();
}
void run_on_default_pool(const outside_call& call) {
  default_pool().run([&](context here) { call.run(call.self, here.position()); });
}
}  // namespace detail

}  // namespace pilfer
