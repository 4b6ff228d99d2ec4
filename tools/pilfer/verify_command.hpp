// What the parts of `pilfer verify` share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/output.hpp"
#include "lab/measure/report.hpp"
#include "model/verify/verify.hpp"

namespace pilfer::cli {

struct verify_options {
  model::verify::settings settings;
  std::vector<std::string> bounds;  // named by --bound
  std::uint64_t differential = 0;   // number of programs
  std::uint64_t seed = 1;           // of these
  std::string replay;
  std::string json;
};

// The names that are queues, and not known faults.
[[nodiscard]] std::vector<std::string> real_queues();
[[nodiscard]] std::vector<std::string> clients_of(const std::string& queue);

// Each does one of the command's jobs. Returns a code of exit; throws lab::interrupted after it has printed what was found
// so far, and lab::output_error.
int list_clients();
int verify_clients(const verify_options& chosen);
int verify_litmus(const verify_options& chosen);
int verify_differential(const verify_options& chosen);
int verify_replay(const verify_options& chosen);
int verify_weaken(const verify_options& chosen);
int verify_mutants(const verify_options& chosen);

// Standard output and, where standard error is a terminal, a line of progress below it. For callbacks that may come from
// any thread, one at a time: none throws, and stop() may be asked at any time.
class live_output {
 public:
  // With `silent` print() does nothing.
  explicit live_output(bool silent = false);
  ~live_output();
  live_output(const live_output&) = delete;
  live_output& operator=(const live_output&) = delete;

  void print(std::string_view text) noexcept;
  // At most ten times a second, unless there is no terminal.
  void progress(std::string_view text) noexcept;
  // An interrupt, or nobody reads what is printed: the search should end.
  [[nodiscard]] bool stop() const noexcept;
  // Prints how it ended: after an interrupt on standard error, if print() is silent.
  //   Throws  what went wrong with printing; lab::interrupted.
  void conclude(std::string_view text);

  [[nodiscard]] double seconds() const noexcept;  // since construction

 private:
  using clock = std::chrono::steady_clock;
  void erase() noexcept;

  bool silent_;
  bool terminal_;
  bool drawn_ = false;
  clock::time_point start_ = clock::now();
  clock::time_point next_draw_ = start_;
  std::exception_ptr error_;
  std::atomic<bool> broken_{false};
};

// "[#####...............]"
[[nodiscard]] std::string progress_bar(std::size_t done, std::size_t of);
// "123.4k executions/s"
[[nodiscard]] std::string rate_text(std::uint64_t executions, double seconds);
// What no run of the checker says anything about: one line, for every report.
[[nodiscard]] std::string blind_spots();

// The litmus set, each test with either meaning of seq_cst.
struct litmus_outcome {
  std::vector<lab::row> rows;
  std::size_t tests = 0;
  std::size_t failed = 0;
  std::uint64_t executions = 0;
  std::optional<lab::estimate> executions_per_second;  // on one core; none if interrupted
  std::string text;                                    // the lines of the tests
  std::string failures;                                // the lines of those that failed
};
[[nodiscard]] litmus_outcome run_litmus_set(live_output& out);

// What the claims are about.
struct verify_facts {
  std::string not_whole;  // why this was no run of everything; empty if it was
  bool full = false;
  std::uint64_t executions = 0;
  std::size_t queues = 0;
  std::size_t queues_passed = 0;
  double seconds = 0;
  const litmus_outcome* litmus = nullptr;
};
[[nodiscard]] std::vector<lab::claim> verify_claims(const verify_facts& of);

}  // namespace pilfer::cli
