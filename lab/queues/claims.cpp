#include "lab/queues/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lab/queues/registry.hpp"

namespace pilfer::lab::queues {
namespace {

constexpr double stolen_share = 0.20;
constexpr double least_part_of_share = 0.9;
constexpr double part_of_limit = 0.95;

std::string not_chosen(const char* name) {
  const implementation* missing = find_implementation(name);
  const bool built = missing == nullptr || missing->make;
  return fmt::format("{} was {}", name, built ? "not chosen" : "not built: " + missing->why_unavailable);
}

std::optional<estimate> relative_throughput(const row& r) {
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto found = r.extra.find(key);
    if (found == r.extra.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
  };
  const auto value = number("relative_throughput");
  if (!value) return std::nullopt;
  return estimate{*value, number("relative_ci_low").value_or(*value), number("relative_ci_high").value_or(*value)};
}

// A goal that depends on what the sequential structure reaches in the same run.
void set_goal(claim& of, const claim& limit) {
  if (limit.measured) of.goal = part_of_limit * limit.measured->value;
}

}  // namespace

const row* suite_rows::find(std::string_view name, std::string_view impl) const {
  const auto found =
      std::ranges::find_if(*all_, [&](const row& r) { return r.suite == suite_ && r.name == name && r.impl == impl; });
  return found == all_->end() ? nullptr : &*found;
}

bool suite_rows::any(std::string_view name) const { return !named(name).empty(); }

std::vector<const row*> suite_rows::named(std::string_view name) const {
  std::vector<const row*> some;
  for (const row& r : *all_) {
    if (r.suite == suite_ && r.name == name) some.push_back(&r);
  }
  return some;
}

std::string why_not_shown(const row& with_thieves, double share) {
  if (with_thieves.extra.value("oversubscribed", false)) return "more threads than processors";
  const double achieved = with_thieves.extra.value("achieved_share", 0.0);
  const double least = least_part_of_share * share;
  if (achieved >= least) return {};
  return fmt::format("only {:.1f} % were stolen, less than {:.1f} %", achieved * 100, least * 100);
}

claim judged(const kept_throughput& what, const suite_rows& rows) {
  claim result{.id = what.id, .text = what.text, .paper = what.paper, .goal = what.goal, .measured = {}, .note = {}};
  const row* const found = rows.find(what.name, what.queue);
  if (found == nullptr) {
    result.note = rows.any(what.name) ? not_chosen(what.queue) : fmt::format("`{}` was not measured", what.name);
    return result;
  }
  result.note = why_not_shown(*found, what.share);
  if (result.note.empty()) result.measured = relative_throughput(*found);
  return result;
}

claim judged(const throughput_ratio& what, const suite_rows& rows, std::string_view name) {
  claim result{.id = what.id, .text = what.text, .paper = what.paper, .goal = what.goal, .measured = {}, .note = {}};
  if (!rows.any(name)) {
    result.note = fmt::format("`{}` was not measured", name);
    return result;
  }
  for (const char* const who : {what.fast, what.slow}) {
    if (rows.find(name, who) != nullptr) continue;
    result.note = not_chosen(who);
    return result;
  }
  result.measured = paired_ratio(rows.find(name, what.slow)->samples, rows.find(name, what.fast)->samples);
  return result;
}

std::vector<claim> alone_claims(const suite_rows& rows) {
  const auto claimed = [&](const throughput_ratio& c) { return judged(c, rows, alone_claims_name); };
  claim lifo_vs_abp = claimed({"lifo_vs_abp", "LIFO BWoS / ABP, alone", 4.55, {}, "bwos-lifo", "abp"});
  const claim seq_vs_abp = claimed({"seq_vs_abp", "sequential stack / ABP, alone", {}, {}, seq_stack_name, "abp"});
  set_goal(lifo_vs_abp, seq_vs_abp);
  claim fifo_vs_eigen =
      claimed({"fifo_vs_eigen", "FIFO BWoS / Eigen RunQueue, alone", 10.15, {}, "bwos-fifo", "eigen-runqueue"});
  const claim seq_vs_eigen =
      claimed({"seq_vs_eigen", "sequential ring / Eigen RunQueue, alone", {}, {}, seq_ring_name, "eigen-runqueue"});
  set_goal(fifo_vs_eigen, seq_vs_eigen);

  return {
      claimed({"lifo_alone", "LIFO BWoS / sequential stack, alone", 0.893, 0.95, "bwos-lifo", seq_stack_name}),
      claimed({"fifo_alone", "FIFO BWoS / sequential ring, alone", 0.946, 0.97, "bwos-fifo", seq_ring_name}),
      lifo_vs_abp,
      seq_vs_abp,
      fifo_vs_eigen,
      seq_vs_eigen,
      claimed({"split_alone", "split deque, polled / sequential stack, alone", {}, 0.90, "split", seq_stack_name}),
      claimed({"split_signal_alone",
               "split deque, signal-safe / sequential stack, alone",
               {},
               0.90,
               "split-signal",
               seq_stack_name}),
      claimed(
          {"asymmetric_alone", "asymmetric deque / sequential stack, alone", {}, 0.90, "asymmetric", seq_stack_name}),
  };
}

claim lifo_stolen20(const suite_rows& rows, std::string name) {
  return judged({"lifo_stolen20", "LIFO BWoS, 20 % stolen / none stolen", 0.9947, 0.98, "bwos-lifo", stolen_share,
                 std::move(name)},
                rows);
}

claim fifo_stolen20(const suite_rows& rows, std::string name) {
  return judged({"fifo_stolen20", "FIFO BWoS, 20 % stolen / none stolen", 0.9065, 0.90, "bwos-fifo", stolen_share,
                 std::move(name)},
                rows);
}

std::vector<claim> queue_claims(const alone_result* alone, const thieves_result* thieves) {
  std::vector<row> measured;
  if (alone != nullptr) measured = rows_of(*alone);
  if (thieves != nullptr) std::ranges::move(rows_of(*thieves), std::back_inserter(measured));
  const suite_rows rows(measured, "queues");
  std::vector<claim> claims = alone_claims(rows);
  std::vector<claim> stolen = {lifo_stolen20(rows, "thieves/20%"), fifo_stolen20(rows, "thieves/20%")};
  if (thieves != nullptr && !thieves->settings.frequencies.empty()) {
    for (claim& one : stolen) one.note = "with --steal-hz no stolen share is aimed at";
  }
  // As in the tables of the documentation: before those of the split deques.
  const auto place = std::ranges::find(claims, std::string("split_alone"), &claim::id);
  claims.insert(place, stolen.begin(), stolen.end());
  return claims;
}

}  // namespace pilfer::lab::queues
