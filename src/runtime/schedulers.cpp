#include "schedulers.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string_view>

#include <pilfer/pool.hpp>

#include "../sync/environment.hpp"
#include "../topology/files.hpp"
#include "deque_lane.hpp"
#include "deque_task_lane.hpp"

namespace pilfer {

namespace detail {

namespace {

struct extension_orders {
  static constexpr ext::edge install{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// Programs install it before main, so it must be ready before any constructor runs.
constinit ext::default_sync::atomic<const scheduler_extension*> extension{nullptr};

lane_makers default_makers(ext::block_geometry /*shape*/) {
  return {.of_forks = [](worker& self) { return std::make_unique<deque_lane>(self); },
          .of_tasks = [](worker& self, unsigned /*level*/) { return std::make_unique<deque_task_lane>(self); }};
}

constexpr scheduler_kind default_kind{.name = "default",
                                      .summary = "a fork deque that a thief can open; Chase and Lev's deque for tasks",
                                      .makers = &default_makers};

}  // namespace

void install(const scheduler_extension& fresh) noexcept {
  const scheduler_extension* none = nullptr;
  extension.compare_exchange(none, &fresh, extension_orders::install.rel,
                             extension_orders::relaxed);  // failure: it is there
}
const scheduler_extension* installed_extension() noexcept { return extension.load(extension_orders::install.acq); }

std::string chosen_scheduler(const std::string& option) {
  if (!option.empty()) return option;
  const std::string_view told = environment::value_of(environment::scheduler);
  return std::string(told.empty() ? default_kind.name : told);
}

const scheduler_kind& find_scheduler(const std::string& name) {
  if (name == default_kind.name) return default_kind;
  const scheduler_extension* const more = installed_extension();
  if (more == nullptr) refuse_without_research("scheduler '" + name + "'");
  for (const scheduler_kind& each : more->schedulers) {
    if (name == each.name) return each;
  }
  std::string message = "pilfer: there is no scheduler '" + name + "'; choose one of";
  for (const std::string& each : scheduler_names()) message += " " + each;
  throw std::invalid_argument(message);
}

void refuse_without_research(const std::string& what) {
  throw std::invalid_argument("pilfer: " + what +
                              " is not in this program, which has the default scheduler only; link it with the library "
                              "pilfer::research, which has all others");
}

ext::block_geometry chosen_shape(std::size_t option) {
  constexpr std::size_t default_entries = 32;
  constexpr std::size_t fewest_entries = 8;
  constexpr std::size_t most_entries = 4096;
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument(what + ", but it must be a power of two from " + std::to_string(fewest_entries) +
                                " to " + std::to_string(most_entries));
  };
  const auto is_allowed = [](std::size_t entries) {
    return std::has_single_bit(entries) && entries >= fewest_entries && entries <= most_entries;
  };
  std::size_t entries = default_entries;
  const std::string_view told = environment::value_of(environment::block_entries);
  if (option != 0) {
    if (!is_allowed(option)) refuse("pilfer: pool_options::block_entries is " + std::to_string(option));
    entries = option;
  } else if (!told.empty()) {
    entries = topology::to_number<std::size_t>(told).value_or(0);
    if (!is_allowed(entries)) refuse(std::string(environment::block_entries) + "='" + std::string(told) + "'");
  }
  constexpr std::size_t capacity = 2048;
  constexpr std::size_t fewest_blocks = 8;
  constexpr std::size_t most_blocks = 64;
  return {.blocks = std::clamp(capacity / entries, fewest_blocks, most_blocks), .entries = entries};
}

}  // namespace detail

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names{detail::default_kind.name};
  if (const detail::scheduler_extension* const more = detail::installed_extension()) {
    for (const detail::scheduler_kind& each : more->schedulers) names.emplace_back(each.name);
  }
  return names;
}

}  // namespace pilfer
