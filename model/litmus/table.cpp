#include "litmus/table.hpp"

namespace pilfer::model::litmus {
namespace {

constexpr verdict F = verdict::forbidden;
constexpr verdict A = verdict::allowed;

constexpr litmus_test row(std::string_view name, std::string_view program, std::string_view outcome, verdict what,
                          std::uint64_t graphs) {
  const answer same{what, graphs};
  return {name, program, outcome, same, same, same};
}
constexpr litmus_test genmc(litmus_test test) {
  test.genmc = true;
  return test;
}
constexpr litmus_test in_order_of_execution(litmus_test test, verdict what, std::uint64_t graphs) {
  test.sc_execution = {what, graphs};
  return test;
}
constexpr litmus_test with_load_buffering(litmus_test test, verdict what, std::uint64_t graphs) {
  test.load_buffering = {what, graphs};
  return test;
}

void store_buffering(std::vector<litmus_test>& to) {
  constexpr auto both_miss = "r0=0 & r1=0";
  to.push_back(genmc(row("SB", "x=1; r0=y | y=1; r1=x", both_miss, A, 4)));
  to.push_back(row("SB+ra", "x=1 rel; r0=y acq | y=1 rel; r1=x acq", both_miss, A, 4));
  to.push_back(genmc(row("SB+sc", "x=1 sc; r0=y sc | y=1 sc; r1=x sc", both_miss, F, 3)));
  to.push_back(genmc(row("SB+scfs", "x=1; fence sc; r0=y | y=1; fence sc; r1=x", both_miss, F, 3)));
  to.push_back(row("SB+one-scf", "x=1; fence sc; r0=y | y=1; r1=x", both_miss, A, 4));
  to.push_back(genmc(row("SB+scf+2sc", "x=1; fence sc; r0=y | y=1 sc; r1=x sc", both_miss, F, 3)));
  to.push_back(row("SB+rmw-ar", "swap(x,1) ar; r0=y acq | swap(y,1) ar; r1=x acq", both_miss, A, 4));
  to.push_back(row("SB+rfis", "x=1; r2=x; r0=y | y=1; r3=y; r1=x", both_miss, A, 4));
  // Fences that are not seq_cst do not help.
  to.push_back(row("SB+arfs", "x=1; fence ar; r0=y | y=1; fence ar; r1=x", both_miss, A, 4));

  to.push_back(row("Dekker+add0", "x=1; r0=add(y,0) ar | y=1; fence sc; r1=x", both_miss, A, 4));
  to.push_back(row("Dekker+shared-rmw", "x=1; add(z,0) sc; r0=y | y=1; add(z,0) sc; r1=x", both_miss, F, 4));
  to.push_back(
      row("park+scfs", "queue=1 rel; fence sc; r0=waiters | waiters=1; fence sc; r1=queue acq", both_miss, F, 3));
  to.push_back(row("park+ra", "queue=1 rel; r0=waiters acq | waiters=1 rel; r1=queue acq", both_miss, A, 4));
  to.push_back(row("park+rmw", "queue=1; r0=add(waiters,0) ar | add(waiters,1) ar; r1=queue", both_miss, F, 3));
}

void message_passing(std::vector<litmus_test>& to) {
  constexpr auto stale = "r0=1 & r1=0";
  to.push_back(row("MP", "x=1; y=1 | r0=y; r1=x", stale, A, 4));
  to.push_back(genmc(row("MP-ra", "x=1 rel; y=1 rel | r0=y acq; r1=x acq", stale, F, 3)));
  to.push_back(row("MP+rel+acq", "x=1; y=1 rel | r0=y acq; r1=x", stale, F, 3));
  to.push_back(row("MP+rel+rlx", "x=1; y=1 rel | r0=y; r1=x", stale, A, 4));
  to.push_back(row("MP+rlx+acq", "x=1; y=1 | r0=y acq; r1=x", stale, A, 4));
  to.push_back(row("MP+relf+acqf", "x=1; fence rel; y=1 | r0=y; fence acq; r1=x", stale, F, 3));
  to.push_back(row("MP+relf+acq", "x=1; fence rel; y=1 | r0=y acq; r1=x", stale, F, 3));
  to.push_back(row("MP+rel+acqf", "x=1; y=1 rel | r0=y; fence acq; r1=x", stale, F, 3));
  to.push_back(row("MP+branch", "x=1; y=1 rel | r0=y acq; if r0==1; r1=x", stale, F, 2));
  to.push_back(row("MP+branch+rlx", "x=1; y=1 | r0=y; if r0==1; r1=x", stale, A, 3));
  to.push_back(row("MP+two-behind", "x=1; x=2; y=1 | r0=y; r1=x", stale, A, 6));
  // A failed CAS reads with its own order.
  to.push_back(row("MP+cas-fails-acq", "x=1; y=1 rel | r0=cas(y,0,2) rlx/acq; r1=x", stale, F, 3));
  to.push_back(row("MP+cas-fails-rlx", "x=1; y=1 rel | r0=cas(y,0,2) ar/rlx; r1=x", stale, A, 4));
  to.push_back(row("MP+weak", "x=1; y=1 rel | r0=weak(y,0,2) ar/acq; r1=x", stale, F, 5));

  to.push_back(row("relseq+rmw", "x=1; y=1 rel | add(y,1) | r0=y acq; r1=x", "r0=2 & r1=0", F, 9));
  // Forbidden until C++17.
  to.push_back(row("relseq+store", "x=1; y=1 rel; y=2 | r0=y acq; r1=x", "r0=2 & r1=0", A, 5));
  to.push_back(row("relseq+other-store", "x=1; y=1 rel | y=2 | r0=y acq; r1=x", "r0=2 & r1=0", A, 10));
  to.push_back(
      genmc(row("relseq-genmc", "x=1; y=1 rel; y=2 | swap(y,3) | r0=y; fence ar; r1=x", "r0=1 & r1=0", F, 20)));
  to.push_back(genmc(row("viktor-relseq", "add(x,1) acq; r0=add(x,1) | add(x,1); r1=add(x,1) | add(x,1) rel | add(x,1)",
                         "r0=5 & r1=5", F, 180)));

  to.push_back(row("WRC", "x=1 | r0=x; y=1 | r1=y; r2=x", "r0=1 & r1=1 & r2=0", A, 8));
  to.push_back(row("WRC+ra", "x=1 rel | r0=x acq; y=1 rel | r1=y acq; r2=x acq", "r0=1 & r1=1 & r2=0", F, 7));
  // Not by synchronization with x's store, but because two reads of x, one before the other, do not go back.
  to.push_back(row("WRC+rlx-mid", "x=1 | r0=x; y=1 rel | r1=y acq; r2=x", "r0=1 & r1=1 & r2=0", F, 7));
  to.push_back(genmc(row("ISA2+ra", "x=1; y=1 rel | r0=y acq; z=1 rel | r1=z acq; r2=x", "r0=1 & r1=1 & r2=0", F, 7)));
  to.push_back(row("ISA2+rlx-mid", "x=1; y=1 rel | r0=y; z=1 rel | r1=z acq; r2=x", "r0=1 & r1=1 & r2=0", A, 8));
}

void coherence(std::vector<litmus_test>& to) {
  to.push_back(genmc(row("CoRR", "x=1; x=2 | r0=x; r1=x", "r0=2 & r1=1", F, 6)));
  to.push_back(genmc(row("CoRR1", "x=1 rel | x=2 rel | r0=x acq; r1=x acq | r2=x acq", "r0=1 & r1=0", F, 36)));
  to.push_back(genmc(
      row("CoRR2", "x=1 rel | x=2 rel | r0=x acq; r1=x acq | r2=x acq; r3=x acq", "r0=1 & r1=2 & r2=2 & r3=1", F, 72)));
  to.push_back(row("CoWW", "x=1; x=2", "x=1", F, 1));
  to.push_back(row("CoRW1", "r0=x; x=1", "r0=1", F, 1));
  to.push_back(genmc(row("CoRW2", "r0=x; x=1 | x=2", "r0=2 & x=2", F, 3)));
  to.push_back(genmc(row("CoWR", "x=1; r0=x | x=2", "r0=2 & x=1", F, 3)));
  to.push_back(genmc(row("2CoWR", "x=1 | r0=x | y=1 | r1=y", "r0=1 & r1=1", A, 4)));

  to.push_back(row("RMW", "r0=add(x,1) | r1=add(x,1)", "r0=0 & r1=0", F, 2));
  to.push_back(row("3xRMW", "r0=add(x,1) | r1=add(x,1) | r2=add(x,1)", "r0=1 & r1=1", F, 6));
  to.push_back(row("RMW+store", "r0=add(x,1) | x=5", "r0=0 & x=1", F, 2));
  to.push_back(row("CAS", "r0=cas(x,0,1) | r1=cas(x,0,2)", "r0=0 & r1=0", F, 2));
}

void order_of_writes(std::vector<litmus_test>& to) {
  constexpr auto both_first = "x=1 & y=1";
  to.push_back(genmc(row("2+2W", "x=1; y=2 | y=1; x=2", both_first, A, 4)));
  to.push_back(row("2+2W+rel", "x=1 rel; y=2 rel | y=1 rel; x=2 rel", both_first, A, 4));
  to.push_back(genmc(row("2+2W+scfs", "x=1; fence sc; y=2 | y=1; fence sc; x=2", both_first, F, 3)));
  to.push_back(genmc(row("2+2W+4sc", "x=1 sc; y=2 sc | y=1 sc; x=2 sc", both_first, F, 3)));

  constexpr auto late_store = "y=2 & r0=0";
  to.push_back(row("R", "x=1; y=1 | y=2; r0=x", late_store, A, 4));
  to.push_back(row("R+ra", "x=1 rel; y=1 rel | y=2 rel; r0=x acq", late_store, A, 4));
  to.push_back(row("R+scfs", "x=1; fence sc; y=1 | y=2; fence sc; r0=x", late_store, F, 3));
  to.push_back(row("R+4sc", "x=1 sc; y=1 sc | y=2 sc; r0=x sc", late_store, F, 3));

  constexpr auto overtaken = "r0=1 & x=2";
  to.push_back(genmc(row("S", "x=2; y=1 | r0=y; x=1", overtaken, A, 4)));
  to.push_back(row("S+rel+acq", "x=2; y=1 rel | r0=y acq; x=1", overtaken, F, 3));
  to.push_back(row("S+relf+acqf", "x=2; fence rel; y=1 | r0=y; fence acq; x=1", overtaken, F, 3));
}

void several_readers(std::vector<litmus_test>& to) {
  constexpr auto disagree = "r0=1 & r1=0 & r2=1 & r3=0";
  to.push_back(row("IRIW", "x=1 | y=1 | r0=x; r1=y | r2=y; r3=x", disagree, A, 16));
  to.push_back(row("IRIW+acq", "x=1 rel | y=1 rel | r0=x acq; r1=y acq | r2=y acq; r3=x acq", disagree, A, 16));
  to.push_back(row("IRIW+sc", "x=1 sc | y=1 sc | r0=x sc; r1=y sc | r2=y sc; r3=x sc", disagree, F, 15));
  to.push_back(row("IRIW+scf-readers", "x=1 | y=1 | r0=x; fence sc; r1=y | r2=y; fence sc; r3=x", disagree, F, 15));
  to.push_back(in_order_of_execution(
      genmc(row("IRIW-acq-sc", "x=1 sc | y=1 sc | r0=x acq; r1=y sc | r2=y acq; r3=x sc", disagree, A, 16)), F, 15));
  // The flag is relaxed, so nothing but the execution's own order puts the seq_cst store before the seq_cst load.
  to.push_back(in_order_of_execution(row("MP+sc-data", "x=1 sc; y=1 | r0=y; r1=x sc", "r0=1 & r1=0", A, 4), F, 3));
  // Which of its two orders a CAS has depends on what it reads.
  to.push_back(in_order_of_execution(
      row("MP+sc-data+cas-fails-sc", "x=1 sc; y=1 | r0=y; r1=cas(x,3,4) acq/sc", "r0=1 & r1=0", A, 4), F, 3));
  to.push_back(row("MP+sc-data+cas-fails-rlx", "x=1 sc; y=1 | r0=y; r1=cas(x,3,4) sc/rlx", "r0=1 & r1=0", A, 4));
  to.push_back(row("CAS+fails-sc", "x=1; fence sc | r0=cas(x,1,2) ar/sc", "r0=0 & x=1", A, 2));
  to.push_back(in_order_of_execution(
      row("CAS+sc", "r0=cas(x,0,1) sc/rlx; r1=y sc | y=1 sc; r2=cas(x,0,2) sc/rlx", "r0=2 & r1=0", A, 4), F, 3));

  constexpr auto old = "r0=1 & r1=0 & r2=0";
  to.push_back(row("RWC", "x=1 | r0=x; r1=y | y=1; r2=x", old, A, 8));
  to.push_back(genmc(row("RWC+scfs", "x=1 | r0=x; fence sc; r1=y | y=1; fence sc; r2=x", old, F, 7)));
  to.push_back(genmc(row("W+RWC+scf", "x=1; z=1 rel | r0=z acq; fence sc; r1=y | y=1; fence sc; r2=x", old, F, 7)));
  // GenMC reports 22.
  to.push_back(in_order_of_execution(
      row("Z6.U", "x=1 sc; y=1 rel | r0=add(y,1) sc; r1=y | y=3 sc; r2=x sc", "r0=1 & r1=3 & r2=0", A, 24), F, 22));
}

void load_buffering(std::vector<litmus_test>& to) {
  constexpr auto cycle = "r0=1 & r1=1";
  to.push_back(genmc(with_load_buffering(row("LB", "r0=x; y=1 | r1=y; x=1", cycle, F, 3), A, 4)));
  to.push_back(genmc(row("LB+acq", "r0=x acq; y=1 | r1=y acq; x=1", cycle, F, 3)));
  to.push_back(with_load_buffering(row("LB+acq+rlx", "r0=x acq; y=1 | r1=y; x=1", cycle, F, 3), A, 4));
  to.push_back(row("LB+rel", "r0=x; y=1 rel | r1=y; x=1 rel", cycle, F, 3));
  to.push_back(row("LB+acqf", "r0=x; fence acq; y=1 | r1=y; fence acq; x=1", cycle, F, 3));
  to.push_back(row("LB+ctrl", "r0=x; if r0==1; y=1 | r1=y; if r1==1; x=1", cycle, F, 1));
  to.push_back(row("LB+data", "r0=x; y=r0 | r1=y; x=r1", cycle, F, 3));
  to.push_back(with_load_buffering(row("LB+data+rlx", "r0=x; y=r0 | r1=y; x=1", cycle, F, 3), A, 4));
  to.push_back(row("LB+ctrl+data", "r0=x; if r0==1; y=1 | r1=y; x=r1", cycle, F, 2));
  to.push_back(row("LB+rmw", "r0=add(x,1); y=1 rel | r1=y; x=1 rel", cycle, F, 3));

  // Slot reuse in the classical deques: the thief reads the slot and then claims it, the owner sees the claim and stores
  // something new there. If the claim does not release, only RC11's ban on load buffering keeps the new item from the
  // thief's read.
  constexpr auto stolen = "r0=2 & r1=0";
  to.push_back(with_load_buffering(
      row("claim+rlx", "r0=slot; r1=cas(top,0,1) rlx | r2=top acq; if r2==1; slot=2", stolen, F, 2), A, 3));
  to.push_back(with_load_buffering(
      row("claim+acq", "r0=slot; r1=cas(top,0,1) acq | r2=top acq; if r2==1; slot=2", stolen, F, 2), A, 3));
  to.push_back(row("claim+rel", "r0=slot; r1=cas(top,0,1) rel | r2=top acq; if r2==1; slot=2", stolen, F, 2));
  to.push_back(row("claim+sc", "r0=slot; r1=cas(top,0,1) sc | r2=top acq; if r2==1; slot=2", stolen, F, 2));
}

}  // namespace

const std::vector<litmus_test>& litmus_table() {
  static const std::vector<litmus_test> table = [] {
    std::vector<litmus_test> made;
    store_buffering(made);
    message_passing(made);
    coherence(made);
    order_of_writes(made);
    several_readers(made);
    load_buffering(made);
    return made;
  }();
  return table;
}

const answer& answer_of(const litmus_test& test, memory_model model) {
  switch (model) {
    case memory_model::rc11: return test.rc11;
    case memory_model::sc_execution: return test.sc_execution;
    case memory_model::load_buffering:
    case memory_model::standard: break;
  }
  return test.load_buffering;
}

}  // namespace pilfer::model::litmus
