// The checker's front door: run a scenario in every way that C++20's memory model allows, and say what went wrong.
//
//   struct store_buffering {
//     static constexpr std::size_t threads = 2;
//     model_sync::atomic<int> x{0, "x"}, y{0, "y"};
//     int seen[2]{};
//     void thread(std::size_t i) {                        // runs as thread i
//       (i == 0 ? x : y).store(1, std::memory_order_relaxed);
//       seen[i] = (i == 0 ? y : x).load(std::memory_order_relaxed);
//     }
//     void finish() { require(seen[0] + seen[1] > 0, "one of them sees the other"); }   // after all threads
//   };
//   const result r = check<store_buffering>({});          // finds the outcome 0, 0
//
// The scenario is constructed, run and destroyed anew for each execution. Constructor, finish() and destructor are not
// interleaved with anything and see the newest values. A scenario must be deterministic but for what it reads through
// model_sync, and must own nothing that only its destructor frees outside model_sync::allocate: an execution that fails
// or is cut off is abandoned where it stands, and nothing is destroyed.
#pragma once

#include <atomic>  // std::memory_order
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace pilfer::model {

inline constexpr std::size_t max_threads = 6;

enum class exploration : std::uint8_t {
  exhaustive,    // every execution graph once: a load reads what is there, or waits for a store that is to come
  interleaving,  // the textbook search: every schedule, with graphs reached before cut off; takes a preemption bound
  random,        // `max_executions` random ones
};

enum class sc_mode : std::uint8_t {
  execution,  // seq_cst events take effect in the order of execution; forbids a little that C++20 allows (README.md)
  axiomatic,  // seq_cst events are acq_rel ones; a finished graph is discarded if RC11's psc has a cycle
};

// What membarrier(2) does in the modelled machine.
enum class barriers : std::uint8_t {
  work,
  refused,        // from the start: asymmetric_fences() says no
  refused_later,  // asymmetric_fences() says yes; any heavy_fence() may be the first that is refused, and then all are
};

struct options {
  exploration mode = exploration::exhaustive;
  sc_mode sc = sc_mode::execution;
  bool deduplicate = true;           // cut off what was reached before (interleaving; seq_cst in exhaustive)
  int preemption_bound = -1;         // none; only for `interleaving`
  std::uint64_t max_executions = 0;  // 0: no limit
  double max_seconds = 0;            // 0: no limit
  std::size_t max_steps = 4000;      // of one execution; more is a livelock
  std::uint64_t seed = 1;            // of `random`
  int killed = -1;                   // this thread stops for ever, at each point in turn
  std::size_t interrupts = 0;        // how often interrupt() may run inside thread 0
  barriers membarrier = barriers::work;
  // Names of atomics that are left out: accesses of them are no events, order nothing and find the newest value. Sound,
  // and all else is still explored in full, if what they hold decides about nothing but themselves.
  std::vector<std::string> left_out;
  bool count_graphs = true;                     // distinct complete graphs; costs memory
  std::string replay;                           // run this one execution only
  std::function<bool()> stop;                   // asked now and then; true: end early
  std::function<void(std::uint64_t)> progress;  // called now and then with the number of executions
};

enum class fault : std::uint8_t {
  none,
  assertion,       // require() said no
  race,            // conflicting accesses of a cell, neither before the other
  use_after_free,  // of an atomic, a cell or an allocation
  uninitialized,   // a cell was read that nobody wrote
  leak,            // an allocation was not freed
  deadlock,        // no thread can go on, some have not finished
  livelock,        // the step bound was reached, or all wait for a store that nobody makes
};
[[nodiscard]] const char* to_string(fault what) noexcept;

struct failure {
  fault what = fault::none;
  std::string text;    // one line
  std::string trace;   // one line per event, then modification orders
  std::string replay;  // for options::replay
};

struct result {
  std::uint64_t executions = 0;  // complete ones
  std::uint64_t cut_off = 0;     // begun, and found to be another one's beginning or to wait for ever
  std::uint64_t graphs = 0;      // distinct complete graphs
  std::uint64_t steps = 0;
  bool exhausted = false;  // nothing was left to explore (within the preemption bound, if there is one)
  std::string bound_hit;   // which bound ended the search; empty if none
  double seconds = 0;
  failure failed;

  [[nodiscard]] bool passed() const noexcept { return failed.what == fault::none; }
};

// A replay string that does not fit the scenario.
class bad_replay : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// For a scenario's code. Ends the execution, and the search, if `holds` is false.
void require(bool holds, const char* what);
// Where thread `i`'s script has got to: any number that does not fall. Helps the search to see which stores are past.
void phase(std::size_t number);
// Thread order by the scenario itself: await(n) returns once announce(n) was called, and everything before that call
// happens before what follows. n < 64.
void announce(unsigned n);
void await(unsigned n);
// A line of the trace.
void note(const char* text, std::uint64_t value);

// A site is one call of a model_sync operation in the source, with the order it passes.
struct site {
  std::string file;      // as the compiler knows it
  std::string function;  // its name alone: "steal"
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  char kind =
      'l';  // l load, s store, r read-modify-write (exchange, fetch_add, a successful CAS), c failed CAS, f fence
  std::memory_order order = std::memory_order_relaxed;
  friend bool operator==(const site&, const site&) = default;
};
// Sites that the threads of this OS thread's scenarios have executed since the last clear (not those of constructors and
// finish()).
[[nodiscard]] std::vector<site> executed_sites();
void clear_executed_sites();
// Executions on this OS thread use `weaker` at the site `at`, until clear_weakened(). For a fence, relaxed means none.
void weaken(const site& at, std::memory_order weaker);
void clear_weakened();
// The site's file without what stands before "pilfer/".
[[nodiscard]] std::string short_file(const site& at);

// Faults that one can put into the checker itself, to see that its tests would notice. For this OS thread.
enum class checker_mutant : std::uint8_t {
  none,
  no_acquire_join,   // an acquire load joins nothing
  no_release_fence,  // a release fence keeps no view
  no_acquire_fence,
  no_sc_fence_join,       // a seq_cst fence does not look at earlier ones
  no_rmw_chain,           // a read-modify-write ends a release sequence
  store_continues_chain,  // C++11's release sequences: a plain store of the same thread continues one
  append_only,            // every store goes to the end of the modification order
  short_history,          // a load goes back at most one store
  no_coherence,           // a load does not move the reader's own view
  sc_is_acq_rel,
  split_rmw,  // a read-modify-write is not atomic
};
void plant(checker_mutant mutant);

namespace detail {

struct scenario_ops {
  std::size_t size;
  std::size_t threads;
  std::function<void(void*)> construct;
  void (*thread)(void*, std::size_t);
  void (*interrupt)(void*);
  void (*finish)(void*);
  void (*destroy)(void*);
};
result explore(const options& how, const scenario_ops& what);

}  // namespace detail

// `make(void*)` constructs a Scenario there.
template <class Scenario>
result check_made(const options& how, std::size_t threads, std::function<void(void*)> make) {
  detail::scenario_ops ops{
      .size = sizeof(Scenario),
      .threads = threads,
      .construct = std::move(make),
      .thread = [](void* at, std::size_t i) { static_cast<Scenario*>(at)->thread(i); },
      .interrupt =
          [](void* at) {
            if constexpr (requires(Scenario s) { s.interrupt(); }) static_cast<Scenario*>(at)->interrupt();
          },
      .finish = [](void* at) { static_cast<Scenario*>(at)->finish(); },
      .destroy = [](void* at) { static_cast<Scenario*>(at)->~Scenario(); },
  };
  return detail::explore(how, ops);
}

template <class Scenario, class... Arguments>
result check(const options& how, const Arguments&... arguments) {
  return check_made<Scenario>(how, Scenario::threads, [&](void* at) { new (at) Scenario(arguments...); });
}

}  // namespace pilfer::model
