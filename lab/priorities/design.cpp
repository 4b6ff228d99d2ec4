#include "lab/priorities/design.hpp"

namespace pilfer::lab::priorities {

const std::vector<design>& designs() {
  static const std::vector<design> all = {
      {.name = single_name,
       .description = "003's baseline: one deque per worker, no priority given",
       .has_levels = false,
       .gives_priority = false},
      {.name = strict_name, .description = "a queue per level and worker; looks at all others before it sinks a level"},
      {.name = relaxed_name,
       .description = "the same, but looks at about sqrt(n) others",
       .rule = priority_rule::relaxed},
      {.name = global_name,
       .description = "003's earlier design: one level for all workers at a time",
       .rule = priority_rule::global},
      {.name = given_name, .description = "one deque per worker, a priority given with each task", .has_levels = false},
  };
  return all;
}

arena::arena(const design& of, std::size_t workers, unsigned levels, inversions how)
    : name_(of.name),
      gives_priority_(of.gives_priority),
      workers_(workers),
      levels_(levels),
      pool_(pool_options{.workers = workers,
                         .levels = of.has_levels ? levels : 1,
                         .rule = of.rule,
                         .count_inversions = how == inversions::counted}) {}

}  // namespace pilfer::lab::priorities
