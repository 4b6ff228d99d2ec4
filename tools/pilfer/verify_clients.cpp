// pilfer verify: every client of every queue, with the litmus set; and the replay of one execution.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "command.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/table.hpp"
#include "verify_command.hpp"

namespace pilfer::cli {
namespace {

namespace verify = model::verify;

// The engine's word for a search that was told to end.
constexpr std::string_view stopped = "stopped";

bool was_stopped(const verify::row& r) { return r.bound_hit.starts_with(stopped); }
bool bound_hit(const verify::row& r) { return !r.bound_hit.empty() && !was_stopped(r); }
bool failed(const verify::row& r) { return r.failed.what != model::fault::none; }
bool unfinished(const verify::row& r) { return was_stopped(r) && !failed(r); }

std::string search_text(const verify::row& r) {
  if (failed(r)) return "up to the fault";
  if (was_stopped(r)) return "interrupted";
  if (bound_hit(r)) return "BOUND HIT: " + r.bound_hit;
  return r.mode;
}

std::string verdict_text(const verify::row& r) {
  if (failed(r)) return fmt::format("{}: {}", r.expected_to_fail ? "fault found" : "FAILED", to_string(r.failed.what));
  if (was_stopped(r)) return "-";
  return r.expected_to_fail ? "FAULT NOT FOUND" : "ok";
}

const char* json_verdict(const verify::row& r) {
  if (r.expected_to_fail) return failed(r) ? "fault found" : "fault not found";
  return failed(r) ? "failed" : "ok";
}

// Random executions are not compared with each other.
std::string graphs_text(const verify::row& r) {
  return r.graphs == 0 && r.executions > 0 && !failed(r) ? "-" : fmt::format("{}", r.graphs);
}

std::size_t widest(const std::vector<std::string>& names, std::size_t least) {
  for (const std::string& name : names) least = std::max(least, name.size());
  return least;
}

// Lines of a table whose rows come one by one.
class row_lines {
 public:
  row_lines() : queue_(widest(verify::queue_names(), 5)), client_(widest(verify::client_names(), 6)) {}

  [[nodiscard]] std::string heading() const {
    const std::string line =
        fmt::format("{:<{}}  {:<{}}  {:>10}  {:>8}  {:>8}  {:>8}  {:<20}  verdict\n", "queue", queue_, "client",
                    client_, "executions", "graphs", "seconds", "exec/s", "search");
    return line + std::string(line.size() - 1, '-') + "\n";
  }
  [[nodiscard]] std::string text(const verify::row& r) const {
    const double rate = r.seconds > 0 ? static_cast<double>(r.executions) / r.seconds : 0;
    return fmt::format("{:<{}}  {:<{}}  {:>10}  {:>8}  {:>8.2f}  {:>8}  {:<20}  {}\n", r.queue, queue_, r.client,
                       client_, r.executions, graphs_text(r), r.seconds,
                       rate > 0 ? lab::short_count(static_cast<std::uint64_t>(rate)) : "-", search_text(r),
                       verdict_text(r));
  }

 private:
  std::size_t queue_;
  std::size_t client_;
};

std::string replay_command(const std::string& replay) { return fmt::format("pilfer verify --replay '{}'", replay); }

std::string failure_text(const verify::row& r) {
  const std::string& which = r.failed_run.empty() ? r.what : r.failed_run;
  if (!failed(r)) {
    return fmt::format("\nFAULT NOT FOUND: {} {} ({}) should fail and did not. {}\n", r.queue, r.client, which, r.note);
  }
  return fmt::format("\nFAILED: {} {}: {}\n{}: {}\n\n{}{}Again: {}\n", r.queue, r.client, which,
                     to_string(r.failed.what), r.failed.text, r.failed.trace,
                     r.failed.trace.empty() || r.failed.trace.ends_with('\n') ? "" : "\n",
                     replay_command(r.failed.replay));
}

struct totals {
  std::uint64_t executions = 0;
  std::uint64_t graphs = 0;
  std::size_t rows = 0;
  std::size_t bounds_hit = 0;
  std::size_t faults_found = 0;
  std::size_t wrong = 0;
  std::set<std::string> queues;  // without the known faults and their controls
  std::set<std::string> queues_wrong;

  explicit totals(const std::vector<verify::row>& of) {
    for (const verify::row& r : of) {
      executions += r.executions;
      graphs += r.graphs;
      if (bound_hit(r)) ++bounds_hit;
      if (unfinished(r)) continue;
      ++rows;
      if (verify::is_queue(r.queue)) queues.insert(r.queue);
      if (r.expected_to_fail && failed(r)) ++faults_found;
      if (r.as_expected()) continue;
      ++wrong;
      queues_wrong.insert(r.queue);
    }
  }
  [[nodiscard]] std::size_t queues_passed() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(queues, [&](const std::string& q) { return !queues_wrong.contains(q); }));
  }
};

std::string clients_summary(const totals& sum, const litmus_outcome* litmus, double seconds, bool interrupted) {
  std::string text = fmt::format("{} executions, {} graphs, {:.1f} s, {}\n", sum.executions, sum.graphs, seconds,
                                 rate_text(sum.executions, seconds));
  if (interrupted) {
    text += fmt::format("{} rows finished, {} of them failed", sum.rows, sum.wrong);
  } else {
    text += fmt::format("{} rows, {} failed", sum.rows, sum.wrong);
    if (!sum.queues.empty()) text += fmt::format("; {} of {} queues passed", sum.queues_passed(), sum.queues.size());
  }
  if (sum.faults_found > 0) text += fmt::format(", known faults found: {}", sum.faults_found);
  if (litmus != nullptr) text += fmt::format("; {} of {} litmus tests failed", litmus->failed, litmus->tests);
  text += "\n";
  if (sum.bounds_hit > 0) {
    text += fmt::format("{} of {} rows: BOUND HIT, not everything was explored there\n", sum.bounds_hit, sum.rows);
  }
  return text + blind_spots();
}

