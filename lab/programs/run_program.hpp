// Runs and times any program on a scheduler S. `enter(f)` calls f inside the scheduler and returns what f returned; it is
// part of the time, preparing and checking are not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "lab/measure/stopwatch.hpp"
#include "lab/programs/fib.hpp"
#include "lab/programs/integrate.hpp"
#include "lab/programs/late_leaf.hpp"
#include "lab/programs/nqueens.hpp"
#include "lab/programs/quicksort.hpp"
#include "lab/programs/skewed.hpp"
#include "lab/programs/uts.hpp"
#include "lab/programs/workload.hpp"

namespace pilfer::lab::programs {

inline constexpr std::int64_t ns_per_ms = 1'000'000;

[[nodiscard]] inline uts_tree tree_of(const workload& what) noexcept {
  return {what.what == program::uts_t1 ? uts_kind::geometric : uts_kind::binomial, static_cast<int>(what.size)};
}

template <class Call>
[[nodiscard]] timed_answer timed(Call&& call) {
  double answer = 0;
  const double seconds = seconds_taken_by([&] { answer = static_cast<double>(call()); });
  return {seconds, answer};
}

// The same unsorted numbers for everybody, in one place: eighty megabytes for each pool would be too many. One user at a
// time; sorted numbers that are not in order are reported as an answer that nobody expects.
class sorting_ground {
 public:
  explicit sorting_ground(std::size_t count) : lock_(mutex()), numbers_(shared()) {
    if (original().size() != count) original() = numbers_to_sort(count);
    numbers_ = original();
  }
  [[nodiscard]] std::int64_t* begin() noexcept { return numbers_.data(); }
  [[nodiscard]] std::int64_t* end() noexcept { return numbers_.data() + numbers_.size(); }
  [[nodiscard]] timed_answer checked(const timed_answer& sorted) const {
    return {sorted.seconds, std::ranges::is_sorted(numbers_) ? sorted.answer : -1};
  }

 private:
  static std::mutex& mutex();
  static std::vector<std::int64_t>& original();
  static std::vector<std::int64_t>& shared();

  std::lock_guard<std::mutex> lock_;
  std::vector<std::int64_t>& numbers_;
};

template <class S, class Enter>
[[nodiscard]] timed_answer run_program(const workload& what, Enter&& enter) {
  const auto size = what.size;
  const int n = static_cast<int>(size);
  const auto run = [&](auto program) { return timed([&] { return enter(program); }); };
  switch (what.what) {
    case program::fib: return run([n]() noexcept { return fib<S>(n); });
    case program::nqueens: return run([n]() noexcept { return nqueens<S>(n); });
    case program::integrate: return run([size]() noexcept { return integrate<S>(size); });
    case program::uts_t1:
    case program::uts_t3: return run([tree = tree_of(what)]() noexcept { return uts<S>(tree); });
    case program::quicksort: {
      sorting_ground numbers(static_cast<std::size_t>(size));
      return numbers.checked(
          run([first = numbers.begin(), last = numbers.end()]() noexcept { return quicksort<S>(first, last); }));
    }
    case program::late_leaf: return run([size]() noexcept { return late_leaf<S>(size * ns_per_ms); });
    case program::skewed_left: return run([size]() noexcept { return skewed<S, skew::left>(0, size); });
    case program::skewed_right: return run([size]() noexcept { return skewed<S, skew::right>(0, size); });
  }
  throw std::logic_error("run_program: no such program");
}

}  // namespace pilfer::lab::programs
