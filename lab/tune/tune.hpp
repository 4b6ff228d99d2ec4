// Which configuration of pilfer suits a program: runs it under each, chosen by environment variables, and compares.
//
// In stages, each of them interleaved and with the default among its configurations: schedulers and sizes of blocks; then victim
// policies, for the best schedulers; then, with fresh samples, those that looked faster. Only the last stage counts: the best of
// thirty looks good by chance.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/tune/child_run.hpp"

namespace pilfer::lab::tune {

struct configuration {
  std::string scheduler = "default";
  std::size_t block_entries = 0;  // 0: as it is without being told
  std::string victim = {};        // empty: as it is without being told  NOLINT(readability-redundant-member-init)

  [[nodiscard]] bool is_default() const { return *this == configuration{}; }
  [[nodiscard]] std::string name() const;         // "bwos-lifo, blocks of 64, victim seq"
  [[nodiscard]] environment variables() const;    // all three, so that none of the caller's is left
  [[nodiscard]] std::string assignments() const;  // "PILFER_SCHEDULER=bwos-lifo PILFER_BLOCK_ENTRIES=64"
  [[nodiscard]] std::string options() const;      // "pool_options::scheduler and block_entries"
  bool operator==(const configuration&) const = default;
};

// What happened with one configuration in one stage.
struct trial {
  configuration what;
  std::vector<child_run> runs;  // without the warm-up; runs[i] of two trials are a pair
  std::string failure;          // why it is out; empty if every run succeeded
};

struct stage {
  std::string name;           // "schedulers", "victims" or "confirmation"
  std::vector<trial> trials;  // the first is the default
};

// Time relative to the default: below 1 is faster. None for one that has failed or was not run.
[[nodiscard]] std::optional<estimate> ratio_to_default(const stage& of, const trial& one);

struct recommendation {
  configuration what;
  estimate ratio;
};
// The fastest that is faster than the default: by its interval, and by a percent at least. None: the default is fine.
[[nodiscard]] std::optional<recommendation> recommend(const stage& confirmation);
// Those that might be recommended, the fastest first, at most so many.
[[nodiscard]] std::vector<configuration> promising(const std::vector<stage>& stages, std::size_t most);
// Schedulers by their fastest trial, each once, at most so many.
[[nodiscard]] std::vector<configuration> best_schedulers(const stage& of, std::size_t most);

// --- Doing it.

struct settings {
  std::vector<std::string> command;
  std::vector<std::string> schedulers;  // empty: all
  std::size_t repetitions = 10;
  bool quick = false;  // fewer victim policies
  bool same_output = false;
  std::chrono::duration<double> limit = std::chrono::minutes(1);  // of each run
};
inline constexpr std::size_t quick_repetitions = 5;

// The program does not even run with the default; the text says how it ended, with the end of its standard error.
class program_failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct tuning {
  std::vector<stage> stages;
  bool asks_pilfer = true;  // false: it did not mind a scheduler that there is not
  std::optional<recommendation> advice;
  int interrupted_by = 0;  // the signal: the stages have what there was until then, and there is no advice
};

// `show`: lines for people, as it goes.
//   Throws  program_failed; std::system_error if it cannot be started.
[[nodiscard]] tuning tune(const settings& given, const std::function<void(std::string_view)>& show);

// The configurations of the first two stages; the default first.
[[nodiscard]] std::vector<configuration> scheduler_configurations(const std::vector<std::string>& schedulers);
[[nodiscard]] std::vector<configuration> victim_configurations(const std::vector<configuration>& schedulers,
                                                               bool quick);

// --- Saying it.

[[nodiscard]] std::string text_of(const stage& one);
[[nodiscard]] std::string advice_text(const tuning& found);

// Rows of suite "tune". What has failed has no row: see further_keys.
[[nodiscard]] std::vector<row> rows_of(const tuning& found, const std::string& program);
// "command", "asks_pilfer", "failed", "recommended": keys of the document beside its rows.
[[nodiscard]] json further_keys(const tuning& found, const settings& given);

}  // namespace pilfer::lab::tune
