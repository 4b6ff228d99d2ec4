#include "verify.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "clients.hpp"
#include "faults.hpp"
#include "jobs.hpp"

namespace pilfer::model::verify {
namespace {

struct task {
  const subject* on = nullptr;
  const client* with = nullptr;
  const known_fault* fault = nullptr;
};

[[nodiscard]] options options_for(const settings& how, const client* with) {
  options o;
  o.stop = how.stop;
  o.max_seconds = how.limits.seconds;
  o.max_executions = how.limits.executions;
  o.seed = how.limits.seed;
  if (how.limits.random > 0) {
    o.mode = exploration::random;
    o.max_executions = how.limits.random;
  } else if (how.limits.preemptions >= 0) {
    o.mode = exploration::interleaving;
    o.preemption_bound = how.limits.preemptions;
  } else if (with != nullptr && with->preemptions >= 0) {
    o.mode = exploration::interleaving;
    o.preemption_bound = with->preemptions;
  } else if (with != nullptr && with->random > 0) {
    o.mode = exploration::random;
    o.max_executions = with->random;
  }
  if (o.mode == exploration::random) o.count_graphs = false;
  if (with != nullptr && o.max_seconds <= 0 && o.mode != exploration::random) o.max_seconds = with->seconds;
  return o;
}

[[nodiscard]] std::string mode_text(const options& o) {
  switch (o.mode) {
    case exploration::exhaustive: return "exhaustive";
    case exploration::interleaving:
      return o.preemption_bound >= 0 ? "preemption bound " + std::to_string(o.preemption_bound) : "interleavings";
    case exploration::random: return std::to_string(o.max_executions) + " random";
  }
  return "?";
}

void add(row& to, const result& r) {
  ++to.runs;
  to.executions += r.executions;
  to.cut_off += r.cut_off;
  to.graphs += r.graphs;
  to.seconds += r.seconds;
  to.exhausted = to.exhausted && r.exhausted;
}

// The same failure with less: one operation or one thief fewer, as long as it still fails.
[[nodiscard]] std::pair<run, failure> shrunk(result (*check)(const run&, const options&), run what, failure found,
                                             const settings& how, bool may_shrink) {
  const auto still_fails = [&](const run& smaller) {
    options o;
    o.stop = how.stop;
    o.max_seconds = 3;
    const result r = check(smaller, o);
    if (r.passed() || r.failed.what != found.what) return false;
    found = r.failed;
    what = smaller;
    return true;
  };
  // Who must get something must not lose what it should get, and who steals from a mark must wait for it.
  bool again = may_shrink && std::none_of(what.thieves.begin(), what.thieves.end(), [](const std::string& t) {
                 return t.find_first_of("TMN") != std::string::npos;
               });
  while (again) {
    again = false;
    for (std::size_t i = what.owner.size(); i-- > 0 && !again;) {
      if (what.owner[i] >= 'A' && what.owner[i] <= 'D') continue;  // others wait for it
      run smaller = what;
      smaller.owner.erase(i, 1);
      again = still_fails(smaller);
    }
    for (std::size_t t = what.thieves.size(); t-- > 0 && !again;) {
      for (std::size_t i = what.thieves[t].size(); i-- > 0 && !again;) {
        if (what.thieves[t][i] >= 'A' && what.thieves[t][i] <= 'D') continue;
        run smaller = what;
        smaller.thieves[t].erase(i, 1);
        if (smaller.thieves[t].empty() && what.killed != static_cast<int>(t) + 1) {
          smaller.thieves.erase(smaller.thieves.begin() + static_cast<std::ptrdiff_t>(t));
          if (smaller.killed > static_cast<int>(t) + 1) --smaller.killed;
        }
        again = still_fails(smaller);
      }
    }
  }
  return {what, found};
}

class verification {
 public:
  verification(const settings& how, const std::function<void(const row&)>& on_row,
               const std::function<void(const progress&)>& on_progress)
      : how_(how), on_row_(on_row), on_progress_(on_progress) {}

