// Finders take turns on a corpus.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/dups/finders.hpp"
#include "lab/dups/observed_run.hpp"
#include "lab/dups/scratch.hpp"
#include "lab/measure/report.hpp"

namespace pilfer::lab::dups {

// The calling thread, and what it starts, on the first few of its processors for the length of a scope.
class limited_to {
 public:
  explicit limited_to(std::size_t processors);
  ~limited_to();
  limited_to(const limited_to&) = delete;
  limited_to& operator=(const limited_to&) = delete;

 private:
  std::vector<int> before_;
};

// One who takes part, under one set of conditions; and all of its runs.
class participant {
 public:
  participant(const finder& who, const scratch_corpus& on, search_request how);

  // Runs it once, and keeps what it used.
  //   Throws  std::runtime_error if it fails.
  double run_once();
  // What the last run found.
  [[nodiscard]] path_groups found() const;

  [[nodiscard]] const std::vector<observed_run>& runs() const noexcept { return runs_; }
  [[nodiscard]] const finder& who() const noexcept { return who_; }
  // Milliseconds, and medians of all else.
  [[nodiscard]] row row_named(const std::string& name) const;

 private:
  [[nodiscard]] std::string text() const;

  finder who_;
  const scratch_corpus* on_;
  search_request how_;
  std::string label_;  // of its files
  std::vector<observed_run> runs_;
  std::vector<own_statistics> own_;
};

// A row with a 1 if it found what is there, else with a 0; why not is in the row's "difference".
[[nodiscard]] row check(participant& who, const path_groups& expected);

struct contest_rules {
  std::string title;
  std::size_t most_repetitions = 1;
  // Who has used so much takes no further part: seconds. The first, which is ours, goes on as long as anybody does.
  std::optional<double> seconds_each{};
  std::size_t least_repetitions = 1;    // of everybody who does not use five times as much
  std::function<void()> before_each{};  // before every run, not timed
};

// In random order, repetition by repetition: runs with the same index are pairs.
void compete(std::vector<participant>& all, const contest_rules& rules);

}  // namespace pilfer::lab::dups
