#include <algorithm>

#include "lab/balance/load_balance.hpp"
#include "lab/balance/rows.hpp"

namespace pilfer::lab::balance {
namespace {

using experiments::settings;

const row* batch_row(const std::vector<row>& rows, load what, std::size_t workers, std::string_view impl) {
  return find_row(rows, load_row_name(what, generation::batch, workers), impl, static_cast<double>(workers));
}

std::vector<std::size_t> counts_of(const std::vector<row>& rows, load what) {
  return each_once(rows, load_balance_name, [&](const row& one) {
    const std::size_t workers = parameter(one, "workers");
    return one.name == load_row_name(what, generation::batch, workers) ? workers : 0;
  });
}

estimate scaled_by(const estimate& of, double factor) { return {of.value * factor, of.low * factor, of.high * factor}; }

claim skewed_vs_perfect(const std::vector<row>& rows, const settings& given) {
  claim c =
      at_most("skewed_vs_perfect", "skewed load with stealing: time / perfect split, the worst of all N > 1", 1.05);
  std::string all;
  for (const std::size_t workers : counts_of(rows, load::skewed)) {
    if (workers < 2) continue;
    const row* const serial = batch_row(rows, load::skewed, workers, serial_impl);
    for (const char* impl : {"bounded-stealing", "unbounded-stealing"}) {
      const row* const one = batch_row(rows, load::skewed, workers, impl);
      if (!paired(one, serial)) continue;
      const auto share = static_cast<double>(std::min(workers, given.processors));
      const estimate ratio = scaled_by(paired_ratio(one->samples, serial->samples), share);
      if (!c.measured || ratio.value > c.measured->value) {
        c.measured = ratio;
        c.note = fmt::format("the worst is {} at N = {}", impl, workers);
      }
      all += fmt::format("{} {} at N = {}: {:.3f}", all.empty() ? ";" : ",", impl, workers, ratio.value);
    }
  }
  if (!c.measured) {
    leave_unshown(c, "the skewed load was not measured with two workers or more, beside serial code");
  } else {
    c.note += all + "; the perfect split is serial time / min(N, processors)";
  }
  return c;
}

claim skewed_gain(const std::vector<row>& rows, const settings& given) {
  constexpr std::size_t papers_workers = 4;
  const std::size_t workers = std::min(papers_workers, given.processors);
  claim c = at_most("skewed_gain", "skewed load, unbounded deque: time with stealing / without", 0.6);
  c.paper = 0.52;
  if (given.processors < papers_workers) c.goal.reset();
  if (given.processors < 2) {
    leave_unshown(c, "one processor: there is nothing to be won by spreading work");
    return c;
  }
  const row* const with = batch_row(rows, load::skewed, workers, "unbounded-stealing");
  const row* const without = batch_row(rows, load::skewed, workers, "unbounded");
  if (!paired(with, without)) {
    leave_unshown(c, fmt::format("the skewed load was not measured with {} workers", workers));
    return c;
  }
  c.measured = paired_ratio(with->samples, without->samples);
  c.note = fmt::format("N = {}", workers);
  if (given.processors < papers_workers) {
    c.note += fmt::format(
        ", as many as there are processors, instead of 002's 4; no goal: with N > {} the system spreads the heavy "
        "threads itself, and leaves less to be won",
        workers);
  }
  return c;
}

claim even_never_slower(const std::vector<row>& rows) {
  claim c = at_most("even_never_slower", "even load: time with stealing / without, the worst N", 1.0);
  struct pair {
    std::string text;
    const row* with;
    const row* without;
  };
  std::vector<pair> pairs;
  for (const std::size_t workers : counts_of(rows, load::even)) {
    for (const char* impl : {"bounded", "unbounded"}) {
      const row* const with = batch_row(rows, load::even, workers, fmt::format("{}-stealing", impl));
      const row* const without = batch_row(rows, load::even, workers, impl);
      if (paired(with, without)) pairs.push_back({fmt::format("{} at N = {}", impl, workers), with, without});
    }
  }
  if (pairs.empty()) {
    leave_unshown(c, "the even load was not measured");
    return c;
  }
  // The worst of many medians is above 1 by chance alone. So many intervals, together, are right 95 times in 100.
  const bootstrap how{.confidence = 1 - 0.05 / static_cast<double>(pairs.size())};
  estimate surest;
  estimate largest;
  std::string surest_text;
  std::string largest_text;
  for (const pair& one : pairs) {
    const estimate ratio = paired_ratio(one.with->samples, one.without->samples, how);
    if (surest_text.empty() || ratio.low > surest.low) {
      surest = ratio;
      surest_text = one.text;
    }
    if (largest_text.empty() || ratio.value > largest.value) {
      largest = ratio;
      largest_text = one.text;
    }
  }
  c.measured = estimate{surest.low, surest.low, surest.high};
  c.note = fmt::format(
      "the figure is the lower end of a confidence interval, the highest of {} ({}): above 1, stealing would be slower "
      "beyond doubt. The intervals are such that all of them together hold with 95 %. The largest median is {:.3f} "
      "[{:.3f}, {:.3f}] ({})",
      pairs.size(), surest_text, largest.value, largest.low, largest.high, largest_text);
  return c;
}

}  // namespace

std::vector<claim> load_balance_claims(const std::vector<row>& rows, const settings& given) {
  std::vector<claim> claims = {skewed_vs_perfect(rows, given), skewed_gain(rows, given), even_never_slower(rows)};
  for (claim& one : claims) one.suite = load_balance_name;
  return claims;
}

}  // namespace pilfer::lab::balance