  std::vector<row> all() {
    choose();
    rows_.resize(tasks_.size());
    begun_.resize(tasks_.size());
    run_jobs(how_.jobs, tasks_.size(), [this](std::size_t i) { work(i); });
    std::vector<row> done;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (begun_[i]) done.push_back(std::move(rows_[i]));
    }
    return done;
  }

 private:
  void choose() {
    const auto wanted = [this](const std::string& name) {
      return how_.queues.empty() || std::find(how_.queues.begin(), how_.queues.end(), name) != how_.queues.end();
    };
    for (const std::string& name : how_.queues) {
      if (name != faults_name && name != conjecture_name) static_cast<void>(subject_called(name));
    }
    const bool any_client = how_.client.empty();
    bool client_is_fault = false;
    for (const known_fault& f : known_faults()) client_is_fault = client_is_fault || how_.client == f.name;
    if (!any_client && !client_is_fault) static_cast<void>(client_called(how_.client));
    for (const subject& s : subjects()) {
      if (!wanted(s.name)) continue;
      for (const client& c : clients()) {
        if (any_client ? (c.full && !how_.full) || c.on_request : how_.client != c.name) continue;
        if (!c.runs(s).empty()) tasks_.push_back({&s, &c, nullptr});
      }
    }
    for (const known_fault& f : known_faults()) {
      if (wanted(f.group) && (any_client || how_.client == f.name)) tasks_.push_back({nullptr, nullptr, &f});
    }
  }

  [[nodiscard]] bool stopped() const { return how_.stop && how_.stop(); }

  void work(std::size_t i) {
    if (stopped()) return;
    const task& t = tasks_[i];
    row r;
    if (t.fault != nullptr) {
      r = of_fault(*t.fault);
    } else {
      r = of_queue(*t.on, *t.with);
    }
    const std::lock_guard lock(mutex_);
    begun_[i] = true;
    ++state_.rows_done;
    if (on_row_) on_row_(r);
    rows_[i] = std::move(r);
    report_progress();
  }

  row of_queue(const subject& s, const client& c) {
    row r;
    r.queue = s.name;
    r.client = c.name;
    const std::vector<run> runs = c.runs(s);
    r.what = runs.size() == 1 ? runs[0].text()
                              : std::to_string(runs.size()) + " runs, " + runs[0].text() + " to " + runs.back().text();
    options o = options_for(how_, &c);
    r.mode = mode_text(o);
    const bool may_shrink = s.protocol == nullptr;  // with less, some would wait for ever by right
    explore_all(r, s.check, runs, o, may_shrink);
    const bool more = r.failed.what == fault::none && o.mode == exploration::interleaving &&
                      how_.limits.preemptions < 0 && c.random > 0;
    if (more) {  // what lies beyond the bound, by chance
      o.mode = exploration::random;
      o.max_executions = c.random;
      o.max_seconds = how_.limits.seconds;
      o.count_graphs = false;
      const bool exhausted = r.exhausted;
      r.mode += " + " + mode_text(o);
      explore_all(r, s.check, runs, o);
      r.exhausted = exhausted;
    }
    return r;
  }

  row of_fault(const known_fault& f) {
    row r;
    r.queue = f.group;
    r.client = f.name;
    r.expected_to_fail = f.fails;
    r.note = f.note;
    const run what = run::parse(f.run);
    r.what = what.text();
    options o = options_for(how_, nullptr);
    if (f.preemptions >= 0 && o.mode == exploration::exhaustive) {
      o.mode = exploration::interleaving;
      o.preemption_bound = f.preemptions;
    }
    r.mode = mode_text(o);
    explore_all(r, f.check, {what}, o);
    return r;
  }

