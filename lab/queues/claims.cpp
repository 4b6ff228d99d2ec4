#include "lab/queues/claims.hpp"

#include <fmt/format.h>

#include "lab/queues/registry.hpp"

namespace pilfer::lab::queues {
namespace {

constexpr double stolen_share = 0.20;
constexpr double least_achieved_share = 0.18;

// A queue's throughput over another's, both alone.
struct alone_claim {
  const char* id;
  const char* text;
  std::optional<double> paper;
  std::optional<double> goal;
  const char* fast;
  const char* slow;
};

claim measured_alone(const alone_claim& c, const alone_result* alone) {
  claim result{.id = c.id, .text = c.text, .paper = c.paper, .goal = c.goal, .measured = {}, .note = {}};
  if (alone == nullptr) {
    result.note = "the experiment `alone` was not run";
    return result;
  }
  for (const char* name : {c.fast, c.slow}) {
    if (alone->find(name) != nullptr) continue;
    const implementation* missing = find_implementation(name);
    result.note = fmt::format("{} was {}", name, missing->make ? "not chosen" : "not built: Eigen was not found");
    return result;
  }
  result.measured = paired_ratio(alone->find(c.slow)->ns, alone->find(c.fast)->ns);
  return result;
}

// A goal that depends on what the sequential structure reaches in the same run.
void set_goal(claim& of, const claim& limit, double part) {
  if (limit.measured) of.goal = part * limit.measured->value;
}

claim measured_stolen(const char* id, const char* text, double paper, double goal, const char* queue,
                      const thieves_result* thieves) {
  claim result{.id = id, .text = text, .paper = paper, .goal = goal, .measured = {}, .note = {}};
  if (thieves == nullptr) {
    result.note = "the experiment `thieves` was not run";
  } else if (thieves->settings.steal_hz > 0) {
    result.note = "with --steal-hz no stolen share is aimed at";
  } else if (thieves->oversubscribed) {
    result.note = "more threads than processors";
  } else if (const auto* entry = thieves->find(queue, stolen_share); entry == nullptr) {
    result.note = fmt::format("{} was not chosen", queue);
  } else if (entry->achieved_share() < least_achieved_share) {
    result.note = fmt::format("only {:.1f} % were stolen, less than {:.0f} %", entry->achieved_share() * 100,
                              least_achieved_share * 100);
  } else {
    result.measured = entry->relative;
  }
  return result;
}

}  // namespace

std::vector<claim> queue_claims(const alone_result* alone, const thieves_result* thieves) {
  const auto claimed = [&](const alone_claim& c) { return measured_alone(c, alone); };
  claim lifo_vs_abp = claimed({"lifo_vs_abp", "LIFO BWoS / ABP, alone", 4.55, {}, "bwos-lifo", "abp"});
  const claim seq_vs_abp = claimed({"seq_vs_abp", "sequential stack / ABP, alone", {}, {}, seq_stack_name, "abp"});
  set_goal(lifo_vs_abp, seq_vs_abp, 0.95);
  claim fifo_vs_eigen =
      claimed({"fifo_vs_eigen", "FIFO BWoS / Eigen RunQueue, alone", 10.15, {}, "bwos-fifo", "eigen-runqueue"});
  const claim seq_vs_eigen =
      claimed({"seq_vs_eigen", "sequential ring / Eigen RunQueue, alone", {}, {}, seq_ring_name, "eigen-runqueue"});
  set_goal(fifo_vs_eigen, seq_vs_eigen, 0.95);

  return {
      claimed({"lifo_alone", "LIFO BWoS / sequential stack, alone", 0.893, 0.95, "bwos-lifo", seq_stack_name}),
      claimed({"fifo_alone", "FIFO BWoS / sequential ring, alone", 0.946, 0.97, "bwos-fifo", seq_ring_name}),
      lifo_vs_abp,
      seq_vs_abp,
      fifo_vs_eigen,
      seq_vs_eigen,
      measured_stolen("lifo_stolen20", "LIFO BWoS, 20 % stolen / none stolen", 0.9947, 0.98, "bwos-lifo", thieves),
      measured_stolen("fifo_stolen20", "FIFO BWoS, 20 % stolen / none stolen", 0.9065, 0.90, "bwos-fifo", thieves),
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

}  // namespace pilfer::lab::queues
