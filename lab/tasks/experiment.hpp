// Experiment `tasks`: what a spawned task costs: time, instructions, and memory while it waits.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

// How this program is called so that it runs run_spawn_child with the arguments that follow.
[[nodiscard]] std::vector<std::string> usual_spawn_child();
[[nodiscard]] experiment tasks_experiment(std::vector<std::string> child = usual_spawn_child());

// For callgrind: spawns ROUNDS times 1000 empty tasks on one worker. Arguments: ROUNDS. Returns the code of exit: 2 for arguments that make no
// sense.
[[nodiscard]] int run_spawn_child(const std::vector<std::string>& arguments);

namespace tasks {

inline constexpr const char* suite_name = "tasks";
inline constexpr std::size_t tasks_of_round = 1000;  // between two waits

// Rows `spawn`: ns of one task, one worker.
inline constexpr const char* spawn_row = "spawn";
inline constexpr const char* call_impl = "function call";
inline constexpr const char* group_impl = "task_group";    // spawned into a group, run by its waiter
inline constexpr const char* future_impl = "submit, get";  // one at a time
[[nodiscard]] findings measure_spawns(const settings& given);

// Row `instructions`: of one task of a group, as callgrind counts them. Without valgrind the row is missing, and a note says so.
inline constexpr const char* instructions_row = "instructions";
[[nodiscard]] findings count_instructions(const std::vector<std::string>& child, const settings& given);

// Row `locked`: locked instructions of the same, counted one instruction at a time. Missing, with a note, where that is not possible.
inline constexpr const char* locked_row = "locked";
[[nodiscard]] findings count_locked(const settings& given);

// Rows `submit`: ns of one task that a thread outside gives to a scheduler and waits for. Each scheduler has one thread beside the caller,
// which is awake.
inline constexpr const char* submit_row = "submit";
inline constexpr const char* submit_impl = "submit, get from outside";
inline constexpr const char* tbb_group_impl = "onetbb: enqueue, wait";  // a task_group; the caller waits in the arena
inline constexpr const char* tbb_flag_impl = "onetbb: enqueue, flag";   // the caller waits for a flag
[[nodiscard]] findings measure_submits(const settings& given);

// Row `bytes`: what malloc has given for each task that waits, its place in the queue included.
inline constexpr const char* bytes_row = "bytes";
[[nodiscard]] findings measure_bytes(const settings& given);

[[nodiscard]] std::vector<claim> claims(const std::vector<row>& rows, const settings& given);
[[nodiscard]] std::vector<page::chart> charts(const std::vector<row>& rows);

}  // namespace tasks
}  // namespace pilfer::lab::experiments
