// The four designs that 003 compares, as pools; and the programs' way to make tasks in all of them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

namespace pilfer::lab::priorities {

struct design {
  std::string name;
  std::string description;
  priority_rule rule = priority_rule::strict;
  bool has_levels = true;
  bool gives_priority = true;  // with each task
};

inline constexpr const char* strict_name = "strict";
inline constexpr const char* relaxed_name = "relaxed";
inline constexpr const char* global_name = "global";
inline constexpr const char* single_name = "single";
inline constexpr const char* given_name = "single_given";

// In the order of the tables: the baseline is beside what it is mostly compared with, so that their samples are taken close together.
// The last is no design of 003's, but what a priority costs where there is one level.
[[nodiscard]] const std::vector<design>& designs();

enum class inversions : bool { not_counted, counted };

// A pool of one design. Programs say spawn(group, level, f), whatever the design makes of the level.
class arena {
 public:
  arena(const design& of, std::size_t workers, unsigned levels, inversions how = inversions::not_counted);

  template <class F>
  void spawn(task_group& into, unsigned level, F&& f) {
    if (gives_priority_) {
      into.at(at(level)).spawn(std::forward<F>(f));
    } else {
      into.spawn(std::forward<F>(f));
    }
  }
  template <class F>
  [[nodiscard]] auto submit(unsigned level, F&& f) {
    return gives_priority_ ? pool_.at(at(level)).submit(std::forward<F>(f)) : pool_.submit(std::forward<F>(f));
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t workers() const noexcept { return workers_; }
  [[nodiscard]] unsigned levels() const noexcept { return levels_; }  // that the program has, not the pool
  [[nodiscard]] pool& inside() noexcept { return pool_; }

 private:
  // Where there is one level, it is all of them.
  [[nodiscard]] priority at(unsigned level) const { return pool_.levels() == 1 ? priority::high : priority(level); }

  std::string name_;
  bool gives_priority_;
  std::size_t workers_;
  unsigned levels_;
  pool pool_;
};

}  // namespace pilfer::lab::priorities
