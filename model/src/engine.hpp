// The modelled machine and the search over its executions; one engine per OS thread.
//
// Machine     a promise-free view machine for RC11. Per location a modification order into which a store may be inserted
//             anywhere the storing thread's view allows. A view says, per location, the newest store behind which a thread
//             must not read; clocks say what happens before what, and serve only to find races: bounds that seq_cst
//             fences impose are in views and never in clocks.
// Search      a stack of decisions; each execution begins anew and follows the stack, then decides first things first.
//   exhaustive    A thread runs until it cannot go on. A store may run at once: whoever could have come before it in the
//                 modification order can still be inserted there, and whoever should not see it may read an older one. A
//                 load decides between the stores that are there, and to wait for one that is not there yet; once woken it
//                 takes one of the new ones or waits on. So each graph has exactly one path, whatever the schedule, and
//                 a path on which somebody waits in vain is cut off. Waiting is offered only where another thread is known
//                 to store to that location at its phase or later ("footprint"); whenever an execution shows a store that
//                 was not known, the search begins again with it. seq_cst events decide in the same way whether to come
//                 before or after the next seq_cst event of another thread; states so reached twice are cut off.
//   interleaving  A decision before every operation: which thread goes on. States reached before are cut off. With a
//                 preemption bound only before operations that do not commute with what others may do: a preemption before
//                 a store, or before a load of what nobody else stores to, is one before the next operation that matters.
//   random        The same with dice.
#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "hash.hpp"
#include "model/check.hpp"
#include "model/operations.hpp"

namespace pilfer::model {

using operations::where;
using std::memory_order;

using store_id = std::uint16_t;     // 0: the location's first store
using location_id = std::uint16_t;  // 0: none
using clocks = std::array<std::uint16_t, 8>;

inline constexpr std::size_t max_locations = 512;
inline constexpr std::size_t conductor_thread = max_threads;  // constructor, finish() and destructor
// Not memory: what seq_cst events, barriers and light fences are recorded under in the footprint.
inline constexpr location_id sc_events = 1;
inline constexpr location_id barrier_events = 2;
inline constexpr location_id light_fences = 3;
inline constexpr location_id first_location = 4;

static_assert(conductor_thread < std::tuple_size_v<clocks>);

using view = std::array<store_id, max_locations>;

struct store_record {
  std::uint64_t value = 0;
  std::uint32_t uid = 0;      // thread and number of the operation: the same in every execution with the same graph
  std::uint32_t message = 0;  // where its view lies in the pool, plus 1; 0: it carries none
  std::uint16_t message_size = 0;
  std::uint16_t position = 0;  // in modification order
  location_id at = 0;
  store_id read_from = 0;  // of a read-modify-write
  std::uint8_t thread = 0;
  bool is_rmw = false;
  bool followed = false;  // the next one in modification order is a read-modify-write that read this
  clocks message_clock{};
};

struct location_record {
  const char* name = nullptr;
  bool dead = false;
  bool left_out = false;
  bool locked = false;  // as a mutex
  std::uint8_t creator = 0;
  std::uint16_t created = 0;  // the creator's clock
  store_id newest = 0;        // the store made last, not the last in modification order
  std::uint32_t locks = 0;
  std::vector<store_id> order;  // modification order
  mutable hash128 order_hash;
  mutable bool rehashed = false;  // order_hash fits
  clocks accessed{};              // each thread's clock at its last access
};

enum class status : std::uint8_t {
  ready,
  waiting,  // by decision of the search, for something another thread may do
  locked_out,
  parked,
  paused,
  gated,
  stopped,  // for ever
  done,
};

struct thread_state {
  view cur{};
  view released{};  // at the last release fence
  clocks clock{};
  clocks released_clock{};
  bool has_released = false;
  std::vector<store_id> read;  // relaxed, since the last acquire fence
  hash128 chain;               // what it did and what that read, with the views that seq_cst fences left
  hash128 graph;               // the same without those
  std::uint16_t operations = 0;
  std::uint16_t locations = 0;  // created
  std::size_t phase = 0;
  status state = status::ready;
  // While waiting:
  location_id awaited = 0;  // a store there made after `watermark`
  store_id watermark = 0;
  bool awaits_sc = false;      // or an event of that kind
  bool awaits_target = false;  // in a barrier of its own: or a thread that awaits one
  std::uint64_t sc_seen = 0;
  std::uint64_t stops_seen = 0;
  std::uint32_t barriers_seen = 0;
  std::uint32_t barriers = 0;  // that hit this thread
  std::uint32_t awaited_locks = 0;
  bool timed = false;
  unsigned gate = 0;
  // For pause(): what was read since the last one, and where the next load must see something newer.
  std::vector<std::pair<location_id, store_id>> looked;
  location_id must_pass = 0;
  store_id passed = 0;
};

struct event {
  std::uint8_t thread = 0;
  char kind = 'l';  // as in `site`; also m heavy fence, k lock, u unlock, w park, n note, i interrupt, x stop
  memory_order order = memory_order::relaxed;
  location_id at = 0;
  store_id read = 0;
  store_id written = 0;
  std::uint16_t stale = 0;
  std::uint16_t position = 0;
  std::uint16_t clock = 0;
  clocks seen{};  // the thread's clocks after it
  std::uint64_t value = 0;
  const char* text = nullptr;
  where site;
};

// RC11's psc, on a finished graph.
[[nodiscard]] bool psc_is_acyclic(const std::vector<event>& all, const std::vector<store_record>& stores);

class engine {
 public:
  static engine& mine();

