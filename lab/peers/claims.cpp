#include <fmt/format.h>

#include <span>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/peers/contest.hpp"
#include "lab/peers/experiment.hpp"

namespace pilfer::lab::experiments {
namespace {

// With most workers, if there are several; null if there is none.
const row* best_row(const std::vector<row>& rows, const std::string& name, const std::string& impl) {
  const row* found = nullptr;
  for (const row& one : rows) {
    if (one.name != name || one.impl != impl || one.samples.empty()) continue;
    if (found == nullptr || workers_of(one) > workers_of(*found)) found = &one;
  }
  return found;
}

// Two rows to be compared, and sequential code of either; all of one length, since they are paired.
struct duel {
  const row* ours = nullptr;
  const row* theirs = nullptr;
  const row* our_sequential = nullptr;
  const row* their_sequential = nullptr;

  [[nodiscard]] bool has_sequential() const { return our_sequential != nullptr && their_sequential != nullptr; }
  [[nodiscard]] estimate times() const { return paired_ratio(ours->samples, theirs->samples); }
  // Each relative to its own sequential code.
  [[nodiscard]] estimate relative() const {
    return paired_ratio(paired_ratios(ours->samples, our_sequential->samples),
                        paired_ratios(theirs->samples, their_sequential->samples));
  }
};

const row* sequential_of(const std::vector<row>& rows, const row& one) {
  const auto name = one.extra.find("own_sequential");
  if (name == one.extra.end() || !name->is_string()) return nullptr;
  const row* const found = find_row(rows, one.name, name->get<std::string>());
  return found != nullptr && found->samples.size() == one.samples.size() ? found : nullptr;
}

// None, and the claim's note says why.
std::optional<duel> duel_of(claim& c, const std::vector<row>& rows, const std::string& name,
                            const std::string& our_name, const std::string& their_name) {
  duel found{.ours = best_row(rows, name, our_name), .theirs = best_row(rows, name, their_name)};
  const auto cannot = [&](const std::string& why) {
    c.note = cannot_be_shown(why);
    return std::nullopt;
  };
  for (const auto& [one, who] : {std::pair(found.ours, our_name), std::pair(found.theirs, their_name)}) {
    if (one == nullptr) return cannot(fmt::format("there is no row {} of {}", name, who));
  }
  if (found.ours->samples.size() != found.theirs->samples.size() ||
      workers_of(*found.ours) != workers_of(*found.theirs)) {
    return cannot("the rows are not of the same run");
  }
  found.our_sequential = sequential_of(rows, *found.ours);
  found.their_sequential = sequential_of(rows, *found.theirs);
  return found;
}

// Times as they are: sequential code that calls an empty function says nothing of a task's cost.
claim times_claim(const char* id, const char* text, double goal, const std::vector<row>& rows, const std::string& name,
                  const std::string& their_name) {
  claim c = at_most(id, text, goal);
  c.suite = "peers";
  const std::optional<duel> found = duel_of(c, rows, name, peers::pilfer_name, their_name);
  if (!found) return c;
  c.measured = found->times();
  if (found->has_sequential()) {
    c.note = fmt::format("each over its own sequential code: {:.2f}", found->relative().value);
  }
  claim unused;
  if (const auto fifo = duel_of(unused, rows, name, peers::fifo_name, their_name)) {
    c.note += fmt::format("{}with bwos-fifo {:.2f}", c.note.empty() ? "" : "; ", fifo->times().value);
  }
  return c;
}

claim relative_claim(const char* id, const char* text, const std::vector<row>& rows, const std::string& name,
                     const std::pair<const char*, const char*>& who) {
  claim c = at_most(id, text, 1.0);
  c.suite = "peers";
  const std::optional<duel> found = duel_of(c, rows, name, who.first, who.second);
  if (!found) return c;
  if (!found->has_sequential()) {
    c.note = cannot_be_shown("there is no sequential code beside it");
    return c;
  }
  c.measured = found->relative();
  c.note = fmt::format("times as they are: {:.2f}", found->times().value);
  return c;
}

}  // namespace

std::vector<claim> peers_claims(const std::vector<row>& rows) {
  return {
      times_claim("spawn_vs_tokio", "empty tasks, spawned and awaited: time / Tokio's", 0.5, rows, "spawn", "tokio"),
      times_claim("spawn_vs_go", "the same / goroutines", 0.5, rows, "spawn", "go"),
      times_claim("skynet_vs_tokio", "skynet, a task for each node: time / Tokio's", 1, rows, "skynet", "tokio"),
      times_claim("skynet_vs_go", "the same / goroutines and channels", 1, rows, "skynet", "go"),
      relative_claim("fib_vs_rayon", "fib, fork and join: time over serial C++ / rayon's over serial Rust", rows, "fib",
                     {peers::pilfer_name, "rayon"}),
      relative_claim("lifo_alone_vs_crossbeam",
                     "LIFO BWoS, owner alone, 8192: time over the stack's / crossbeam's over Vec's", rows, "alone/8192",
                     {"bwos-lifo", "crossbeam-lifo"}),
      relative_claim("fifo_alone_vs_crossbeam",
                     "FIFO BWoS, owner alone, 8192: time over the ring's / crossbeam's over VecDeque's", rows,
                     "alone/8192", {"bwos-fifo", "crossbeam-fifo"}),
  };
}

}  // namespace pilfer::lab::experiments
