// pilfer verify --weaken and --mutants: are the orders that a queue asks for needed, and would the tests notice?
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "command.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/table.hpp"
#include "verify_command.hpp"

namespace pilfer::cli {
namespace {

namespace verify = model::verify;

constexpr double least_share_caught = 0.95;

const char* order_name(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed: return "relaxed";
    case std::memory_order_consume: return "consume";
    case std::memory_order_acquire: return "acquire";
    case std::memory_order_release: return "release";
    case std::memory_order_acq_rel: return "acq_rel";
    case std::memory_order_seq_cst: return "seq_cst";
  }
  return "?";
}

const char* operation_name(char kind) {
  switch (kind) {
    case 'l': return "load";
    case 's': return "store";
    case 'r': return "rmw";
    case 'c': return "failed CAS";
    case 'f': return "fence";
    default: return "?";
  }
}

// Of a weakened order and of a mutant alike.
template <class Tried>
std::string fate(const Tried& t) {
  if (t.caught) return "caught by " + t.by;
  return t.reason.empty() ? "SURVIVES, and nobody has said why" : "SURVIVES: " + t.reason;
}

template <class Tried>
struct counts {
  std::size_t tried = 0;
  std::size_t caught = 0;
  std::size_t unexplained = 0;
  void add(const Tried& t) {
    ++tried;
    if (t.caught) ++caught;
    if (!t.caught && t.reason.empty()) ++unexplained;
  }
};

std::string line(const verify::weakened& w) {
  const bool no_fence = w.where.kind == 'f' && w.to == std::memory_order_relaxed;
  return fmt::format("{:<36}  {:<10}  {} -> {:<7}  {}\n", fmt::format("{}:{}", short_file(w.where), w.where.line),
                     operation_name(w.where.kind), order_name(w.where.order), no_fence ? "none" : order_name(w.to),
                     fate(w));
}

// As 001 prints it: seq_cst, acquire, release, relaxed.
std::string table_2(const verify::order_counts& c) {
  return fmt::format("{}/{}/{}/{}", c.seq_cst, c.acquire, c.release, c.relaxed);
}

std::vector<std::string> chosen_queues(const verify_options& chosen) {
  return chosen.settings.queues.empty() ? real_queues() : chosen.settings.queues;
}

}  // namespace

int verify_weaken(const verify_options& chosen) {
  live_output out;
  lab::note_interrupts();
  verify::settings how = chosen.settings;
  how.stop = [&out] { return out.stop(); };

  lab::table orders({{"queue", lab::align::left},
                     {"sc/acq/rel/rlx"},
                     {"acq_rel"},
                     {"published"},
                     {"weaker orders tried"},
                     {"caught"},
                     {"survive"},
                     {"unexplained"}});
  std::size_t unexplained = 0;
  for (const std::string& queue : chosen_queues(chosen)) {
    if (out.stop()) break;
    counts<verify::weakened> sum;
    std::vector<verify::weakened> finished;
    const verify::weaken_report found = verify::weaken_orders(queue, how, [&](const verify::weakened& w) {
      if (out.stop()) return;  // it was not looked for to the end
      sum.add(w);
      finished.push_back(w);
      out.progress(fmt::format("{}: {} weaker orders tried, {:.0f} s", queue, sum.tried, out.seconds()));
    });
    std::ranges::sort(finished, {}, [](const verify::weakened& w) {
      return std::tuple(w.where.file, w.where.line, w.where.column, w.where.kind, -static_cast<int>(w.to));
    });
    std::string lines = queue + "\n";
    for (const verify::weakened& w : finished) lines += "  " + line(w);
    out.print(lines + "\n");
    unexplained += sum.unexplained;
    orders.add({queue, table_2(found.counts), fmt::format("{}", found.counts.acq_rel),
                found.published ? table_2(*found.published) : "-", fmt::format("{}", sum.tried),
                fmt::format("{}", sum.caught), fmt::format("{}", sum.tried - sum.caught),
                fmt::format("{}", sum.unexplained)});
  }
  out.conclude(fmt::format(
      "{}{}\nSites by memory order: seq_cst/acquire/release/relaxed, beside Table 2 of the BWoS paper (001).\n{}",
      out.stop() ? "Interrupted. Tried so far:\n" : "", orders.text(), blind_spots()));
  return unexplained == 0 ? success : failure;
}

int verify_mutants(const verify_options& chosen) {
  live_output out;
  lab::note_interrupts();
  verify::settings how = chosen.settings;
  how.stop = [&out] { return out.stop(); };

  counts<verify::mutant> sum;
  const auto show = [&](const verify::mutant& m) {
    if (out.stop()) return;  // it was not looked for to the end
    sum.add(m);
    out.print(fmt::format("{:<18}  {:<16}  {}\n", m.queue, m.edge, fate(m)));
    out.progress(fmt::format("{} halves of edges tried, {:.0f} s", sum.tried, out.seconds()));
  };
  (void)verify::try_mutants(how, show);  // what it returns was shown
  const double share = sum.tried == 0 ? 0 : static_cast<double>(sum.caught) / static_cast<double>(sum.tried);
  std::string text =
      fmt::format("\n{}{} of {} caught ({}); {} survive without a reason\n", out.stop() ? "Interrupted. So far: " : "",
                  sum.caught, sum.tried, lab::percent(share), sum.unexplained);
  if (share < least_share_caught) text += fmt::format("Fewer than {}.\n", lab::percent(least_share_caught));
  out.conclude(text + blind_spots());
  return share >= least_share_caught && sum.unexplained == 0 ? success : failure;
}

}  // namespace pilfer::cli
