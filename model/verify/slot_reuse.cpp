#include "slot_reuse.hpp"

#include "litmus/oracle.hpp"
#include "litmus/program.hpp"

namespace pilfer::model::verify {
namespace {

[[nodiscard]] std::string short_name(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed: return "rlx";
    case std::memory_order_consume:
    case std::memory_order_acquire: return "acq";
    case std::memory_order_release: return "rel";
    case std::memory_order_acq_rel: return "ar";
    case std::memory_order_seq_cst: return "sc";
  }
  return "rlx";
}

}  // namespace

std::string slot_reuse_fault(std::memory_order claim, std::memory_order look) {
  using litmus::memory_model;
  const std::string text =
      "r0=slot; r1=cas(top,0,1) " + short_name(claim) + " | r2=top " + short_name(look) + "; if r2==1; slot=2";
  const litmus::program shape = litmus::parse(text);
  const litmus::condition wrong("r0=2 & r1=0", shape);  // claimed, and read what the owner wrote afterwards
  for (const memory_model model : {memory_model::load_buffering, memory_model::standard}) {
    if (!wrong.holds_somewhere(litmus::run_oracle(shape, model).outcomes)) continue;
    return std::string("slot reuse, ") +
           (model == memory_model::standard ? "by C++20's text (load buffering, dependencies do not count)"
                                            : "with load buffering as in IMM") +
           ": " + text;
  }
  return {};
}

std::string slot_reuse_fault(const std::string& queue, const site& at, std::memory_order weaker) {
  if (queue == "abp") {
    // Its owner learns of a claim by a relaxed load, and only a dependency keeps its next store behind that: IMM's view.
    if (at.kind != 'r' || at.function != "steal") return {};
    const std::string found = slot_reuse_fault(weaker, std::memory_order_relaxed);
    return found.find("IMM") != std::string::npos ? found : std::string();
  }
  if (at.kind == 'r' && (at.function == "steal" || at.function == "steal_from")) {
    return slot_reuse_fault(weaker, std::memory_order_acquire);
  }
  if (queue == "fork" && at.kind != 's' && at.function == "take_public") {
    return slot_reuse_fault(std::memory_order_release, weaker);
  }
  if (at.kind == 'l' && (at.function == "push_full" || at.function == "make_room")) {
    return slot_reuse_fault(std::memory_order_release, weaker);
  }
  return {};
}

}  // namespace pilfer::model::verify
