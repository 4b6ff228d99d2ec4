#include "lab/programs/workload.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "lab/programs/run_program.hpp"

namespace pilfer::lab::programs {
namespace {

// Forks that are calls, counted. One thread only.
struct counting {
  static inline thread_local std::uint64_t forks = 0;
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) noexcept {
    ++forks;
    auto a = f();
    auto b = g();
    return std::tuple(a, b);
  }
};

template <class Value>
Value cached(std::map<workload, Value>& known, const workload& what, const std::function<Value()>& find) {
  static std::mutex mutex;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(what); found != known.end()) return found->second;
  }
  const Value value = find();
  const std::lock_guard lock(mutex);
  return known.emplace(what, value).first->second;
}

std::uint64_t count_forks(const workload& what) {
  if (what.what == program::fib) return fib_forks(static_cast<int>(what.size));
  if (what.what == program::late_leaf) return late_leaf_tasks;
  counting::forks = 0;
  (void)run_program<counting>(what, [](auto f) { return f(); });
  return counting::forks;
}

}  // namespace

std::mutex& sorting_ground::mutex() {
  static std::mutex only;
  return only;
}
std::vector<std::int64_t>& sorting_ground::original() {
  static std::vector<std::int64_t> numbers;
  return numbers;
}
std::vector<std::int64_t>& sorting_ground::shared() {
  static std::vector<std::int64_t> numbers;
  return numbers;
}

std::string_view name_of(program what) noexcept {
  switch (what) {
    case program::fib: return "fib";
    case program::nqueens: return "nqueens";
    case program::integrate: return "integrate";
    case program::uts_t1: return "uts-t1";
    case program::uts_t3: return "uts-t3";
    case program::quicksort: return "quicksort";
    case program::late_leaf: return "late-leaf";
    case program::skewed_left: return "skewed-left";
    case program::skewed_right: return "skewed-right";
  }
  return "?";
}

const std::vector<program>& all_programs() {
  static const std::vector<program> all = [] {
    std::vector<program> list = benchmark_programs();
    list.insert(list.end(), {program::skewed_left, program::skewed_right});
    return list;
  }();
  return all;
}

const std::vector<program>& benchmark_programs() {
  static const std::vector<program> all = {program::fib,    program::nqueens,   program::integrate, program::uts_t1,
                                           program::uts_t3, program::quicksort, program::late_leaf};
  return all;
}

workload scaled(program what, scale how) {
  struct sizes {
    std::int64_t tiny, quick, full;
  };
  const auto of = [&]() -> sizes {
    switch (what) {
      case program::fib: return {16, 30, 34};
      case program::nqueens: return {6, 11, 12};
      case program::integrate: return {2, 100, 350};
      case program::uts_t1: return {3, 7, 10};
      case program::uts_t3: return {10, 100, 2000};
      case program::quicksort: return {10'000, 1'000'000, 10'000'000};
      case program::late_leaf: return {4, 40, 40};
      case program::skewed_left:
      case program::skewed_right: return {1'000, 10'000, 100'000};
    }
    return {1, 1, 1};
  }();
  return {what, how == scale::tiny ? of.tiny : how == scale::quick ? of.quick : of.full};
}

std::string text_of(const workload& what) {
  switch (what.what) {
    case program::fib: return fmt::format("fib({}), no cut-off", what.size);
    case program::nqueens: return fmt::format("nqueens({})", what.size);
    case program::integrate: return fmt::format("integrate x^3 + x up to {}", what.size);
    case program::uts_t1:
      return what.size == t1_tree.size ? "UTS T1 (geometric)" : fmt::format("UTS T1 cut at depth {}", what.size);
    case program::uts_t3:
      return what.size == t3_tree.size ? "UTS T3 (binomial)"
                                       : fmt::format("UTS T3 with a root of {} children", what.size);
    case program::quicksort: return fmt::format("quicksort of {} int64, cut-off {}", what.size, quicksort_cutoff);
    case program::late_leaf:
      return fmt::format("late leaf: {} tasks of {:g} ms, then {} ms", late_leaf_tasks,
                         static_cast<double>(what.size) / late_leaf_tasks, what.size);
    case program::skewed_left:
    case program::skewed_right: return fmt::format("{} over {} numbers", name_of(what.what), what.size);
  }
  return "?";
}

timed_answer run_serially(const workload& what) {
  const auto size = what.size;
  const int n = static_cast<int>(size);
  switch (what.what) {
    case program::fib: return timed([&] { return serial_fib(n); });
    case program::nqueens: return timed([&] { return serial_nqueens(n); });
    case program::integrate: return timed([&] { return serial_integrate(size); });
    case program::uts_t1:
    case program::uts_t3: return timed([&] { return serial_uts(tree_of(what)); });
    case program::quicksort: {
      sorting_ground numbers(static_cast<std::size_t>(size));
      return numbers.checked(timed([&] { return serial_quicksort(numbers.begin(), numbers.end()); }));
    }
    case program::late_leaf: return timed([&] { return serial_late_leaf(size * ns_per_ms); });
    case program::skewed_left:
    case program::skewed_right: return timed([&] { return serial_skewed(size); });
  }
  return {};
}

double answer_of(const workload& what) {
  static std::map<workload, double> known = {
      {{program::uts_t1, t1_tree.size}, static_cast<double>(t1_nodes)},
      {{program::uts_t3, t3_tree.size}, static_cast<double>(t3_nodes)},
  };
  return cached<double>(known, what, [&]() -> double {
    if (what.what == program::late_leaf) return late_leaf_tasks + 1;
    return run_serially(what).answer;
  });
}

std::uint64_t forks_of(const workload& what) {
  static std::map<workload, std::uint64_t> known;
  return cached<std::uint64_t>(known, what, [&] { return count_forks(what); });
}

void check_answer(const workload& what, double answer, std::string_view who) {
  const double right = answer_of(what);
  // Only integrate rounds, and everybody adds in the same order.
  constexpr double rounding = 1e-12;
  if (std::abs(answer - right) <= rounding * std::abs(right)) return;
  throw std::runtime_error(fmt::format("{}: {} gave {:.17g} instead of {:.17g}", who, text_of(what), answer, right));
}

}  // namespace pilfer::lab::programs