  result explore(const options& how, const detail::scenario_ops& what);

  // The operations; called on the fibers.
  void create(operations::location& at, std::uint64_t value, const char* name);
  void destroy(operations::location& at);
  std::uint64_t load(location_id at, memory_order order, const where& site);
  void store(location_id at, std::uint64_t value, memory_order order, const where& site);
  enum class rmw : std::uint8_t { exchange, add, cas, weak_cas };
  struct rmw_result {
    std::uint64_t found;
    bool stored;
  };
  rmw_result read_modify_write(location_id at, rmw what, std::uint64_t expected, std::uint64_t operand,
                               std::uint64_t mask, memory_order success, memory_order failure, const where& site);
  void fence(memory_order order, const where& site);
  void light_fence() { note_footprint(light_fences); }
  bool heavy_fence(const where& site);
  void pause(const where& site);
  void lock(location_id at, const where& site);
  void unlock(location_id at, const where& site);
  bool futex_wait(location_id at, std::uint64_t expected, bool timed, const where& site);
  std::size_t futex_wake(location_id at, std::size_t count, const where& site);
  void* allocate(std::size_t bytes, std::size_t alignment);
  void deallocate(void* memory);
  void read_cell(operations::cell_history& history, const where& site);
  void write_cell(operations::cell_history& history, const where& site);
  void destroy_cell(operations::cell_history& history);
  void require(bool holds, const char* what);
  void set_phase(std::size_t number);
  void announce(unsigned n);
  void await(unsigned n);
  void note(const char* text, std::uint64_t value);
  [[nodiscard]] bool asymmetric_fences() const { return options_->membarrier != barriers::refused; }
  [[nodiscard]] location_id checked(const operations::location& at);

  // Of this OS thread, whatever it checks.
  std::vector<site> executed;
  bool records_sites = false;
  std::vector<std::pair<site, memory_order>> weakened;
  checker_mutant mutant = checker_mutant::none;

 private:
  engine();
  ~engine();

  // Search (search.cpp)
  void search();
  void explore_footprint();
  void begin_again();
  enum class outcome : std::uint8_t { complete, cut_off, failed };
  outcome run_once();
  void reset();
  void conduct();
  bool next_execution();
  [[nodiscard]] bool limit_reached();
  void describe_failure();
  static constexpr int wait = -1;
  // One of `count` things, or `wait`, which is offered if `may_wait`.
  int decide(std::size_t count, bool may_wait, bool of_thread = false, bool stays = false);
  int replayed(std::size_t count);
  [[nodiscard]] std::size_t dice(std::size_t count, bool of_thread);
  [[nodiscard]] bool in_new_territory() const noexcept { return depth_ >= decisions_.size(); }
  [[noreturn]] void give_up(outcome how);
  // By value: the fiber is abandoned, and with it whatever it holds on to.
  [[noreturn]] void fail(fault what, std::string text);
  [[nodiscard]] std::string log_text() const;
  void parse_log(const std::string& text);

  // Scheduling (schedule.cpp)
  // `matters`: might another thread do something that cannot be moved across this operation?
  void begin_operation(const where& site, bool matters);
  [[nodiscard]] bool read_matters(location_id at, bool sc) const;
  [[nodiscard]] bool store_matters(bool sc) const;
  void end_operation();
  void choose_thread();
  void start_threads();
  [[nodiscard]] std::size_t runnable(std::array<std::size_t, max_threads>& list, std::size_t first) const;
  void give_way();
  void run(std::size_t thread);
  void finish_thread();
  [[nodiscard]] bool can_run(const thread_state& t) const;
  [[nodiscard]] bool may_be_woken(std::size_t number) const;
  [[nodiscard]] bool waits_for_holder(const thread_state& t) const;
  [[nodiscard]] bool others_may(location_id what) const { return may_happen(what, running_); }
  [[nodiscard]] bool may_happen(location_id what, std::size_t except) const;
  void note_footprint(location_id what);
  void wait_for(location_id at, bool sc);
  void block(status why);
  [[nodiscard]] bool can_run_paused(const thread_state& t) const;
  void cut_off_if_known();
  [[nodiscard]] hash128 state_hash() const;
  [[nodiscard]] hash128 graph_hash() const;
  [[nodiscard]] bool conducting() const noexcept { return running_ == conductor_thread; }

