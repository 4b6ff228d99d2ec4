#include "command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <pilfer/statistics.hpp>

#include "bar.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/output.hpp"
#include "words.hpp"

namespace pilfer::dups {
namespace {

constexpr int nothing_wrong = 0;
constexpr int something_left = 1;
constexpr std::chrono::milliseconds answer_look_interval{50};  // for a signal, while somebody thinks about an answer
constexpr unsigned search_levels = 2;

std::string read_list(const std::string& name) {
  const bool standard = name == "-";
  const int fd = standard ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  char buffer[1 << 16];
  ssize_t n = fd < 0 ? -1 : 0;
  while (fd >= 0 && ((n = ::read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))) {
    lab::throw_if_interrupted();
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  }
  const int error = errno;
  if (fd >= 0 && !standard) ::close(fd);
  if (n < 0) {
    throw std::system_error(error, std::generic_category(),
                            "--files-from: cannot read " + (standard ? "standard input" : shown(name)));
  }
  return text;
}

struct search_result {
  outcome found;
  run_facts run;
};

search_result run_search(const command_options& given) {
  const auto start = std::chrono::steady_clock::now();
  search_result result;
  pool workers(pool_options{.workers = given.workers, .scheduler = given.scheduler, .levels = search_levels});
  io::configure(workers, {.choice = given.io});
  if (!given.search.paths.empty()) {
    progress seen;
    const watcher eye(seen, given.progress && ::isatty(STDERR_FILENO) == 1);
    result.found = find_duplicates(workers, given.search, seen, eye.token());
  }
  const pool_statistics statistics = workers.statistics();
  const worker_statistics total = statistics.total();
  result.run = {.scheduler = statistics.scheduler,
                .workers = statistics.workers,
                .io = io::describe_backend(workers),
                .tasks_run = total.tasks,
                .tasks_stolen = total.steals_taken,
                .io_completed = total.io_completed,
                .io_stolen = total.io_stolen};
  result.run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

// Where the report goes, and what people are told beside it.
class output_place {
 public:
  explicit output_place(const command_options& given) : as_(given.as) {
    if (!given.output.empty()) file_.emplace(given.output);
    if (file_ && file_->is_stdout()) file_.reset();
  }
  void report(std::string_view piece) {
    if (file_) {
      text_ += piece;
    } else {
      lab::write_stdout(piece);
    }
  }
  void finish() {
    if (file_) file_->write(text_);
    text_.clear();
  }
  [[nodiscard]] bool is_file() const noexcept { return file_.has_value(); }
  [[nodiscard]] bool tells_stdout() const noexcept { return file_ || as_ == format::text; }
  // Where a program reads standard output, this goes beside it.
  void tell(std::string_view text) {
    if (tells_stdout()) {
      lab::write_stdout(text);
    } else {
      fmt::print(stderr, "{}", text);
    }
  }

 private:
  format as_;
  std::optional<lab::output_file> file_;
  std::string text_;
};

void write_report(const command_options& given, const search_result& result, const std::optional<action_report>& did,
                  output_place& place) {
  const sink to = [&](std::string_view piece) { place.report(piece); };
  switch (given.as) {
    case format::text:
      if (!given.summary_only) write_text(result.found, to);
      place.report(summary_text(result.found, result.run));
      break;
    case format::json: write_json(result.found, result.run, did, to); break;
    case format::csv: write_csv(result.found, to); break;
    case format::fdupes: write_fdupes(result.found, to); break;
  }
  place.finish();
  if (given.as != format::text && result.found.interrupted)
    fmt::print(stderr, "pilfer: interrupted: the report is partial\n");
}

bool report_problems(const outcome& found) {
  std::size_t failures = 0;
  for (const problem& one : found.problems) {
    fmt::print(stderr, "pilfer: {}\n", problem_text(one));
    if (is_failure(one.kind)) ++failures;
  }
  if (failures > 0) fmt::print(stderr, "pilfer: {} left out\n", counted(failures, "path"));
  return failures > 0;
}

// Only yes is yes. A signal is no answer: see lab::interrupt_signal.
bool ask(const std::string& text) {
  fmt::print(stderr, "{} [y/N] ", text);
  std::fflush(stderr);
  std::string answer;
  while (lab::interrupt_signal() == 0) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&input, 1, static_cast<int>(answer_look_interval.count())) <= 0) continue;
    char c = 0;
    if (::read(STDIN_FILENO, &c, 1) != 1) break;
    if (c == '\n') return answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes";
    answer += c;
  }
  fmt::print(stderr, "\n");
  return false;
}

