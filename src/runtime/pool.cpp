#include <pilfer/pool.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>

#include <pilfer/detail/configurations.hpp>

#include "../sync/environment.hpp"
#include "../topology/files.hpp"
#include "current_worker.hpp"
#include "pool_lane.hpp"
#include "watchdog.hpp"

namespace pilfer {

namespace {

constexpr const char* default_name = "default";

std::string chosen_scheduler(const std::string& option) {
  if (!option.empty()) return option;
  const std::string_view told = detail::environment::value_of(detail::environment::scheduler);
  return std::string(told.empty() ? default_name : told);
}

// Makes lanes of the named kind.
detail::scheduler::lane_maker lanes_named(const std::string& name, ext::block_geometry shape) {
  if (name == default_name) {
    return [](detail::worker& self) { return std::make_unique<detail::pool_lane>(self, nullptr); };
  }
  detail::scheduler::lane_maker found;
  detail::for_each_configuration([&]<class Config>(std::type_identity<Config>) {
    if (name != Config::name) return;
    found = [make = detail::lanes_of<Config>(shape)](detail::worker& self) {
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
detail::scheduler::task_lane_maker task_lanes_named(const std::string& name, ext::block_geometry shape) {
  detail::scheduler::task_lane_maker found = detail::task_lanes_of<detail::config::ws_chase_lev>(shape);
  detail::for_each_configuration([&]<class Config>(std::type_identity<Config>) {
    if (name == Config::name) found = detail::task_lanes_of<Config>(shape);
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
    : scheduler_(
          options, chosen_scheduler(options.scheduler),
          lanes_named(chosen_scheduler(options.scheduler), detail::block_shape::chosen(options.block_entries)),
          task_lanes_named(chosen_scheduler(options.scheduler), detail::block_shape::chosen(options.block_entries))) {
  scheduler_.make_known(options.watchdog);
}
std::string pool::describe() const { return scheduler_.describe(); }
std::string describe_pools() { return detail::pool_registry::only().describe(); }
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

void pool::drain() {
  if (is_inside()) throw std::logic_error("pilfer: drain() inside of its pool would wait for its own caller");
  static_cast<void>(detail::wait_for_loose(scheduler_, std::chrono::nanoseconds{-1}));
}

bool pool::request_stop() noexcept { return scheduler_.stop().request(); }
std::stop_token pool::stop_token() const noexcept { return scheduler_.stop().token_for(this); }

shutdown_report pool::shutdown_within(std::chrono::nanoseconds limit) {
  if (is_inside()) throw std::logic_error("pilfer: shutdown() inside of its pool would wait for its own caller");
  request_stop();
  if (detail::wait_for_loose(scheduler_, limit)) return {};
  // In this order: a coroutine is counted as unfinished before it is counted as a coroutine, and ends in the opposite order.
  const auto [coroutines, starts] = scheduler_.stop().count();
  const std::size_t all = scheduler_.loose.unfinished();
  const std::size_t known = std::min(all, coroutines);
  return {.tasks = all - std::min(all, known + starts), .coroutines = known};
}

namespace {
// Set once, by default_pool().
std::mutex default_mutex;
pool* made_default = nullptr;
}  // namespace

pool& default_pool() {
  static pool* const only = [] {
    auto* const fresh = new pool;  // never destroyed: its threads may outlive every static object
    const std::lock_guard lock(default_mutex);
    made_default = fresh;
    return fresh;
  }();
  return *only;
}

void drain() {
  pool* found = nullptr;
  {
    const std::lock_guard lock(default_mutex);
    found = made_default;
  }
  if (found != nullptr) found->drain();
}

namespace detail {
void throw_negative_workers() {
  throw std::invalid_argument("pilfer: a pool has 1 to " + std::to_string(scheduler_limits::most_places) +
                              " workers, not a negative number of them");
}
ext::block_geometry block_shape::chosen(std::size_t option) {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument(what + ", but it must be a power of two from " + std::to_string(fewest_entries) +
                                " to " + std::to_string(most_entries));
  };
  const auto is_allowed = [](std::size_t entries) {
    return std::has_single_bit(entries) && entries >= fewest_entries && entries <= most_entries;
  };
  if (option != 0) {
    if (!is_allowed(option)) refuse("pilfer: pool_options::block_entries is " + std::to_string(option));
    return of(option);
  }
  const std::string_view told = environment::value_of(environment::block_entries);
  if (told.empty()) return of(default_entries);
  const std::size_t entries = topology::to_number<std::size_t>(told).value_or(0);
  if (!is_allowed(entries)) refuse(std::string(environment::block_entries) + "='" + std::string(told) + "'");
  return of(entries);
}
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
