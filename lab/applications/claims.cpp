#include "lab/applications/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "lab/applications/measurement.hpp"
#include "lab/experiments/row_query.hpp"

namespace pilfer::lab::applications {
namespace {

using experiments::each_once;
using experiments::find_row;
using experiments::workers_of;

constexpr const char* default_queue = "default";
constexpr double share_goal = 0.8;
constexpr double spread_goal = 1.10;
constexpr double spread_in_000 = 65;

// Rows of a program at the most workers for which `wanted`.
template <class Wanted>
std::vector<const row*> rows_of(const std::vector<row>& rows, std::string_view program, Wanted wanted) {
  std::vector<const row*> found;
  const auto most = static_cast<double>(most_workers(rows, program));
  for (const row& r : rows) {
    if (most > 1 && r.name == program && workers_of(r) == most && wanted(r)) found.push_back(&r);
  }
  return found;
}

double time_of(const row* r) { return median(r->samples); }

// Slowest and fastest, and how far they are apart.
struct spread {
  const row* slowest = nullptr;
  const row* fastest = nullptr;
  estimate ratio;
};

std::optional<spread> spread_of_queues(const std::vector<row>& rows, std::string_view program) {
  const std::vector<const row*> ours = rows_of(rows, program, is_ours);
  if (ours.size() < 2) return std::nullopt;
  const auto [fastest, slowest] = std::ranges::minmax(ours, {}, time_of);
  return spread{slowest, fastest, paired_ratio(slowest->samples, fastest->samples)};
}

std::string text_of(const spread& one) {
  return fmt::format("{} {:.2f} ms, {} {:.2f} ms, {} workers", one.slowest->impl, time_of(one.slowest),
                     one.fastest->impl, time_of(one.fastest), workers_of(*one.fastest));
}

// Our time over that of the best of the others.
struct against_best {
  std::string program;
  const row* best;
  estimate ratio;
};

std::vector<against_best> against_peers(const std::vector<row>& rows) {
  std::vector<against_best> all;
  for (const std::string& program : each_once(rows, &row::name)) {
    const std::vector<const row*> ours =
        rows_of(rows, program, [](const row& r) { return is_ours(r) && r.impl == default_queue; });
    const std::vector<const row*> peers = rows_of(rows, program, is_peer);
    if (ours.empty() || peers.empty()) continue;
    const row* const best = *std::ranges::min_element(peers, {}, time_of);
    all.push_back({program, best, paired_ratio(ours.front()->samples, best->samples)});
  }
  return all;
}

claim best_share(const std::vector<row>& rows) {
  claim of{.id = "programs_best_share",
           .text = "share of programs in which ours is at least as fast as the best of oneTBB, OpenMP, std::par",
           .paper = {},
           .goal = share_goal,
           .measured = {},
           .note = {}};
  const std::vector<against_best> all = against_peers(rows);
  if (all.empty()) {
    of.note = experiments::cannot_be_shown("no program was run by ours and by a peer with two workers or more");
    return of;
  }
  const auto share = [&](auto&& counts) {
    return static_cast<double>(std::ranges::count_if(all, counts)) / static_cast<double>(all.size());
  };
  // By the median, so that noise helps nobody. The interval: who is that beyond doubt, and who may be.
  const double certainly = share([](const against_best& x) { return x.ratio.high <= 1; });
  const double possibly = share([](const against_best& x) { return x.ratio.low <= 1; });
  of.measured = estimate{share([](const against_best& x) { return x.ratio.value <= 1; }), certainly, possibly};
  of.note = fmt::format("of {} programs; the interval: beyond doubt, and perhaps", all.size());
  for (const against_best& one : all) {
    if (one.ratio.value > 1)
      of.note += fmt::format("; {} takes {:.2f} of {}'s time", one.program, one.ratio.value, one.best->impl);
  }
  return of;
}

claim worst_queue(const std::vector<row>& rows) {
  claim of{.id = "programs_worst_queue",
           .text = "slowest / fastest of our schedulers, in the program where they differ most",
           .paper = {},
           .goal = {},
           .measured = {},
           .note = {},
           .goal_is = goal_side::at_most};
  for (const std::string& program : each_once(rows, &row::name)) {
    const std::optional<spread> one = spread_of_queues(rows, program);
    if (!one || (of.measured && of.measured->value >= one->ratio.value)) continue;
    of.measured = one->ratio;
    of.note = fmt::format("{}: {}", program, text_of(*one));
  }
  if (!of.measured)
    of.note = experiments::cannot_be_shown("no program was run by two schedulers of ours with two workers or more");
  return of;
}

}  // namespace

std::vector<claim> program_claims(const std::vector<row>& rows, const experiments::settings& /*given*/) {
  return {best_share(rows), worst_queue(rows)};
}

std::vector<claim> quicksort_claims(const std::vector<row>& rows, const experiments::settings& /*given*/) {
  claim of =
      at_most("quicksort_worst_queue", "quicksort: slowest / fastest of all queues and block sizes", spread_goal);
  of.paper = spread_in_000;
  const std::optional<spread> found = spread_of_queues(rows, "quicksort");
  if (found) {
    of.measured = found->ratio;
    of.note = text_of(*found);
  } else {
    of.note = experiments::cannot_be_shown("quicksort was not run by two queues with two workers or more");
  }
  return {of};
}

}  // namespace pilfer::lab::applications
