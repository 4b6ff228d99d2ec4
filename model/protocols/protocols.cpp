// The runtime's protocols as subjects of verification: their runs, and faults that must be found.
#include "protocols/claim.hpp"
#include "protocols/completion.hpp"
#include "protocols/coro_join.hpp"
#include "protocols/deferred_call.hpp"
#include "protocols/follow.hpp"
#include "protocols/latch.hpp"
#include "protocols/leapfrog.hpp"
#include "protocols/ledger.hpp"
#include "protocols/levels.hpp"
#include "protocols/parking.hpp"
#include "protocols/parking_fork.hpp"
#include "protocols/parking_lookout.hpp"
#include "protocols/places.hpp"
#include "protocols/race.hpp"
#include "protocols/returned.hpp"
#include "protocols/ring_cancel.hpp"
#include "protocols/scopes.hpp"
#include "protocols/ticket.hpp"
#include "protocols/watch.hpp"
#include "verify/faults.hpp"

namespace pilfer::model::verify {
namespace {

using namespace protocols;

template <class Scenario>
result check_protocol(const run& what, const options& how) {
  options here = how;
  here.membarrier = what.membarrier;
  here.killed = what.killed;
  return check_made<Scenario>(here, what.thieves.size() + 1, [&](void* at) { new (at) Scenario(what); });
}

[[nodiscard]] std::vector<run> parsed(const std::vector<const char*>& texts) {
  std::vector<run> runs;
  runs.reserve(texts.size());
  for (const char* text : texts) runs.push_back(run::parse(text));
  return runs;
}

std::vector<run> latch_runs() {
  return parsed({"+p/s/1", "+m/s/1", "+e/s/1", "+e+e/ss/1", "+e+e/s,s/1", "++ee/s,s/1", "++ep/s,s/1", "++me/s,s/1"});
}
std::vector<run> parking_runs() {
  return parsed({"+/s/1", "+/s/1/refused", "++/ss/1", "P/M/1", "P/M/1/refused", "+P/M/1", "P/M,M/1/refused"});
}
std::vector<run> parking_large() {
  return parsed({"+/+,ss/1", "++/s,s/1", "++/s,s/1/refused", "+/+,s,s/1", "+/+,s,s/1/refused", "P/M,M/1"});
}
std::vector<run> parking_fork_runs() { return parsed({"+/s/2", "+/S/2", "+/s/2/refused"}); }
std::vector<run> parking_fork_large() {
  return parsed({"+-+/s/2", "++/s/2", "++/s,s/2", "++/S,s/2", "++/S,S/2", "++/s,s/2/refused"});
}
std::vector<run> lookout_runs() { return parsed({"+/S/1", "+/S/1/refused", "P/M/1", "P/M/1/refused"}); }
std::vector<run> lookout_large() {
  return parsed(
      {"+/T,S/1", "+/T,s/1", "++/S,s/1", "++/S,S/1", "+/T,S/1/refused", "++/T,S,s/1", "+P/T,M/1", "P/M,M/1", "+P/M/1"});
}
std::vector<run> watch_runs() { return parsed({"e+P/s/1", "e+P/s/1/refused", "em+P/s/1", "em+P/s/1/refused"}); }
std::vector<run> watch_large() {
  return parsed({"we+P/M,ws/1", "we+P/M,ws/1/refused", "wem+P/M,ws/1", "e+P/T,s/1", "e+P/T,s/1/refused", "e+P/N,s/1",
                 "e+P/N,s/1/refused", "e+P/b,s/1", "e+P/s,s/1", "em+P/T,s/1", "e+P/T,T,s/1", "e+P/N,T,s/1",
                 "e+P/N,N,s/1", "e+P/+,s/1", "e+P/+,T,s/1"});
}
std::vector<run> deferred_runs() {
  return parsed(
      {"ep/s/1", "eP/s/1", "e-P/s/1", "mp/s/1", "mP/s/1", "mpp/s/1", "epeP/s/1", "eP/s/1/refused", "mP/s/1/refused"});
}
std::vector<run> deferred_large() {
  return parsed({"eP/s,s/1", "mP/s,s/1", "mp/s,s/1", "epmP/s,s/1", "mP/s,s/1/refused"});
}
std::vector<run> leapfrog_runs() { return parsed({"e+-Pe+-/s/1", "e+-Pe+-/ss/1", "+e+-Pe+-P-/ss/1", "+em/M/1"}); }
std::vector<run> leapfrog_large() { return parsed({"e+-Pe+-/s,s/1", "e++--Pe+-/ss/1"}); }
std::vector<run> none() { return {}; }
std::vector<run> ticket_runs() {
  return parsed({"+-/s/1", "+-+-/ss/1", "+-+-/s+-/1", "+-+-/s+-s/1", "+-+-/s,s/1", "+-+-/s+-,s/1"});
}
std::vector<run> completion_runs() {
  return parsed({"e/s/1",     "p/s/1",     "m/s/1",     "me/s/1",     "mp/s/1",    "e/ss/1",    "e/s,s/1",
                 "p/s,s/1",   "me/s,s/1",  "e/+s-/1",   "+e+e/TT/1",  "ew/s,SA/1", "ew/s,MA/1", "pw/s,MA/1",
                 "pw/s,NA/1", "ew/s,NA/1", "mw/s,SA/1", "ew/s,+-A/1", "P/s,b/1",   "-P/s,b/1",  "-p/s,b/1",
                 "P/ss,b/1",  "P/s,s,b/1", "c/s/1",     "c/ss/1",     "c/s,s/1",   "+c/T/1",    "+c/s,T/1"});
}
std::vector<run> completion_large() {
  return parsed({"P/s,bb/1", "P/s,b,b/1", "Pw/s,MA,b/1", "-Pw/s,s,NA,b/1", "+P+P/TT,bb/1", "mew/s,NMA/1", "mew/s,+-A/1",
                 "pwx/s,MA,+-B/1", "ewx/s,MA,NB/1", "+e+ew/TT,MA/1", "mew/+s-,s,MA/1"});
}
// One place or two; threads that cannot be made, can be made, or only after a while.
std::vector<run> places_runs() {
  return parsed({"+/s/1", "+/s,s/2", "+/s,s/1", "+/s,BM/1", "+/s,BM/1/before=1", "+/s,BM/1/before=2",
                 "+/s,BM,D/1/refused", "+/s,M/1", "+/s,M/2", "+P/b/1", "P/b,s/1", "P/b,C/1", "m-/+s/1", "m-/+s/2",
                 "me-/s/1", "mep/s/1", "m-/+s,BM/1/before=1", "+/ws,A/1", "m-/+ws,A/1"});
}
std::vector<run> places_large() {
  return parsed({"++/s,s/1", "+/S,s/1", "+/s,s,C/1", "++/s,s,C/2", "+/s,s,BM,D/1/refused", "+/s,s,BM/2/before=2",
                 "+/s,s,M/1", "+/s,M,M/1", "+P/b,b/1", "+P/b,s,C/1", "m+-/+s,s/1", "me-/s,s,C/1", "mep/s,s/1",
                 "mep/s,s,C/2", "+/ws,s,A/1", "+/S,s,C/1", "+/ws,M,A/1"});
}
std::vector<run> coro_runs() { return parsed({"p/s/1", "e/s/1", "/M/1", "/M,M/1", "/M,M,M/1"}); }
std::vector<run> ring_runs() {
  return parsed({"+e/s,N/1", "+m/s/1", "+em/s/1", "+m/s-/1", "+m/s,T/1", "+em/s,b/1", "+e/sM/1", "++m/sS/1",
                 "+e+m/sS/1", "++m/s,TS/1"});
}
std::vector<run> ring_large() {
  return parsed(
      {"+m/s,-/1", "+m/s,N/1", "+e/s,T,N/1", "+e/s,b,M/1", "++m/s,S/1", "+e+m/s,S/1", "+m/s,T,N/1", "+e+m/s,S,N/1"});
}
std::vector<run> race_runs() {
  return parsed({"+/s/1",   "+/b/1",   "+/s/2",   "+m/s/1",  "+/s,-/1", "+/s,-/2", "p/T/1",
                 "p/s/1",   "p/b/1",   "P/s/2",   "e/+/1",   "e/T/1",   "e/S/1",   "e/S/2",
                 "p/s,+/1", "p/b,T/1", "p/s,b/1", "p/b,M/1", "p/b,+/2", "p/s,b/2"});
}
std::vector<run> race_large() { return parsed({"e/S,S/1", "p/b,b,M/1"}); }
std::vector<run> claim_runs() {
  return parsed({"+/s/1", "+/M/1", "+/s,M/1", "mp/s/1", "mP/s/1", "mp/M/1", "mP/s,M/1", "mp/s,M/1", "++/s,M/1"});
}
std::vector<run> claim_large() { return parsed({"mp/s,s,M/1", "+mp/s,M/1", "++/s,s,M/1", "mmpP/s,M/1"}); }
std::vector<run> follow_runs() {
  return parsed({"+/s/1", "+/s,M/1", "p/s/1", "p/s,M/1", "e/s/1", "em/s/1", "me/s/1", "e/s,b/1", "em/s,b/1"});
}
std::vector<run> ledger_runs() {
  return parsed({"+-p/s/1", "+p/s/1", "+p/s/1/refused", "+p/T/1", "+A-p/wT/1", "+p/M/1", "+A-/wS/1", "+A-/wS/1/refused",
                 "+A-/wN/1", "++-p/s/1", "+e/s/1", "++A-/wS/1", "++A-/wT/1",
                 // Several owners.
                 "+/s/1/before=1", "+p/b/1", "A/+-,T/1", "/+,+/1", "/++,T/1/before=1", "/+-,T/1/before=1",
                 "m/+-/1/before=1", "m/++-/1/before=1", "p/+-/1/before=1", "p/+-/1/before=1,refused",
                 "+m/b/1/before=1"});
}
std::vector<run> ledger_large() {
  return parsed({"++A--/wS/1", "++p/s,T/1", "+A-/wS,s/1", "++A-/wS,s/1", "+A+-p/wT,s/1", "++p/M,s/1", "+A+p/wT/1",
                 "+ep/T/1", "+m/b-/1/before=1", "A/wN,+-/1/before=1", "+p/b/1/before=1", "+p/b/1/before=1,refused",
                 "+A/wS,b/1/before=1", "+A/wN,b-/1/before=1"});
}
std::vector<run> return_runs() { return parsed({"P/+/1", "mP/+/1", "P/+,+/1", "mP/++/1", "mP/+,+/1"}); }
std::vector<run> return_large() { return parsed({"mmP/++,+/1", "mP/++,++/1", "mP/+,+,+/1"}); }
std::vector<run> scopes_runs() {
  return parsed({"+/s/1", "e+-P/s/1", "eP+e/s/1", "eP+eeP/s/1", "e+e+/ss/1", "e+eP-Pe+/s/1", "e+p/s/1", "e+p+/ss/1"});
}
std::vector<run> scopes_large() { return parsed({"e+e+p-/s,s/1", "e+-+pP+/ss,s/1", "ee+pP+p/s,ss/1"}); }

std::vector<run> levels_runs() {
  return parsed({"+/s/1",      "+-/s/1",     "++--/ss/1",  "+-+/s/2",    "++-/s/2",     "++-/ss/2",
                 "+--+/s/2",   "+--+-/ss/2", "m+/ss/1",    "m+--/s/1",   "m+--m/ss/1",  "em+P/s/1",
                 "+eP-e/ss/1", "+w-/sA/1",   "++w--/sA/2", "mew-P/sA/1", "++/s,s/2",    "++-/s,s/2",
                 "+-+/s,s/2",  "+--+/s,s/2", "+m/s,s/1",   "m+-/s,s/1",  "m+w-/sA,s/1", "++A--/ws,ws/2"});
}
std::vector<run> levels_large() {
  return parsed({"+-+-/s,s/1", "++w--/sA,ss/2", "++--+/ss,s/2", "m+--m+/ss,s/2", "++m-/s,s,s/2"});
}

// Of both: each of them is needed here.
std::vector<named_order> parking_fork_orders() {
  return {{"settle", &fork_variable::settle}, {"dekker", &parking_variable::dekker}};
}

// A task's latch says who runs it.
std::vector<named_order> claim_and_latch_orders() {
  std::vector<named_order> all = claim_variable::all();
  all.push_back({"start.rel", &latch_variable::start.rel});
  all.push_back({"start.acq", &latch_variable::start.acq});
  return all;
}

// All orders of the claim are relaxed; what was handed over comes with the countdown.
std::vector<named_order> race_orders() {
  return {{"last.rel", &coro_variable::last.rel}, {"last.acq", &coro_variable::last.acq}};
}

template <latch_fault Fault>
constexpr auto latch = check_protocol<latch_scenario<Fault>>;
template <parking_fault Fault>
constexpr auto parking = check_protocol<parking_scenario<Fault>>;
template <sleeping_fault Fault>
constexpr auto sleeping = check_protocol<parking_fork_scenario<Fault>>;
template <lookout_fault Fault>
constexpr auto looking_out = check_protocol<lookout_scenario<Fault>>;
template <watch_fault Fault>
constexpr auto watching = check_protocol<watch_scenario<Fault>>;
template <deferred_fault Fault>
constexpr auto deferring = check_protocol<deferred_scenario<Fault>>;
template <leapfrog_fault Fault>
constexpr auto leapfrog = check_protocol<leapfrog_scenario<Fault>>;
template <ticket_fault Fault>
constexpr auto ticket_of = check_protocol<ticket_scenario<Fault>>;
template <completion_fault Fault>
constexpr auto completion_of = check_protocol<completion_scenario<Fault>>;
template <places_fault Fault>
constexpr auto places_of = check_protocol<places_scenario<Fault>>;
template <coro_fault Fault>
constexpr auto coro_of = check_protocol<coro_scenario<Fault>>;
template <ring_fault Fault>
constexpr auto ring_of = check_protocol<ring_scenario<Fault>>;
template <follow_fault Fault>
constexpr auto follow_of = check_protocol<follow_scenario<Fault>>;
template <race_fault Fault>
constexpr auto race_of = check_protocol<race_scenario<Fault>>;
template <claim_fault Fault>
constexpr auto claim_of = check_protocol<claim_scenario<Fault>>;
template <ledger_fault Fault>
constexpr auto ledger_of = check_protocol<ledger_scenario<Fault>>;
template <return_fault Fault>
constexpr auto return_of = check_protocol<return_scenario<Fault>>;
template <scopes_fault Fault>
constexpr auto scopes_of = check_protocol<scopes_scenario<Fault>>;
template <levels_fault Fault = levels_fault::none>
result levels_of(const run& what, const options& how) {
  options here = how;
  here.left_out = {"seen"};  // as in check_queue
  return check_protocol<levels_scenario<Fault>>(what, here);
}

}  // namespace

void add_protocol_faults(std::vector<known_fault>& to) {
  const std::vector<known_fault> all{
      {faults_name, "latch-touched", "join latch: the runner touches it after it has said that it is done", "+p/s/1",
       latch<latch_fault::touched_after_finish>},
      {faults_name, "latch-woken-early", "join latch: the sleeper is woken before the latch is done", "+e/s/1",
       latch<latch_fault::woken_before_done>},
      {faults_name, "parking-no-light", "parking: nothing orders the work before the look at the word", "+/s/1",
       parking<parking_fault::no_light_fence>},
      {faults_name, "parking-no-heavy", "parking: the sleeper has no membarrier", "+/s/1",
       parking<parking_fault::no_heavy_fence>},
      {faults_name, "parking-looks-first", "parking: the sleeper looks before it announces itself", "+/s/1",
       parking<parking_fault::looks_first>},
      {faults_name, "parking-late-work", "parking: work is published after the look at the word", "+/s/1",
       parking<parking_fault::late_work>},
      {faults_name, "fork-no-light", "fork deque and sleepers: push does not order bottom before bounds", "+/s/2",
       sleeping<sleeping_fault::no_light_fence>},
      {faults_name, "fork-no-heavy", "fork deque and sleepers: no membarrier, neither in seize nor before sleep",
       "+/s/2", sleeping<sleeping_fault::no_heavy_fence>},
      {faults_name, "fork-no-request", "fork deque and sleepers: the owner is not told", "+/s/2",
       sleeping<sleeping_fault::no_request>},
      {faults_name, "fork-late-request", "fork deque and sleepers: the request follows the membarrier", "+/s/2",
       sleeping<sleeping_fault::request_after_fence>},
      {faults_name, "fork-no-notify", "fork deque and sleepers: the owner exposes and calls nobody", "+/s/2",
       sleeping<sleeping_fault::no_notify>},
      {faults_name, "fork-no-relay",
       "fork deque and sleepers: one request is answered, the other sleepers are forgotten", "++/S,S/2",
       sleeping<sleeping_fault::no_relay>, true, 3},
      {faults_name, "lookout-no-kick", "lookouts: who calls wakes those on the word only", "+/S/1",
       looking_out<lookout_fault::no_kick>},
      {faults_name, "lookout-leaves-call", "lookouts: who gets up by itself passes no call on", "+/T,S/1",
       looking_out<lookout_fault::leaves_call>},
      {faults_name, "watch-looks-first", "watch: the sleeper looks at the events before it counts itself",
       "e+P/s/1/refused", watching<watch_fault::looks_first>},
      {faults_name, "watch-no-fence", "watch: a worker that begins a job takes what others wrote for a hint",
       "e+P/s/1/refused", watching<watch_fault::no_fence>},
      {faults_name, "watch-late-operation", "watch: an operation is started after the look at the sleepers", "e+P/s/1",
       watching<watch_fault::late_operation>},
      {faults_name, "watch-own-events-only", "watch: a watcher that begins a job forgets the events of others",
       "e+P/T,s/1/refused", watching<watch_fault::own_events_only>},
      {faults_name, "watch-call-ends", "watch: a sleeper that was called begins a job and passes nothing on",
       "e+P/N,s/1/refused", watching<watch_fault::call_ends>},
      {faults_name, "watch-leaves-late", "watch: a watcher is counted until after its last look", "e+P/T,s/1/refused",
       watching<watch_fault::leaves_late>},
      {faults_name, "watch-control", "control: a watcher leaves while another worker begins a job",
       "we+P/M,ws/1/refused", watching<watch_fault::none>, false, 3},
      {faults_name, "watch-call-control", "control: a sleeper that is called begins a job", "e+P/N,s/1/refused",
       watching<watch_fault::none>, false, 2},
      {faults_name, "deferred-forgotten", "deferred call: the reaper begins another job and calls nobody", "eP/s/1",
       deferring<deferred_fault::forgotten>},
      {faults_name, "deferred-two", "deferred call: two completions are kept by one worker", "mP/s/1",
       deferring<deferred_fault::two_kept>},
      {faults_name, "deferred-none", "deferred call: a reap that brings nothing takes it back", "e-P/s/1",
       deferring<deferred_fault::none_forgets>},
      {faults_name, "leapfrog-unchecked", "leapfrogging: a stranger is kept", "e+-Pe+-/s/1",
       leapfrog<leapfrog_fault::unchecked>},
      {faults_name, "leapfrog-checked-before", "leapfrogging: the look comes before the steal", "e+-Pe+-/s/1",
       leapfrog<leapfrog_fault::checked_before>},
      {faults_name, "leapfrog-ends-late", "leapfrogging: a job's end is published after the next job's fork",
       "e+-Pe+-/s/1", leapfrog<leapfrog_fault::ends_late>},
      {faults_name, "leapfrog-no-mark", "leapfrogging: what lies before the job's mark is taken, too", "+e/s/1",
       leapfrog<leapfrog_fault::no_mark>},
      {faults_name, "ticket-first-recycles", "ticket: who has the job uses the ticket again", "+-/s+-/1",
       ticket_of<ticket_fault::first_recycles>},
      {faults_name, "ticket-both-recycle", "ticket: both sides use it again", "+-+-/s+-/1",
       ticket_of<ticket_fault::both_recycle>},
      {faults_name, "completion-unlocked", "completion: a waiter destroys it without having held the lock", "mp/s/1",
       completion_of<completion_fault::leaves_unlocked>},
      {faults_name, "completion-subtracted", "completion: the last one wakes after it has given its count back",
       "e/s/1", completion_of<completion_fault::subtracted_first>},
      {faults_name, "completion-short-bed", "completion: a sleeper goes before who woke it is through", "e/s/1",
       completion_of<completion_fault::short_bed>},
      {faults_name, "completion-bed-left", "completion: whose time is out leaves its bed in the list", "m/s/1",
       completion_of<completion_fault::not_withdrawn>},
      {faults_name, "completion-looked", "completion: a sleeper looks before it takes the lock", "e/s/1",
       completion_of<completion_fault::looked_before>},
      {faults_name, "completion-control", "control: the copy that has these faults, without them", "me/s,s/1",
       completion_of<completion_fault::control>, false},
      {faults_name, "completion-woken", "completion: a sleeper that is woken for another reason takes it for the end",
       "P/s,b/1", completion_of<completion_fault::woken_is_done>},
      {faults_name, "completion-bed-unguarded",
       "completion: a bed is woken for another reason while its frame goes away", "P/s,b/1",
       completion_of<completion_fault::bed_unguarded>},
      {faults_name, "places-looks-first", "places: a member looks for work before it gives its place up", "+/s/1",
       places_of<places_fault::looks_first>},
      {faults_name, "places-offers-first", "places: a place is offered before the work is published", "+/s/1",
       places_of<places_fault::offers_first>},
      {faults_name, "places-not-counted", "places: a member that is recalled is counted only when it is back",
       "++/s,s/1", places_of<places_fault::not_counted>, true, 2},
      {faults_name, "places-counted-twice", "places: a member that was recalled counts itself once more", "++/s/1",
       places_of<places_fault::counted_twice>},
      {faults_name, "places-silent-leave", "places: a caller leaves, and does not offer its place", "m-/+s/1",
       places_of<places_fault::silent_leave>},
      {faults_name, "places-unfit-silent",
       "places: a member with no room for the work that it finds does not offer its place", "+/S,s/1",
       places_of<places_fault::unfit_silent>},
      {faults_name, "places-silent-region", "places: the last thread begins to block, and does not offer its place",
       "mep/s/1", places_of<places_fault::silent_region>},
      {faults_name, "places-late-wake", "places: a member is woken after the mutex was released", "+/ws,A/1",
       places_of<places_fault::late_wake>},
      {faults_name, "places-short-bed", "places: a wait's frame ends before its member is back", "+/ws,A/1",
       places_of<places_fault::short_bed>},
      {faults_name, "places-one-of-two", "places: a member of two pools gives up one place", "P/b/1",
       places_of<places_fault::one_place>},
      {faults_name, "coro-touched", "coroutines: a child looks at the join after it has ended", "p/s/1",
       coro_of<coro_fault::touched_after>},
      {faults_name, "ring-unawaited", "ring: an operation is resumed while the callback that asks still runs",
       "+m/s,T/1", ring_of<ring_fault::callback_unawaited>},
      {faults_name, "ring-listed", "ring: an operation that has ended stays in the list", "++m/s,TS/1",
       ring_of<ring_fault::left_listed>},
      {faults_name, "ring-kick-forgotten", "ring: another thread takes the owner's kick, and leaves no note", "+m/s-/1",
       ring_of<ring_fault::kick_forgotten>},
      {faults_name, "ring-not-found", "ring: what the kernel does not find counts as cancelled", "+em/s,b/1",
       ring_of<ring_fault::not_found_is_sent>},
      {faults_name, "ring-no-kick", "ring: the owner is not woken for what it has to send", "+m/s/1",
       ring_of<ring_fault::no_kick>},
      {faults_name, "ring-resumed-early", "ring: an operation is resumed without its completion", "+em/s/1",
       ring_of<ring_fault::asker_resumes>},
      {faults_name, "race-late-claim", "races: a receive takes its value before it claims", "+m/s/2",
       race_of<race_fault::late_claim>},
      {faults_name, "race-one-by-one", "races: the partner is claimed before the own race", "p/s,b/1",
       race_of<race_fault::one_by_one>},
      {faults_name, "race-own-word-first", "races: each holds its own word and waits for the other's", "p/b/1",
       race_of<race_fault::own_word_first>},
      {faults_name, "race-no-wake-up", "races: nobody wakes a thread that waits for a held word", "p/b/1",
       race_of<race_fault::no_wake_up>},
      {faults_name, "race-serves-itself", "races: an alternative is served by another one of its race", "e/T/1",
       race_of<race_fault::serves_itself>},
      {faults_name, "race-not-counted", "races: the coroutine goes on before all alternatives are in line", "+/s/1",
       race_of<race_fault::not_counted>},
      {faults_name, "race-left-in-line", "races: alternatives that have not won stay in line", "+m/s/1",
       race_of<race_fault::left_in_line>},
      {faults_name, "race-control", "control: the copy that has some of these faults, without them", "p/b/1",
       race_of<race_fault::control>, false},
      {faults_name, "claim-no-exchange", "claim: a load and a store", "+/s,M/1", claim_of<claim_fault::no_exchange>},
      {faults_name, "claim-uncounted", "claim: the entry in the queue is no use of the task", "+/s,M/1",
       claim_of<claim_fault::entry_uncounted>},
      {faults_name, "claim-listed", "claim: a claimed task stays in its group's list", "+/s,M/1",
       claim_of<claim_fault::left_in_list>},
      {faults_name, "claim-touched", "claim: a run looks at its task after it has let go", "+/s,M/1",
       claim_of<claim_fault::touched_after>},
      {faults_name, "follow-two-holds",
       "followers: one asks to follow and takes its place under two holds of the guard", "+/s/1",
       follow_of<follow_fault::two_holds>},
      {faults_name, "follow-not-deferred", "followers: a waiter may claim what follows before the first task has ended",
       "p/s/1", follow_of<follow_fault::not_deferred>},
      {faults_name, "follow-unguarded-stop", "followers: a coroutine is stopped without the guard", "e/s,b/1",
       follow_of<follow_fault::unguarded_stop>},
      {faults_name, "follow-left-in-slot", "followers: a stopped coroutine stays in its place", "em/s/1",
       follow_of<follow_fault::left_in_slot>},
      {faults_name, "follow-touched", "followers: the thread that has ended a task looks again after its last use",
       "e/s/1", follow_of<follow_fault::touched_after>},
      {faults_name, "ledger-no-light", "ledger: nothing orders the owner's entry before its look whether it is closed",
       "+p/T/1", ledger_of<ledger_fault::no_light_fence>},
      {faults_name, "ledger-no-heavy", "ledger: a closer has no membarrier", "+p/T/1",
       ledger_of<ledger_fault::no_heavy_fence>},
      {faults_name, "ledger-uncounted", "ledger: the list is no use of its tasks", "+p/s/1",
       ledger_of<ledger_fault::list_uncounted>},
      {faults_name, "ledger-epoch", "ledger: the owner unlinks a task that a closer has moved", "++A+--/wT/1",
       ledger_of<ledger_fault::epoch_ignored>},
      {faults_name, "ledger-epochs", "ledgers: an owner unlinks a task that is in another's", "+/s/1/before=1",
       ledger_of<ledger_fault::epoch_ignored>},
      {faults_name, "ledger-opened", "ledgers: an owner opens its own while a waiter sleeps", "/N,++-/1/before=1",
       ledger_of<ledger_fault::opened_early>},
      {faults_name, "ledger-credits", "ledger: a closer forgets the credits", "+p/M/1",
       ledger_of<ledger_fault::credits_kept>},
      {faults_name, "ledger-touched", "ledger: the owner looks at the group after it has told of a task's end",
       "+A-/wS/1", ledger_of<ledger_fault::touched_after>},
      {faults_name, "returned-counted-before", "returned blocks: the owner counts, and then abandons", "P/+/1",
       return_of<return_fault::counted_before>},
      {faults_name, "returned-freed", "returned blocks: the owner frees what is in use", "P/+/1",
       return_of<return_fault::freed_by_owner>},
      {faults_name, "scopes-looked-after", "scopes: the thief looks after its claim", "e+p/s/1",
       scopes_of<scopes_fault::looked_after>},
      {faults_name, "scopes-level-after", "scopes: the thief looks for the level after its claim", "e+p/s/1",
       scopes_of<scopes_fault::level_after>},
      {faults_name, "scopes-entered-late", "scopes: a task forks before its scope is there", "e+/s/1",
       scopes_of<scopes_fault::entered_late>},
      {faults_name, "scopes-low-mark", "scopes: a mark that is one too low", "e+e/s/1",
       scopes_of<scopes_fault::low_mark>},
      {faults_name, "scopes-left-early", "scopes: a task's scope ends before its last join", "e+-/s/1",
       scopes_of<scopes_fault::left_early>},
      {faults_name, "levels-shown-late", "levels: a level is shown after others were told of the push", "+/s/1",
       levels_of<levels_fault::shown_late>},
      {faults_name, "levels-hidden-before", "levels: a level is hidden before the take", "++-/s/2",
       levels_of<levels_fault::hidden_before>},
      {faults_name, "levels-hidden-lost", "levels: the owner takes a race that it lost for an empty queue", "++-/s/2",
       levels_of<levels_fault::hidden_by_look>},
      {faults_name, "levels-hidden-by-thief", "levels: a thief that finds a level empty hides it", "+-+/s/1",
       levels_of<levels_fault::hidden_by_thief>},
      {faults_name, "levels-lost-is-empty", "levels: a thief goes on to the next level when it has lost a race (003)",
       "++/s,s/2", levels_of<levels_fault::lost_is_empty>},
      {faults_name, "levels-bit-alone", "levels: the owner writes one level and forgets the others", "m+/s/1",
       levels_of<levels_fault::bit_alone>},
      {faults_name, "levels-run-alone", "levels: the owner writes where it runs and forgets its tasks", "+e/s/1",
       levels_of<levels_fault::run_alone>},
      {faults_name, "levels-control", "control: the copy that has some of these faults, without them", "em+-+P/s/2",
       levels_of<levels_fault::control>, false},
  };
  to.insert(to.end(), all.begin(), all.end());
}

void add_protocols(std::vector<subject>& to) {
  const auto add = [&](const char* name, std::vector<run> (*runs)(), std::vector<run> (*large)(),
                       result (*check)(const run&, const options&), std::vector<named_order> (*orders)()) {
    to.push_back({.name = name,
                  .traits = {.name = name, .order = ext::queue_order::lifo, .bounded = false},
                  .narrow = false,
                  .protocol = runs,
                  .large = large,
                  .check = check,
                  .orders = orders});
  };
  add("latch", latch_runs, none, check_protocol<latch_scenario<>>, latch_variable::all);
  add("parking", parking_runs, parking_large, check_protocol<parking_scenario<>>, parking_variable::all);
  add("parking+fork", parking_fork_runs, parking_fork_large, check_protocol<parking_fork_scenario<>>,
      parking_fork_orders);
  add("parking+lookout", lookout_runs, lookout_large, check_protocol<lookout_scenario<>>,
      parking_variable::with_lookouts);
  add("watch", watch_runs, watch_large, check_protocol<watch_scenario<>>, watch_variable::all);
  // It has no order of its own; its call is the parking's.
  add("deferred-call", deferred_runs, deferred_large, check_protocol<deferred_scenario<>>, nullptr);
  add("leapfrog", leapfrog_runs, leapfrog_large, check_protocol<leapfrog_scenario<>>, run_variable::all);
  add("ticket", ticket_runs, none, check_protocol<ticket_scenario<>>, ticket_variable::all);
  add("completion", completion_runs, completion_large, check_protocol<completion_scenario<>>, completion_variable::all);
  add("places", places_runs, places_large, check_protocol<places_scenario<>>, nullptr);  // the mutex orders everything
  add("coro-join", coro_runs, none, check_protocol<coro_scenario<>>, coro_variable::all);
  add("ring-cancel", ring_runs, ring_large, check_protocol<ring_scenario<>>, ring_variable::all);
  add("race", race_runs, race_large, check_protocol<race_scenario<>>, race_orders);
  add("claim", claim_runs, claim_large, check_protocol<claim_scenario<>>, claim_and_latch_orders);
  add("follow", follow_runs, none, check_protocol<follow_scenario<>>, follower_variable::all);
  add("ledger", ledger_runs, ledger_large, check_protocol<ledger_scenario<>>, ledger_variable::all);
  add("returned", return_runs, return_large, check_protocol<return_scenario<>>, return_variable::all);
  add("scopes", scopes_runs, scopes_large, check_protocol<scopes_scenario<>>, scope_variable::all);
  add("levels", levels_runs, levels_large, levels_of<>, nullptr);  // all of its orders are relaxed
}

}  // namespace pilfer::model::verify
