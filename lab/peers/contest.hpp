// What is compared in the experiment `peers`, and who takes part: pilfer, serial C++, oneTBB, OpenMP, and programs in other
// languages, each of those beside sequential code of its own language.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pilfer::lab::peers {

enum class contest : unsigned char {
  fib,         // fork and join; size: n
  fib_spawn,   // a task for one of the two calls; size: n
  skynet,      // ten children each, a task for each; size: leaves, a power of ten
  spawn,       // tasks that do nothing; size: tasks
  ping_pong,   // a number goes to and fro between two; size: rounds
  nqueens,     // these three as in lab/programs
  integrate,   //
  quicksort,   //
  merge_sort,  // size: numbers
  matmul,      // size: rows and columns
  json,        // decode and encode documents; size: documents
};

// "fib_spawn": the same in the protocol of the foreign programs, and in rows.
[[nodiscard]] std::string_view name_of(contest what) noexcept;

// Found out without the help of those who take part, or by serial code that was run once.
[[nodiscard]] double right_answer(contest what, std::int64_t size);
//   Throws  std::runtime_error that names `who` if the answer is not the right one.
void check_answer(contest what, std::int64_t size, double answer, std::string_view who);

struct outcome {
  double seconds = 0;
  double answer = 0;
  // Of a program of its own, which says so itself; none: it ran in this process.
  struct context_switches {
    std::int64_t voluntary = 0;
    std::int64_t involuntary = 0;
  };
  std::optional<context_switches> switches{};
  std::vector<double> more{};
};

// A scheduler with its workers; lives as long as a contest.
class team {
 public:
  team() = default;
  virtual ~team() = default;
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  // Runs it once and times it.
  virtual outcome run(contest what, std::int64_t size) = 0;
  // None of a scheduler that does not say.
  [[nodiscard]] virtual std::optional<std::uint64_t> steals_so_far() const { return std::nullopt; }
};

inline constexpr const char* serial_name = "serial";
inline constexpr const char* pilfer_name = "pilfer";
inline constexpr const char* fork_join_name = "pilfer-fork-join";
inline constexpr const char* fifo_name = "pilfer-bwos-fifo";

struct entrant {
  std::string name;
  std::string own_sequential;  // sequential code of the same language; its own name, if it is that itself
  std::vector<contest> contests;
  std::string version{};                                             // of others'
  std::string why_missing{};                                         // of one that cannot be made here
  std::function<std::unique_ptr<team>(std::size_t workers)> make{};  // empty: see why_missing

  [[nodiscard]] bool sequential() const { return name == own_sequential; }
  [[nodiscard]] bool takes_part(contest what) const { return std::ranges::find(contests, what) != contests.end(); }
};

// All of them, in the order of tables and legends.
[[nodiscard]] const std::vector<entrant>& entrants();

[[nodiscard]] std::vector<entrant> serial_entrants();
[[nodiscard]] std::vector<entrant> pilfer_entrants();
[[nodiscard]] std::vector<entrant> tbb_entrants();
[[nodiscard]] std::vector<entrant> openmp_entrants();
[[nodiscard]] std::vector<entrant> foreign_entrants();

}  // namespace pilfer::lab::peers
