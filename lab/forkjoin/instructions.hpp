// Instructions per fork, as callgrind counts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pilfer::lab::forkjoin {

// Who computes fib: "serial", "plain", "context" or "throwing".
[[nodiscard]] const std::vector<std::string>& instruction_forms();

// fib(n) in that form with one worker, once: what callgrind watches. False: this build has no such form.
//   Throws  std::runtime_error if the answer is wrong.
[[nodiscard]] bool run_for_instructions(const std::string& form, int n);

// Per fork of fib(25), how many more than serial code needs for the same two calls. The start of the program and of the
// pool is taken off by counting fib(10) too.
struct instruction_counts {
  double serial = 0;  // per fork
  double plain = 0;   // beyond that, as the others
  double context = 0;
  double throwing = 0;
};

struct counted_instructions {
  std::optional<instruction_counts> counts;
  std::string why_not;  // of a count that could not be made
};

// Runs valgrind on this program.
//   Throws  `interrupted`.
[[nodiscard]] counted_instructions count_instructions();

// The number after "Collected :" in what callgrind says.
[[nodiscard]] std::optional<std::uint64_t> collected(const std::string& callgrind_output);

}  // namespace pilfer::lab::forkjoin
