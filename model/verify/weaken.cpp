// Weaker orders, one at a time: which of them do the clients notice?
#include <algorithm>
#include <mutex>
#include <string_view>
#include <tuple>

#include "clients.hpp"
#include "jobs.hpp"
#include "reasons.hpp"
#include "slot_reuse.hpp"
#include "verify.hpp"

namespace pilfer::model::verify {
namespace {

using std::memory_order;

// The runs of all quick clients but those with a stopped thief, which find nothing else; and one that takes minutes to pass,
// and none to fail.
[[nodiscard]] std::vector<std::pair<const client*, run>> hunting_ground(const subject& s) {
  std::vector<std::pair<const client*, run>> all;
  for (const client& c : clients()) {
    if ((c.full && c.name != std::string_view("resigning")) || c.random > 0) continue;
    for (const run& r : c.runs(s)) {
      if (r.killed < 0) all.emplace_back(&c, r);
    }
  }
  return all;
}

// The first run that notices what this OS thread's checker or orders were told; empty if none does.
[[nodiscard]] std::string hunt(const subject& s, const settings& how) {
  const auto all = hunting_ground(s);
  constexpr std::uint64_t first_look = 3000;  // most faults are found soon, in some run
  for (const std::uint64_t limit : {first_look, std::uint64_t{0}}) {
    for (const auto& [c, r] : all) {
      if (how.stop && how.stop()) return {};
      options o;
      o.stop = how.stop;
      o.max_executions = limit;
      o.max_seconds = how.limits.seconds > 0 ? how.limits.seconds : 5;
      o.count_graphs = false;
      const result found = s.check(r, o);
      if (!found.passed()) return std::string(c->name) + " " + r.text() + ": " + to_string(found.failed.what);
    }
  }
  return {};
}

[[nodiscard]] std::vector<memory_order> weaker(const site& at) {
  using enum memory_order;
  switch (at.order) {
    case seq_cst:
      if (at.kind == 'l' || at.kind == 'c') return {acquire, relaxed};
      if (at.kind == 's') return {release, relaxed};
      return {acq_rel, acquire, release, relaxed};
    case acq_rel: return {acquire, release, relaxed};
    case acquire:
    case consume:
    case release: return {relaxed};
    case relaxed: return {};
  }
  return {};
}

void count(order_counts& counts, memory_order order) {
  switch (order) {
    case memory_order::seq_cst: ++counts.seq_cst; break;
    case memory_order::acq_rel: ++counts.acq_rel; break;
    case memory_order::acquire:
    case memory_order::consume: ++counts.acquire; break;
    case memory_order::release: ++counts.release; break;
    case memory_order::relaxed: ++counts.relaxed; break;
  }
}

[[nodiscard]] std::optional<order_counts> of_table_2(const std::string& queue) {
  if (queue == "bwos-lifo") return order_counts{.seq_cst = 0, .acquire = 2, .release = 2, .relaxed = 14};
  if (queue == "bwos-fifo") return order_counts{.seq_cst = 0, .acquire = 3, .release = 3, .relaxed = 16};
  if (queue == "abp") return order_counts{.seq_cst = 4, .acquire = 3, .release = 1, .relaxed = 7};
  return std::nullopt;
}

// Every site that some run executes, in the order of the source.
[[nodiscard]] std::vector<site> sites_of(const subject& s, const settings& how) {
  clear_executed_sites();
  for (const auto& [c, r] : hunting_ground(s)) {
    options o;
    o.stop = how.stop;
    o.max_executions = 300;
    o.count_graphs = false;
    static_cast<void>(s.check(r, o));
  }
  std::vector<site> sites = executed_sites();
  std::sort(sites.begin(), sites.end(), [](const site& a, const site& b) {
    return std::tie(a.file, a.line, a.column, a.kind) < std::tie(b.file, b.line, b.column, b.kind);
  });
  return sites;
}

}  // namespace

weaken_report weaken_orders(const std::string& queue, const settings& how,
                            const std::function<void(const weakened&)>& on_result) {
  const subject& s = subject_called(queue);
  weaken_report report;
  report.queue = queue;
  report.published = of_table_2(queue);
  const std::vector<site> sites = sites_of(s, how);
  for (const site& at : sites) {
    const bool other_half =
        at.kind == 'c' && std::any_of(sites.begin(), sites.end(), [&](const site& other) {
          return other.kind == 'r' && other.file == at.file && other.line == at.line && other.column == at.column;
        });
    if (!other_half) count(report.counts, at.order);
    for (const memory_order to : weaker(at)) report.tried.push_back({.where = at, .to = to});
  }
  std::mutex mutex;
  run_jobs(how.jobs, report.tried.size(), [&](std::size_t i) {
    if (how.stop && how.stop()) return;
    weakened& one = report.tried[i];
    if (s.reuses_slots) one.by = slot_reuse_fault(queue, one.where, one.to);
    if (one.by.empty()) {
      weaken(one.where, one.to);
      one.by = hunt(s, how);
      clear_weakened();
    }
    one.caught = !one.by.empty();
    if (!one.caught) one.reason = reason_for_site(queue, one.where, one.to);
    const std::lock_guard lock(mutex);
    if (on_result) on_result(one);
  });
  return report;
}

std::vector<mutant> try_mutants(const settings& how, const std::function<void(const mutant&)>& on_result) {
  std::vector<mutant> all;
  for (const subject& s : subjects()) {
    const bool wanted =
        how.queues.empty() || std::find(how.queues.begin(), how.queues.end(), s.name) != how.queues.end();
    if (!wanted || s.orders == nullptr) continue;
    for (const named_order& o : s.orders()) all.push_back({.queue = s.name, .edge = o.name});
  }
  std::mutex mutex;
  run_jobs(how.jobs, all.size(), [&](std::size_t i) {
    if (how.stop && how.stop()) return;
    mutant& one = all[i];
    const subject& s = subject_called(one.queue);
    if (s.reuses_slots && one.edge == "recycle.rel") {
      one.by = slot_reuse_fault(memory_order::relaxed, memory_order::acquire);
    } else if (s.reuses_slots && one.edge == "recycle.acq") {
      one.by = slot_reuse_fault(memory_order::release, memory_order::relaxed);
    }
    for (const named_order& o : s.orders()) {
      if (one.edge != o.name || !one.by.empty()) continue;
      const memory_order shipped = *o.value;
      *o.value = memory_order::relaxed;
      one.by = hunt(s, how);
      *o.value = shipped;
    }
    one.caught = !one.by.empty();
    if (!one.caught) one.reason = reason_for_edge(one.queue, one.edge);
    const std::lock_guard lock(mutex);
    if (on_result) on_result(one);
  });
  return all;
}

}  // namespace pilfer::model::verify
