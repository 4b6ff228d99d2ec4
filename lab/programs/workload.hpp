// The programs by name and size: what is run, how many forks that is, and what must come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pilfer::lab::programs {

enum class program : unsigned char {
  fib,
  nqueens,
  integrate,
  uts_t1,
  uts_t3,
  quicksort,
  late_leaf,
  skewed_left,
  skewed_right,
};

// What `size` means: fib and nqueens: n; integrate: the upper limit; uts_t1: depth, 10 is T1; uts_t3: the root's children,
// 2000 is T3; quicksort: items; late_leaf: milliseconds of the leaf; skewed: numbers.
struct workload {
  program what = program::fib;
  std::int64_t size = 0;
  friend bool operator==(const workload&, const workload&) = default;
  friend auto operator<=>(const workload&, const workload&) = default;
};

// "fib", "uts-t1"
[[nodiscard]] std::string_view name_of(program what) noexcept;

// Every program; those of the benchmark, in the order of its tables. The skewed trees are only for tests.
[[nodiscard]] const std::vector<program>& all_programs();
[[nodiscard]] const std::vector<program>& benchmark_programs();

// How much is measured: `full` is what the issue asks for, `quick` a tenth and less, `tiny` runs in milliseconds.
enum class scale : unsigned char { tiny, quick, full };
[[nodiscard]] workload scaled(program what, scale how);

// "fib(30)", "T1 cut at depth 7"
[[nodiscard]] std::string text_of(const workload& what);

// Found by running it once, serially, if nobody asked before. Whole numbers, but for integrate.
[[nodiscard]] double answer_of(const workload& what);
[[nodiscard]] std::uint64_t forks_of(const workload& what);

// Seconds of one run, the answer included.
struct timed_answer {
  double seconds = 0;
  double answer = 0;
};

//   Throws  std::runtime_error that names `who` if the answer is not the right one.
void check_answer(const workload& what, double answer, std::string_view who);

[[nodiscard]] timed_answer run_serially(const workload& what);

}  // namespace pilfer::lab::programs