lab::row client_json_row(const verify::row& r) {
  lab::row made{.suite = "verify",
                .name = r.client,
                .impl = r.queue,
                .params = {{"what", r.what}, {"runs", r.runs}},
                .unit = "s",
                .samples = {r.seconds},
                .ratio_to_sequential = {},
                .extra = {{"mode", r.mode},
                          {"executions", r.executions},
                          {"cut_off", r.cut_off},
                          {"graphs", r.graphs},
                          {"exhausted", r.exhausted},
                          {"bound_hit", r.bound_hit},
                          {"verdict", json_verdict(r)}}};
  if (failed(r)) {
    made.extra["fault"] = to_string(r.failed.what);
    made.extra["failure"] = r.failed.text;
    made.extra["replay"] = r.failed.replay;
  }
  return made;
}

std::string why_not_whole(const verify_options& chosen) {
  if (!chosen.settings.queues.empty() || !chosen.settings.client.empty()) return "only some queues or clients were run";
  return !chosen.bounds.empty() ? "run with --bound" : "";
}

std::string progress_text(const verify::progress& p, double seconds) {
  return fmt::format("{} {}/{} rows, {} executions, {}  {}", progress_bar(p.rows_done, p.rows), p.rows_done, p.rows,
                     lab::short_count(p.executions), rate_text(p.executions, seconds), p.current);
}

}  // namespace

int verify_clients(const verify_options& chosen) {
  std::optional<lab::output_file> file;
  if (!chosen.json.empty()) file.emplace(chosen.json);
  live_output out(file && file->is_stdout());
  lab::note_interrupts();
  lab::report report{.on = lab::describe_machine(), .rows = {}, .claims = {}};
  out.print(fmt::format("{}\n", lab::machine_text(report.on)));

  const bool with_litmus = chosen.settings.queues.empty() && chosen.settings.client.empty();
  std::optional<litmus_outcome> litmus;
  if (with_litmus) {
    litmus = run_litmus_set(out);
    out.print(fmt::format(
        "litmus: {} tests, {} failed{}\n{}\n", litmus->tests, litmus->failed,
        litmus->executions_per_second
            ? fmt::format(", {} executions/s on one core",
                          lab::short_count(static_cast<std::uint64_t>(litmus->executions_per_second->value)))
            : "",
        litmus->failures));
  }

  const row_lines lines;
  out.print(lines.heading());
  verify::settings how = chosen.settings;
  how.stop = [&out] { return out.stop(); };
  const double began = out.seconds();
  const std::vector<verify::row> rows = verify::verify(
      how,
      [&](const verify::row& r) {
        if (!was_stopped(r) || r.executions > 0) out.print(lines.text(r));
      },
      [&](const verify::progress& p) { out.progress(progress_text(p, out.seconds() - began)); });

  const totals sum(rows);
  const double seconds = out.seconds();
  std::string text;
  for (const verify::row& r : rows) {
    if (unfinished(r) || r.as_expected()) continue;
    text += failure_text(r);
  }
  text += "\n";
  if (out.stop()) text += "Interrupted. Explored so far:\n";
  text += clients_summary(sum, litmus ? &*litmus : nullptr, seconds, out.stop());
  report.claims = verify_claims({.not_whole = why_not_whole(chosen),
                                 .full = chosen.settings.full,
                                 .executions = sum.executions,
                                 .queues = sum.queues.size(),
                                 .queues_passed = sum.queues_passed(),
                                 .seconds = seconds,
                                 .litmus = litmus ? &*litmus : nullptr});
  if (with_litmus && !out.stop()) text += "\nFigures to reach\n" + lab::claims_text(report.claims);
  out.conclude(text);

  for (const verify::row& r : rows) report.rows.push_back(client_json_row(r));
  if (litmus) report.rows.insert(report.rows.end(), litmus->rows.begin(), litmus->rows.end());
  if (file) file->write(lab::json_text(report));
  return sum.wrong == 0 && (!litmus || litmus->failed == 0) ? success : failure;
}

int verify_replay(const verify_options& chosen) {
  try {
    if (chosen.replay.ends_with('/')) throw model::bad_replay("the replay string has no decisions");
    const verify::replayed again = verify::replay(chosen.replay);
    const verify::row& r = again.outcome;
    lab::write_stdout(fmt::format("{}{}{}: {}\n\n{}{}\n{}{}\n", r.queue, r.client.empty() ? "" : " ", r.client,
                                  r.failed_run.empty() ? r.what : r.failed_run, again.trace,
                                  again.trace.ends_with('\n') ? "" : "\n", verdict_text(r),
                                  failed(r) ? ": " + r.failed.text : std::string()));
    return r.as_expected() ? success : failure;
  } catch (const model::bad_replay& error) {
    fmt::print(stderr, "pilfer: --replay: {}\nTry 'pilfer verify --help'.\n", error.what());
    return wrong_usage;
  }
}

int list_clients() {
  const std::size_t indent = std::max(widest(verify::queue_names(), 0), widest(verify::client_names(), 0)) + 2;
  std::string text;
  for (const std::string& queue : verify::queue_names())
    text += fmt::format("{:<{}}{}\n", queue, indent, listed_in_lines(clients_of(queue), indent, 110));
  text += "\n";
  for (const std::string& client : verify::client_names())
    text += fmt::format("{:<{}}{}\n", client, indent, verify::client_description(client));
  lab::write_stdout(text);
  return success;
}

}  // namespace pilfer::cli
