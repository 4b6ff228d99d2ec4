// All schedulers but the default, and the ready sets that only comparisons need, as pilfer::research::install() adds them.
#include <array>
#include <memory>
#include <utility>

#include <pilfer/research.hpp>

#include "research/configurations.hpp"
#include "research/global_level.hpp"
#include "research/inversions.hpp"
#include "research/redirected_lane.hpp"
#include "src/runtime/schedulers.hpp"

namespace pilfer::research {
namespace {

template <class Config>
detail::lane_makers makers_of(ext::block_geometry shape) {
  return {.of_forks = [make = lane_maker_of<Config, lane_for<Config>>(shape)](
                          worker& self) mutable { return std::make_unique<redirected_lane>(self, make(self)); },
          .of_tasks = task_lanes_of<Config>(shape)};
}

template <class... Configs>
constexpr std::array<detail::scheduler_kind, sizeof...(Configs)> kinds_of(std::type_identity<Configs>... /*each*/) {
  return {{{.name = Configs::name, .summary = Configs::summary, .makers = &makers_of<Configs>}...}};
}
constexpr auto all_kinds = with_configurations([](auto... each) { return kinds_of(each...); });

std::unique_ptr<detail::level_search> make_search(const detail::level_search::neighbours& told,
                                                  const pool_options& options) {
  if (options.rule != priority_rule::global) return detail::several_levels::default_searcher(told, options);
  auto found = std::make_unique<global_level>(told, options.levels);
  told.queues.add_observer(*found);
  return found;
}

std::unique_ptr<detail::ready_set> make_ready_set(const pool_options& options, detail::ready_set::neighbours told) {
  if (options.count_inversions) return std::make_unique<counting_levels>(options, std::move(told), &make_search);
  return std::make_unique<detail::several_levels>(options, std::move(told), &make_search);
}

constexpr detail::scheduler_extension extension{.schedulers = all_kinds, .make_ready_set = &make_ready_set};

}  // namespace

void install() noexcept { detail::install(extension); }

}  // namespace pilfer::research
