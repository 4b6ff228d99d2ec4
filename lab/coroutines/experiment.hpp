// Experiment `coroutines`: what a coroutine costs, how soon another worker goes on with one, and the two ways to fork.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

// How this program is called so that it runs run_resume_child with the arguments that follow.
[[nodiscard]] std::vector<std::string> usual_resume_child();
[[nodiscard]] experiment coroutines_experiment(std::vector<std::string> child = usual_resume_child());

// For valgrind: suspends and resumes coroutines on one worker, ROUNDS times some. Arguments: ROUNDS. Returns the code of exit: 2 for arguments
// that make no sense.
[[nodiscard]] int run_resume_child(const std::vector<std::string>& arguments);

namespace coroutines {

inline constexpr const char* suite_name = "coroutines";

// Rows `step`: ns of one step on one worker, of each kind.
inline constexpr const char* step_row = "step";
inline constexpr const char* call_step = "function call";
inline constexpr const char* await_step = "co_await ready task";
inline constexpr const char* schedule_step = "schedule";  // suspended, queued, and resumed by the same worker
[[nodiscard]] findings measure_steps(const settings& given);

// Row `allocations`: of one resumption, as valgrind counts them. Without valgrind the row is missing, and a note says so.
inline constexpr const char* allocations_row = "allocations";
inline constexpr const char* resumed_impl = "schedule, yield, send";
inline constexpr std::size_t resumptions_of_round = 4000;
[[nodiscard]] findings count_allocations(const std::vector<std::string>& child, const settings& given);
// The number after "total heap usage:" in what valgrind says.
[[nodiscard]] std::optional<std::uint64_t> allocations_in(const std::string& valgrind_output);

// Rows `elsewhere`: us until another worker, which is awake, goes on with a coroutine; by how it was handed over.
inline constexpr const char* elsewhere_row = "elsewhere";
inline constexpr const char* spawned = "spawn";       // begun there
inline constexpr const char* woken = "receive";       // waited for a value, which was sent
inline constexpr const char* continued = "fork_now";  // the parent's continuation, while its child runs
inline constexpr const char* helped = "fork";         // the child
inline constexpr double patience_us = 500;            // after that long it counts as so late, whoever takes it
[[nodiscard]] findings measure_elsewhere(const settings& given);

// Rows of programs: serial, fork_join, and coroutines with each way to fork.
inline constexpr const char* fib_program = "fib";
inline constexpr const char* tree_program = "tree";
inline constexpr const char* serial_impl = "serial";
inline constexpr const char* fork_join_impl = "fork_join";
inline constexpr const char* help_first_impl = "fork (help-first)";
inline constexpr const char* work_first_impl = "fork_now (work-first)";
[[nodiscard]] findings measure_forks(const char* program, const settings& given);

[[nodiscard]] std::vector<claim> claims(const std::vector<row>& rows, const settings& given);
[[nodiscard]] std::vector<page::chart> charts(const std::vector<row>& rows);

}  // namespace coroutines
}  // namespace pilfer::lab::experiments
