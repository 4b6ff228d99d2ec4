// How urgent a task is.
//
//   pilfer::pool pool({.levels = 3});
//   group.at(pilfer::priority::high).spawn(answer, request);      // before anything that waits at a lower level, in the whole pool
//   group.at(pilfer::priority(2)).spawn(clean_up);                // by number: 0 is the most urgent
//   pilfer::with_priority(pilfer::priority::low, [&] { … });   // for what is spawned, forked and submitted in there
//
// What a task spawns, submits and forks has the task's level, unless told otherwise. A pool has one level unless its options say
// otherwise. A running task is never interrupted. docs/guarantees.md says what is promised.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <pilfer/detail/callable.hpp>
#include <pilfer/detail/coroutine_function.hpp>
#include <pilfer/detail/immovable.hpp>
#include <pilfer/detail/refused_call.hpp>

namespace pilfer {

class priority {
 public:
  // Level 0 is the most urgent. Whether the pool has that level is seen when it is used there.
  constexpr explicit priority(unsigned level) noexcept : kind_(kind::number), level_(level) {}
  // These exist in every pool.
  static const priority high;  // level 0
  static const priority
      normal;  // levels / 2: the middle one of three. What tasks have that were given none, and have no parent
  static const priority low;  // the last

  // Which level that is in a pool that has so many.
  //   Throws  std::invalid_argument for a number that is none of them.
  [[nodiscard]] unsigned level_in(unsigned levels) const {
    if (kind_ == kind::number && level_ >= levels) refuse(level_, levels);
    return nearest_level_in(levels);
  }
  // The same; of a number that is none of them, the last.
  [[nodiscard]] constexpr unsigned nearest_level_in(unsigned levels) const noexcept {
    switch (kind_) {
      case kind::high: return 0;
      case kind::normal: return levels / 2;
      case kind::low: return levels - 1;
      case kind::number: break;
    }
    return level_ < levels ? level_ : levels - 1;
  }
  friend constexpr bool operator==(priority, priority) noexcept = default;

 private:
  enum class kind : std::uint8_t { number, high, normal, low };
  constexpr explicit priority(kind which) noexcept : kind_(which), level_(0) {}
  [[noreturn, gnu::cold]] static void refuse(unsigned level, unsigned levels);  // in src/runtime/

  kind kind_;
  unsigned level_;
};

inline constexpr priority priority::high{priority::kind::high};
inline constexpr priority priority::normal{priority::kind::normal};
inline constexpr priority priority::low{priority::kind::low};

// The level of the calling task, by number; outside of every pool what with_priority has set, else normal.
[[nodiscard]] priority current_priority() noexcept;

namespace detail {

struct worker;

// While this lives, the calling thread makes tasks and forks of that priority. In src/runtime/.
class priority_section : immovable {
 public:
  explicit priority_section(priority wanted);
  ~priority_section();

 private:
  worker* const self_;  // null: outside
  // What was before: outside, and in a pool.
  const bool outside_set_;
  const priority outside_;
  const std::uint8_t level_;
};

}  // namespace detail

// Calls f here and now, and returns its result: what it spawns, submits and forks has that priority. Sections may be nested.
// Outside of every pool: for what this thread submits, and for the pools it goes into; where one has no such level, its last.
//   Throws  std::invalid_argument, before the call, if the calling task's pool has no such level; what f throws.
template <class F>
detail::called_result<F> with_priority(priority wanted, F&& f) {
  static_assert(std::is_invocable_v<F>,
                "pilfer: with_priority calls f(), and this f cannot be called so; write with_priority(level, [&] { "
                "return f(x); })");
  static_assert(
      !detail::coroutine_function<F>,
      "pilfer: with_priority does not run coroutine functions; write pool.at(priority).submit(f), or co_await "
      "pool.at(priority).schedule() in the coroutine");
  if constexpr (std::is_invocable_v<F>) {
    const detail::priority_section section(wanted);
    return std::forward<F>(f)();
  } else {
    return detail::refused_call<detail::called_result<F>>();
  }
}

}  // namespace pilfer
