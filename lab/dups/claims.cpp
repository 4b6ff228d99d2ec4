#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "lab/dups/names.hpp"
#include "lab/dups/report.hpp"
#include "lab/experiments/row_query.hpp"

namespace pilfer::lab::dups {
namespace {

using experiments::cannot_be_shown;

constexpr double sameness_goal = 1;
constexpr double queues_goal = 1.05;
constexpr double queues_paper = 1.5;  // 000, table 5.5: BWoS over the locked queue, 823 to 882 ms over 538
constexpr double rival_goal = 1;

// Rivals that were not asked where ours was: absent, too slow, or failed. The notes of the run say which.
std::string not_compared(const std::vector<row>& rows) {
  std::string text;
  for (const char* corpus : corpora) {
    const std::string name = std::string(same_prefix) + corpus;
    const auto asked = [&](const std::string& who) {
      return std::ranges::any_of(rows, [&](const row& r) { return r.name == name && r.impl == who; });
    };
    if (!asked(own_name)) continue;
    for (const std::string& rival : rival_names()) {
      if (!asked(rival)) text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", rival, corpus);
    }
  }
  return text;
}

claim sameness_claim(const std::vector<row>& rows) {
  claim c{.id = "dups_same_result",
          .text = "dups: the same duplicates as known, by every queue and every other finder",
          .goal = sameness_goal,
          .suite = suite_name};
  std::size_t asked = 0;
  std::string wrong;
  for (const row& r : rows) {
    if (!r.name.starts_with(same_prefix) || r.samples.empty()) continue;
    ++asked;
    if (minimum(r.samples) == 1) continue;
    const auto why = r.extra.find("difference");
    wrong +=
        fmt::format("{}{} on {}: {}", wrong.empty() ? "" : "; ", r.impl, r.name.substr(std::string(same_prefix).size()),
                    why != r.extra.end() && why->is_string() ? why->get<std::string>() : "another result");
  }
  if (asked == 0) {
    c.note = cannot_be_shown("`pilfer dups` was not run");
    return c;
  }
  const double share = wrong.empty() ? 1 : 0;
  c.measured = estimate{share, share, share};
  c.note = wrong.empty() ? fmt::format("{} searches compared with what is known to be there", asked) : wrong;
  if (const std::string others = not_compared(rows); !others.empty()) c.note += "; not compared: " + others;
  return c;
}

claim worst_queue_claim(const std::vector<row>& rows) {
  claim c = at_most("dups_worst_queue", "dups: 000's files, the slowest queue's time over the fastest's", queues_goal);
  c.paper = queues_paper;
  c.suite = suite_name;
  for (const char* load : queue_loads) {
    const row* slowest = nullptr;
    const row* fastest = nullptr;
    for (const row& r : rows) {
      if (r.name != std::string(queues_prefix) + load || r.samples.empty()) continue;
      if (slowest == nullptr || median(r.samples) > median(slowest->samples)) slowest = &r;
      if (fastest == nullptr || median(r.samples) < median(fastest->samples)) fastest = &r;
    }
    if (slowest == nullptr || slowest == fastest || slowest->samples.size() != fastest->samples.size()) continue;
    const estimate ratio = paired_ratio(slowest->samples, fastest->samples);
    c.note += fmt::format("{}{}: {} {:.1f} ms, {} {:.1f} ms", c.note.empty() ? "" : "; ", load, slowest->impl,
                          median(slowest->samples), fastest->impl, median(fastest->samples));
    if (!c.measured || ratio.value > c.measured->value) c.measured = ratio;
  }
  if (!c.measured) c.note = cannot_be_shown("no two queues were measured");
  return c;
}

// Ours over theirs in one case. They may have had fewer repetitions; those are pairs.
std::optional<estimate> ratio_of(const row& ours, const row& theirs) {
  const std::size_t pairs = std::min(ours.samples.size(), theirs.samples.size());
  if (pairs == 0) return std::nullopt;
  return paired_ratio({ours.samples.data(), pairs}, {theirs.samples.data(), pairs});
}

// Where ours was measured and the rival was not.
std::string cases_without(const std::vector<row>& rows, const std::string& rival) {
  std::string text;
  for (const row& ours : rows) {
    if (ours.impl != own_name || ours.samples.empty() || ours.name.starts_with(same_prefix)) continue;
    const double workers = experiments::workers_of(ours);
    if (experiments::find_row(rows, ours.name, rival, workers) != nullptr) continue;
    text += fmt::format("{}{}, {:g}", text.empty() ? "" : "; ", ours.name, workers);
  }
  return text;
}

claim rival_claim(const std::vector<row>& rows, const std::string& rival) {
  claim c = at_most("", "", rival_goal);
  c.id = "dups_vs_" + rival;
  c.text = fmt::format("dups: time over that of {}, the worst case measured, warm and cold, 1 and 2 workers", rival);
  c.suite = suite_name;
  std::string worst;
  std::string others;
  bool was_cold = false;
  for (const row& theirs : rows) {
    if (theirs.impl != rival || theirs.name.starts_with(same_prefix)) continue;
    const double workers = experiments::workers_of(theirs);
    const row* const ours = experiments::find_row(rows, theirs.name, own_name, workers);
    if (ours == nullptr) continue;
    const std::optional<estimate> ratio = ratio_of(*ours, theirs);
    if (!ratio) continue;
    was_cold = was_cold || theirs.name.ends_with(cold);
    const std::string what = fmt::format("{}, {:g}", theirs.name, workers);
    others += fmt::format("{}{} {:.2f}", others.empty() ? "" : "; ", what, ratio->value);
    if (c.measured && ratio->value <= c.measured->value) continue;
    c.measured = ratio;
    worst = what;
  }
  if (!c.measured) {
    c.note = cannot_be_shown(fmt::format("{} was not measured; lab/setup-peers installs it", rival));
    return c;
  }
  c.note = fmt::format("the worst: {} worker(s); all: {}", worst, others);
  if (const std::string without = cases_without(rows, rival); !without.empty()) c.note += "; left out: " + without;
  if (!was_cold) c.note += "; " + cannot_be_shown("with a cold cache");
  return c;
}

}  // namespace

std::vector<claim> claims_of(const std::vector<row>& rows) {
  std::vector<claim> all = {sameness_claim(rows), worst_queue_claim(rows)};
  for (const std::string& rival : rival_names()) all.push_back(rival_claim(rows, rival));
  return all;
}

}  // namespace pilfer::lab::dups
