// What was found and done, in the formats of `pilfer dups`. docs/dups.md describes them; that of JSON is version 1 of pilfer.dups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actions.hpp"
#include "finder.hpp"

namespace pilfer::dups {

enum class format : std::uint8_t { text, json, csv, fdupes };

// How it was found.
struct run_facts {
  std::string scheduler;
  std::size_t workers = 0;
  std::string io;  // "io_uring", or why not
  double seconds = 0;
  std::uint64_t tasks_run = 0;
  std::uint64_t tasks_stolen = 0;
  std::uint64_t io_completed = 0;
  std::uint64_t io_stolen = 0;
};

struct taken_step {
  step what;
  step_outcome came;
};

// What came of an action.
struct action_report {
  action_kind kind = action_kind::remove;
  bool dry_run = false;
  bool interrupted = false;  // steps are missing
  std::vector<taken_step> steps = {};

  [[nodiscard]] std::uint64_t count(step_result result) const noexcept;
  [[nodiscard]] std::uint64_t freed_bytes() const noexcept;  // by what is done, or would be
};

// Gets the report in pieces.
using sink = std::function<void(std::string_view)>;

void write_text(const outcome& found, const sink& to);
void write_fdupes(const outcome& found, const sink& to);
void write_csv(const outcome& found, const sink& to);
// One group, problem or step in a line.
void write_json(const outcome& found, const run_facts& run, const std::optional<action_report>& did, const sink& to);
// The same in two parts: what is known before an action, and the rest.
void write_json_search(const outcome& found, const run_facts& run, const sink& to);
void write_json_end(const outcome& found, const std::optional<action_report>& did, const sink& to);

// A few lines for people: what is wasted, what was seen, what was left out.
[[nodiscard]] std::string summary_text(const outcome& found, const run_facts& run);
// "cannot read 'x': Permission denied"
[[nodiscard]] std::string problem_text(const problem& about);
// "deleted x (kept y)", "left alone: x: why"
[[nodiscard]] std::string step_text(const action_report& of, const taken_step& one);
[[nodiscard]] std::string action_summary(const action_report& of);
// "Delete 3 files (1.5 MiB), and keep one of each of 2 groups?"
[[nodiscard]] std::string question(action_kind kind, const std::string& folder, const std::vector<step>& steps,
                                   std::size_t groups);

// Most wasted bytes first; equals stay in order.
void sort_by_waste(std::vector<group>& groups);

}  // namespace pilfer::dups
