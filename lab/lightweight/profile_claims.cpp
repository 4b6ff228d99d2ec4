#include <fmt/format.h>

#include <algorithm>

#include "lab/lightweight/profile.hpp"

namespace pilfer::lab::lightweight {
namespace {

using balance::leave_unshown;
using experiments::settings;

constexpr const char* user = "lcws-user";
constexpr const char* signal = "lcws-signal";

claim blank(const char* id, const char* text, std::optional<double> paper, std::optional<double> goal, goal_side side) {
  return {.id = id,
          .text = text,
          .paper = paper,
          .goal = goal,
          .measured = {},
          .note = {},
          .goal_is = side,
          .suite = profile_name};
}

// Something counted of the user-space variant over that of classical stealing, over all programs; the worse of both classics
// and of all numbers of workers.
claim counted_ratio(claim c, const std::vector<row>& rows, const char* key) {
  for (const std::size_t workers : counted_workers(rows)) {
    const std::vector<double> mine = sum_of_counts(rows, {user, key, workers});
    for (const char* base : classical) {
      const std::vector<double> other = sum_of_counts(rows, {base, key, workers});
      if (mine.empty() || mine.size() != other.size() || std::ranges::find(other, 0.0) != other.end()) continue;
      const estimate ratio = paired_ratio(mine, other);
      if (c.measured && ratio.value <= c.measured->value) continue;
      c.measured = ratio;
      c.note = fmt::format("the worst is over {} with {} workers: {:.0f} / {:.0f}, medians", base, workers,
                           median(mine), median(other));
    }
  }
  if (!c.measured) leave_unshown(c, "nothing was counted of lcws-user and classical stealing");
  return c;
}

// Share of configurations that are faster than the base. Its interval: surely faster, and not surely slower.
std::optional<estimate> faster_share(const std::vector<row>& rows, std::string_view impl, std::string_view base) {
  double count = 0;
  estimate faster;
  for (const configuration& one : configurations_of(rows, impl)) {
    const auto ratio = speedup(rows, one, impl, base);
    if (!ratio) continue;
    count += 1;
    faster.value += ratio->value > 1 ? 1 : 0;
    faster.low += ratio->low > 1 ? 1 : 0;
    faster.high += ratio->high > 1 ? 1 : 0;
  }
  if (count == 0) return std::nullopt;
  return estimate{faster.value / count, faster.low / count, faster.high / count};
}

claim share_of_faster(const std::vector<row>& rows) {
  claim c = blank("lcws_faster_share", "configurations in which lcws-signal is faster than classical stealing, share",
                  0.65, 0.95, goal_side::at_least);
  std::string each;
  for (const char* base : classical) {
    const auto share = faster_share(rows, signal, base);
    if (!share) continue;
    if (!c.measured || share->value < c.measured->value) c.measured = share;
    each += fmt::format("{}{} {:.2f}", each.empty() ? "" : ", ", base, share->value);
  }
  if (!c.measured) {
    leave_unshown(c, "lcws-signal was not timed beside classical stealing");
  } else {
    c.note = fmt::format(
        "the lower of: over {}; of {} configurations. The interval goes from those that are surely faster to those "
        "that "
        "are not surely slower. 004: 0.65 to 0.69",
        each, configurations_of(rows, signal).size());
  }
  return c;
}

claim worst(claim c, const std::vector<row>& rows, const char* impl) {
  for (const configuration& one : configurations_of(rows, impl)) {
    for (const char* base : classical) {
      const auto ratio = speedup(rows, one, impl, base);
      if (!ratio || (c.measured && ratio->value - 1 >= c.measured->value)) continue;
      c.measured = estimate{ratio->value - 1, ratio->low - 1, ratio->high - 1};
      c.note = fmt::format("{} with {} workers, over {}", one.program, one.workers, base);
    }
  }
  if (!c.measured) leave_unshown(c, fmt::format("{} was not timed beside classical stealing", impl));
  return c;
}

claim user_at_full_count(const std::vector<row>& rows, const settings& given) {
  claim c = blank("lcws_user_full", "lcws-user with a worker per processor: performance relative to ws-abp, mean", 0.92,
                  {}, goal_side::at_least);
  std::vector<double> mean;
  double programs = 0;
  for (const configuration& one : configurations_of(rows, user)) {
    if (one.workers != given.processors) continue;
    const row* const mine = time_row(rows, one, user);
    const row* const base = time_row(rows, one, papers_classical);
    if (!balance::paired(base, mine) || (!mean.empty() && mean.size() != mine->samples.size())) continue;
    const std::vector<double> ratios = paired_ratios(base->samples, mine->samples);
    mean.resize(ratios.size(), 0);
    for (std::size_t i = 0; i < ratios.size(); ++i) mean[i] += ratios[i];
    programs += 1;
  }
  if (mean.empty()) {
    leave_unshown(c, fmt::format("lcws-user was not timed with {} workers beside ws-abp", given.processors));
    return c;
  }
  for (double& one : mean) one /= programs;
  c.measured = median_estimate(mean);
  c.note = fmt::format("{} programs, {} workers. 004: 0.92 to 0.95", programs, given.processors);
  return c;
}

claim conservative_best(const std::vector<row>& rows) {
  claim c = blank("lcws_conservative_best", "configurations in which lcws-conservative is the best of the four, share",
                  0.33, {}, goal_side::at_least);
  double count = 0;
  std::array<double, variants.size()> wins{};
  for (const configuration& one : configurations_of(rows, variants[0])) {
    std::array<double, variants.size()> times{};
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const row* const timed = time_row(rows, one, variants[v]);
      times[v] = timed == nullptr || timed->samples.empty() ? 0 : median(timed->samples);
    }
    if (std::ranges::find(times, 0.0) != times.end()) continue;
    count += 1;
    wins[static_cast<std::size_t>(std::ranges::min_element(times) - times.begin())] += 1;
  }
  if (count == 0) {
    leave_unshown(c, "the four variants were not timed together");
    return c;
  }
  for (std::size_t v = 0; v < variants.size(); ++v) {
    c.note += fmt::format("{}{} {:.2f}", v == 0 ? "best by median: " : ", ", variants[v], wins[v] / count);
    if (std::string_view(variants[v]) != "lcws-conservative") continue;
    const double share = wins[v] / count;
    c.measured = estimate{share, share, share};
  }
  c.note += ". 004: signal 0.49";
  return c;
}

// Of what was exposed, the share that its owner took back; none if nothing was exposed.
std::optional<double> unstolen_share(const std::vector<row>& rows, const char* impl, std::size_t workers,
                                     std::vector<std::string> programs = {}) {
  double exposed = 0;
  double unstolen = 0;
  for (const double one : sum_of_counts(rows, {impl, "exposed", workers}, programs)) exposed += one;
  for (const double one : sum_of_counts(rows, {impl, "unstolen", workers}, std::move(programs))) unstolen += one;
  if (exposed == 0) return std::nullopt;
  return unstolen / exposed;
}

claim unstolen_claim(const std::vector<row>& rows) {
  claim c = blank("lcws_unstolen", "exposed but not stolen: share with lcws-signal - share with lcws-user", {}, {},
                  goal_side::at_most);
  const std::vector<std::size_t> counts = counted_workers(rows);
  const std::size_t workers = counts.empty() ? 0 : *std::ranges::max_element(counts);
  const auto by_user = unstolen_share(rows, user, workers);
  const auto by_signal = unstolen_share(rows, signal, workers);
  if (!by_user || !by_signal) {
    leave_unshown(c, "no exposures were counted");
    return c;
  }
  const double change = *by_signal - *by_user;
  c.measured = estimate{change, change, change};
  c.note = fmt::format("{} workers, of all exposed jobs {:.3f} and {:.3f}; 004: falls", workers, *by_signal, *by_user);
  const auto text = [](const std::optional<double>& share) {
    return share ? fmt::format("{:.2f}", *share) : "none exposed";
  };
  for (const std::string& name : counted_programs(rows)) {
    c.note += fmt::format("; {} {}, {}", name, text(unstolen_share(rows, signal, workers, {name})),
                          text(unstolen_share(rows, user, workers, {name})));
  }
  return c;
}

}  // namespace

std::vector<claim> profile_claims(const std::vector<row>& rows, const settings& given) {
  return {
      counted_ratio(blank("lcws_user_fences", "fences of lcws-user / of classical stealing, all programs", 0.01, 0.001,
                          goal_side::at_most),
                    rows, "fences"),
      counted_ratio(blank("lcws_user_cas", "CAS of lcws-user / of classical stealing, all programs", 0.40, 0.40,
                          goal_side::at_most),
                    rows, "cas"),
      share_of_faster(rows),
      worst(blank("lcws_worst", "worst configuration of lcws-signal: classical time / its time - 1", -0.61, -0.05,
                  goal_side::at_least),
            rows, signal),
      worst(blank("lcws_half_worst", "worst configuration of lcws-half: classical time / its time - 1", -0.52, {},
                  goal_side::at_least),
            rows, "lcws-half"),
      user_at_full_count(rows, given),
      conservative_best(rows),
      unstolen_claim(rows),
  };
}

}  // namespace pilfer::lab::lightweight