// JSON has what was done in itself. What is known before goes out before: where that cannot be written, nothing is done.
void begin_json(const command_options& given, const search_result& result, output_place& place) {
  if (!place.is_file()) {
    write_json_search(result.found, result.run, [&](std::string_view piece) { place.report(piece); });
    return;
  }
  // A file is whole at every moment. To a pipe or a device it goes once, at the end.
  struct stat there{};
  if (::stat(given.output.c_str(), &there) != 0 || S_ISREG(there.st_mode)) write_report(given, result, {}, place);
}
void end_json(const command_options& given, const search_result& result, const std::optional<action_report>& did,
              output_place& place) {
  if (place.is_file()) {
    write_report(given, result, did, place);
  } else {
    write_json_end(result.found, did, [&](std::string_view piece) { place.report(piece); });
  }
}

// `told`: false if what was done could not be said where it belongs.
action_report act(const command_options& given, const std::vector<step>& steps, output_place& place, bool& told) {
  action_report did{.kind = given.actions.front(), .dry_run = given.dry_run};
  actor doer(
      {.kind = did.kind, .dry_run = given.dry_run, .folder = given.folder, .reference = given.search.reference_paths});
  progress seen;
  for (const step& one : steps) seen.bytes_to_do += one.size;
  seen.stage = search_stage::reading;
  // Where each step has a line at the terminal, that is progress enough.
  const bool lines = given.as != format::json && !given.summary_only;
  const bool lines_at_terminal = lines && ::isatty(place.tells_stdout() ? STDOUT_FILENO : STDERR_FILENO) == 1;
  watcher eye(seen, given.progress && !lines_at_terminal && ::isatty(STDERR_FILENO) == 1);
  const std::stop_token stop = eye.token();
  for (const step& one : steps) {
    step_outcome came = doer.act(one, stop);
    if (stop.stop_requested() && came.result == step_result::left_alone) {
      did.interrupted = true;
      break;
    }
    seen.bytes_done += one.size;
    const taken_step& taken = did.steps.emplace_back(taken_step{one, std::move(came)});
    // What was done is said at once: whoever ends us knows how far it went.
    if (taken.came.result == step_result::left_alone) {
      eye.say(fmt::format("pilfer: {}\n", step_text(did, taken)));
    } else if (lines) {
      try {
        place.tell(step_text(did, taken) + "\n");
      } catch (const lab::output_error& error) {
        eye.say(fmt::format("pilfer: {}\npilfer: {}\n", error.what(), step_text(did, taken)));
        told = false;
        did.interrupted = true;
        break;
      }
    }
  }
  return did;
}

// What is left of a report that could not be written.
void tell_lost(const command_options& given, const action_report& did) {
  if (given.as == format::json) {
    for (const taken_step& one : did.steps) {
      if (one.came.result != step_result::left_alone) fmt::print(stderr, "pilfer: {}\n", step_text(did, one));
    }
  }
  fmt::print(stderr, "{}", action_summary(did));
}

}  // namespace

std::vector<std::string> names_in(const std::string& list, char separator) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    if (end > begin) names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

int run_command(const command_options& options) {
  command_options given = options;
  lab::note_interrupts();
  output_place place(given);
  if (given.files_from) {
    for (std::string& name : names_in(read_list(*given.files_from), given.null_separated ? '\0' : '\n'))
      given.search.paths.push_back(std::move(name));
  } else if (given.search.paths.empty()) {
    given.search.paths = {"."};
  }
  // A list can name what the command line must not.
  if (const std::string why = why_contradictory(given); !why.empty()) throw std::invalid_argument(why);

  search_result result = run_search(given);
  if (given.most_wasted_first) sort_by_waste(result.found.groups);
  const bool failed = report_problems(result.found);
  const auto interrupted = [&] { return lab::interrupt_signal() != 0 || result.found.interrupted; };
  const auto code = [&](bool wrong) {
    if (lab::interrupt_signal() != 0) return 128 + lab::interrupt_signal();
    return wrong ? something_left : nothing_wrong;
  };
  std::optional<action_report> did;
  if (given.actions.empty() || interrupted()) {
    write_report(given, result, did, place);
    return code(failed);
  }
  const bool is_json = given.as == format::json;
  if (is_json) {
    begin_json(given, result, place);
  } else {
    write_report(given, result, did, place);
  }

  const std::vector<step> steps =
      plan_steps(result.found.groups, given.actions.front(), given.keep.value_or(keep_rule::first));
  bool agreed = steps.empty() || given.yes || given.dry_run;
  if (!agreed) {
    agreed = ask(question(given.actions.front(), given.folder, steps, result.found.groups.size()));
    if (!agreed) fmt::print(stderr, "pilfer: nothing was changed\n");
  }
  bool told = true;
  if (agreed) did = act(given, steps, place, told);
  try {
    if (is_json) end_json(given, result, did, place);
    if (did && told) place.tell(action_summary(*did));
  } catch (const lab::output_error& error) {
    if (!did) throw;
    fmt::print(stderr, "pilfer: {}\n", error.what());
    told = false;
  }
  if (did && !told) tell_lost(given, *did);
  return code(failed || !told || (did && did->count(step_result::left_alone) > 0));
}

}  // namespace pilfer::dups