  void explore_all(row& r, result (*check)(const run&, const options&), const std::vector<run>& runs, options o,
                   bool may_shrink = true) {
    for (const run& one : runs) {
      if (stopped()) {
        r.exhausted = false;
        r.bound_hit = "stopped";
        return;
      }
      std::uint64_t told = 0;
      o.progress = [&](std::uint64_t executions) {
        const std::lock_guard lock(mutex_);
        if (executions > told) state_.executions += executions - told;
        told = std::max(told, executions);
        state_.current = r.queue + " " + r.client;
        report_progress();
      };
      const result got = check(one, o);
      {
        const std::lock_guard lock(mutex_);
        if (got.executions > told) state_.executions += got.executions - told;
      }
      add(r, got);
      if (r.bound_hit.empty() && !got.bound_hit.empty()) r.bound_hit = got.bound_hit + " in " + one.text();
      if (got.passed()) continue;
      auto [smallest, found] =
          r.expected_to_fail ? std::pair{one, got.failed} : shrunk(check, one, got.failed, how_, may_shrink);
      r.failed_run = smallest.text();
      r.failed = std::move(found);
      r.failed.replay = r.queue + (r.queue == faults_name || r.queue == conjecture_name ? ":" + r.client : "") + "/" +
                        r.failed_run + "/" + r.failed.replay;
      return;
    }
  }

  void report_progress() {
    state_.rows = tasks_.size();
    if (on_progress_) on_progress_(state_);
  }

  const settings& how_;
  const std::function<void(const row&)>& on_row_;
  const std::function<void(const progress&)>& on_progress_;
  std::vector<task> tasks_;
  std::vector<row> rows_;
  std::vector<char> begun_;
  progress state_;
  std::mutex mutex_;
};

}  // namespace

std::vector<std::string> queue_names() {
  std::vector<std::string> names;
  for (const subject& s : subjects()) names.push_back(s.name);
  names.emplace_back(faults_name);
  names.emplace_back(conjecture_name);
  return names;
}

bool is_queue(const std::string& name) { return name != faults_name && name != conjecture_name; }

std::vector<std::string> client_names() {
  std::vector<std::string> names;
  for (const client& c : clients()) names.emplace_back(c.name);
  for (const known_fault& f : known_faults()) names.emplace_back(f.name);
  return names;
}

std::string client_description(const std::string& name) {
  for (const known_fault& f : known_faults()) {
    if (name == f.name) return f.note;
  }
  return client_called(name).description;
}

bool has_client(const std::string& queue, const std::string& name) {
  for (const known_fault& f : known_faults()) {
    if (queue == f.group && name == f.name) return true;
  }
  for (const client& c : clients()) {
    if (is_queue(queue) && name == c.name) return !c.runs(subject_called(queue)).empty();
  }
  return false;
}

std::vector<row> verify(const settings& how, const std::function<void(const row&)>& on_row,
                        const std::function<void(const progress&)>& on_progress) {
  return verification(how, on_row, on_progress).all();
}

replayed replay(const std::string& text) {
  const std::size_t first = text.find('/');
  const std::size_t last = text.rfind('/');
  if (first == std::string::npos || first == last || last + 1 == text.size()) {
    throw bad_replay("a replay string is QUEUE/OWNER/THIEVES/SIZE[/FLAGS]/DECISIONS, as printed with a failure");
  }
  const std::string who = text.substr(0, first);
  const run what = run::parse(std::string_view(text).substr(first + 1, last - first - 1));
  options o;
  o.replay = text.substr(last + 1);
  result (*check)(const run&, const options&) = nullptr;
  replayed answer;
  answer.outcome.queue = who;
  for (const known_fault& f : known_faults()) {
    if (who == std::string(f.group) + ":" + f.name) check = f.check;
  }
  if (check == nullptr) {
    for (const subject& s : subjects()) {
      if (s.name == who) check = s.check;
    }
  }
  if (check == nullptr) throw bad_replay("there is no queue '" + who + "'");
  result r;
  try {
    r = check(what, o);
  } catch (const std::invalid_argument& error) {  // a size the queue does not have
    throw bad_replay(error.what());
  }
  answer.outcome.what = what.text();
  answer.outcome.failed = r.failed;
  answer.outcome.executions = 1;
  answer.trace = r.failed.trace;
  return answer;
}

}  // namespace pilfer::model::verify