  // Semantics (machine.cpp)
  [[nodiscard]] thread_state& self() noexcept { return threads_[running_]; }
  [[nodiscard]] std::uint16_t position(store_id s) const noexcept { return stores_[s].position; }
  [[nodiscard]] bool sc_by_execution(memory_order order) const noexcept;
  [[nodiscard]] std::uint16_t lower_bound(location_id at, memory_order order) const;
  void join(view& to, const store_record& from);
  void join(view& to, const view& from) const;
  void join(view& to, const view& from, std::size_t locations) const;
  static void join(clocks& to, const clocks& from) noexcept;
  [[nodiscard]] std::uint32_t new_message(const view& from);
  void acquire(thread_state& t, store_id from, memory_order order);
  void finish_read(location_id at, store_id s, memory_order order);
  store_id insert(location_id at, std::uint64_t value, memory_order order, std::size_t place, store_id read_from,
                  bool is_rmw);
  template <class Filter>
  store_id choose_source(location_id at, memory_order order, bool sc, const Filter& admits);
  store_id choose_any_source(location_id at, memory_order order);
  [[nodiscard]] std::size_t choose_position(location_id at, memory_order order);
  void fence_of(std::size_t thread, memory_order order);
  [[nodiscard]] const hash128& order_hash(const location_record& l) const;
  [[nodiscard]] hash128 view_hash(const view& v) const;
  void accessed(location_id at);
  [[nodiscard]] memory_order effective(char kind, memory_order order, const where& at);
  void record(char kind, location_id at, memory_order order, const where& site, store_id read, store_id written,
              std::uint64_t value);
  [[nodiscard]] std::string describe() const;  // trace.cpp
  [[nodiscard]] std::string value_text(location_id at, std::uint64_t value) const;
  [[nodiscard]] std::string store_name(store_id s) const;
  [[nodiscard]] std::string name_of(location_id at) const;

  const options* options_ = nullptr;
  const detail::scenario_ops* scenario_ = nullptr;
  void* object_ = nullptr;
  result result_;

  // One execution
  std::array<thread_state, max_threads + 1> threads_;
  std::array<fiber, max_threads + 1> fibers_;
  fiber outside_;
  std::size_t running_ = conductor_thread;
  std::vector<store_record> stores_;
  std::vector<store_id> messages_;
  std::array<location_record, max_locations> locations_;
  std::size_t location_count_ = first_location;
  view fences_{};  // what seq_cst fences have seen
  view sc_accesses_{};
  std::uint64_t sc_count_ = 0;
  std::uint64_t stop_count_ = 0;  // threads that began to wait, or ended
  std::array<bool, 64> announced_{};
  std::array<clocks, 64> announced_clock_{};
  std::array<view, 64> announced_view_{};
  std::array<std::size_t, 64> announced_locations_{};
  bool stopped_one_ = false;
  std::size_t interrupts_used_ = 0;
  bool in_interrupt_ = false;
  bool spurious_used_ = false;
  bool barriers_refused_ = false;
  int preemptions_ = 0;
  std::size_t steps_ = 0;
  bool finishing_ = false;
  outcome outcome_ = outcome::complete;
  std::exception_ptr thrown_;
  std::string replay_error_;

  struct allocation {
    std::byte* memory;
    std::size_t bytes;
    bool freed;
  };
  static constexpr std::size_t arena_bytes = std::size_t{4} << 20;
  std::byte* arena_ = nullptr;
  std::size_t arena_used_ = 0;
  std::vector<allocation> allocations_;

  // Across executions
  struct decision {
    std::uint16_t chosen;
    std::uint16_t count;
  };
  std::vector<decision> decisions_;
  std::size_t depth_ = 0;
  bool rolls_dice_ = false;
  bool interleaves_ = false;
  std::vector<std::uint8_t> log_;     // all decisions of this execution
  std::vector<std::uint8_t> script_;  // a replay's
  bool replaying_ = false;
  bool tracing_ = false;
  bool recording_ = false;  // events, for a trace or for psc
  std::vector<event> events_;
  hash_set seen_{std::size_t{1} << 26};
  hash_set graphs_{std::size_t{1} << 26};
  std::array<std::array<std::uint32_t, max_locations>, max_threads> footprint_{};
  bool footprint_grew_ = false;
  std::array<std::vector<location_id>, max_threads + 1> numbering_;  // of locations, by creator and order of creation
  std::size_t numbered_ = first_location;
  std::uint64_t dice_state_ = 0;
  unsigned dice_stay_ = 0;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace pilfer::model
