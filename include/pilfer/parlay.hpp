// ParlayLib's scheduler functions on pilfer, so that programs written for ParlayLib run on pilfer's schedulers as they are.
//
//   g++ -include pilfer/parlay.hpp ...                   before ParlayLib; docs/parlaylib.md has the other ways
//
// Without ParlayLib it is a small library of its own: parlay::par_do, parallel_for, blocked_for and their like.
//
// Ids         worker_id() is below num_workers(), and no two threads that are in the middle of ParlayLib's tasks have the same one, be
//             they at work or asleep at a join. A thread keeps its id from the start of its first task to the end of that task.
// Bound       pilfer has more threads than places: while one sleeps at a join, another has its place. So num_workers() is no count of
//             threads but an upper bound that is kept: twice the pool's size, or 1 for a pool of 1. A thief that finds all ids
//             taken does not run what it has stolen: it says so, and who has forked it runs it.
// Waiting     `conservative` asks for a wait that runs nothing else, so that locks may be held across it. Every wait of pilfer runs
//             descendants only: the safe way is the only one.
// Exceptions  ParlayLib has none. Here they reach the caller as in fork_join.
//
// State       writer              reader   meaning
//   taken_    who takes an id     all      1: some thread has it
// Invariants
//   I1  Who changes a flag from 0 to 1 has the id until it stores 0.
// Edges
//   hand_on   give_back: store    -> take: exchange   what was done under an id is seen by the next who has it
// Sources     Blelloch, Anderson and Dhulipala 2020, ParlayLib: the functions and what they promise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <pilfer/algorithm/check.hpp>
#include <pilfer/algorithm/for.hpp>
#include <pilfer/ext/sync.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>

// ParlayLib's own declarations, without a scheduler: its sequential one is chosen, and then left out.
#if defined(PARLAY_PARALLEL_H_) && !defined(PARLAY_PILFER)
#error "pilfer/parlay.hpp comes before ParlayLib, which has chosen another scheduler already"
#endif
#if !defined(PARLAY_PARALLEL_H_) && __has_include(<parlay/parallel.h>)
#define PILFER_PARLAYLIB <parlay/parallel.h>
#if !defined(PARLAY_PILFER)
#define PARLAY_PILFER
#endif
#if !defined(PARLAY_SEQUENTIAL)
#define PARLAY_SEQUENTIAL
#endif
#define PARLAY_INTERNAL_SCHEDULER_PLUGINS_SEQUENTIAL_H_
#include PILFER_PARLAYLIB
#endif

namespace pilfer::detail {

struct parlay_orders {
  static constexpr ext::edge hand_on{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

class parlay_ids {
  using Orders = parlay_orders;

 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  explicit parlay_ids(std::size_t count) : count_(count), taken_(std::make_unique<flag[]>(count)) {}
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  // For who comes from outside: 0, as in ParlayLib, if it is free.
  [[nodiscard]] std::size_t take_first() noexcept { return take_from(0, 0); }
  // For a thief: never 0, rather the one it had before.
  [[nodiscard]] std::size_t take(std::size_t before) noexcept { return take_from(1, before); }
  void give_back(std::size_t id) noexcept { taken_[id].is.store(0, Orders::hand_on.rel); }

 private:
  struct alignas(64) flag {
    ext::default_sync::atomic<std::uint8_t> is{0};
  };

  [[nodiscard]] std::size_t take_from(std::size_t lowest, std::size_t wanted) noexcept {
    const std::size_t choice = count_ - std::min(lowest, count_);
    for (std::size_t i = 0; i != choice; ++i) {
      const std::size_t id = lowest + (std::max(wanted, lowest) - lowest + i) % choice;
      auto& is = taken_[id].is;
      if (is.load(Orders::relaxed) == 0 && is.exchange(1, Orders::hand_on.acq) == 0) return id;  // hint; keeps I1
    }
    return none;
  }

  std::size_t count_;
  std::unique_ptr<flag[]> taken_;
};

// A new pool of PARLAY_NUM_THREADS workers, if that variable is set, else the default pool.
[[nodiscard]] pool& parlay_pool();

class parlay_scheduler;

// Of a thread: the scheduler whose id it has. Without one, the id is the one it had last.
struct parlay_standing {
  parlay_scheduler* home = nullptr;
  std::size_t id = 0;
};
inline constinit thread_local parlay_standing parlay_here{};

// A pool and its ids.
class parlay_scheduler {
 public:
  explicit parlay_scheduler(pool& home) : pool_(home), ids_(home.size() == 1 ? 1 : 2 * home.size()) {}

  // The one of the calling task, or the program's.
  [[nodiscard]] static parlay_scheduler& current() {
    return parlay_here.home != nullptr ? *parlay_here.home : standard();
  }
  [[nodiscard]] parlay_ids& ids() noexcept { return ids_; }

  // Calls f inside a pool, with an id.
  template <class F>
  void inside(F&& f) {
    if (parlay_here.home == this) {
      f();
    } else if (worker_index()) {
      with_first_id(f);
    } else {
      inside_own_pool(f);
    }
  }
  template <class F>
  void inside_own_pool(F&& f) {
    pool_.run([&] { with_first_id(f); });
  }

 private:
  template <class F>
  void with_first_id(F& f);

  // Never destroyed, as the default pool.
  [[nodiscard]] static parlay_scheduler& standard() {
    static parlay_scheduler* const only = new parlay_scheduler(parlay_pool());
    return *only;
  }

  pool& pool_;
  parlay_ids ids_;
};

// An id for as long as a task lasts.
class [[nodiscard]] parlay_seat : immovable {
 public:
  enum class guest : bool { thief, first };

  // A thief that gets none is false; the first task of a thread outside of ParlayLib's waits.
  parlay_seat(parlay_scheduler& home, guest who) noexcept : before_(parlay_here), has_(before_.home == &home) {
    if (has_) return;
    std::size_t id = parlay_ids::none;
    for (unsigned attempt = 0; id == parlay_ids::none; ++attempt) {
      if (attempt != 0) std::this_thread::yield();
      id = who == guest::first ? home.ids().take_first() : home.ids().take(before_.id);
      if (who == guest::thief && attempt == patience) break;
    }
    if (id == parlay_ids::none) return;
    parlay_here = {&home, id};
    has_ = took_ = true;
  }
  ~parlay_seat() {
    if (!took_) return;
    parlay_here.home->ids().give_back(parlay_here.id);
    parlay_here = before_.home != nullptr ? before_ : parlay_standing{nullptr, parlay_here.id};
  }
  explicit operator bool() const noexcept { return has_; }

 private:
  static constexpr unsigned patience = 16;  // turns that a thief waits: somebody may be about to finish

  const parlay_standing before_;
  bool has_;
  bool took_ = false;
};

template <class F>
void parlay_scheduler::with_first_id(F& f) {
  const parlay_seat mine(*this, parlay_seat::guest::first);
  f();
}

// One loop: blocks that nobody had an id for are left to the caller, who has one.
template <class F>
class parlay_loop {
 public:
  parlay_loop(parlay_scheduler& home, F& f, const loop_options& options) : home_(home), f_(f), options_(options) {}

  void run(std::size_t start, std::size_t end) {
    run_blocks({start, end});
    while (!declined_.empty()) {
      const auto block = declined_.back();
      declined_.pop_back();
      run_blocks(block);
    }
  }

 private:
  using indices = std::pair<std::size_t, std::size_t>;

  void run_blocks(const indices& all) {
    const auto run_block = [&](const blocked_range<>& block) {
      const parlay_seat mine(home_, parlay_seat::guest::thief);
      if (!mine) {
        decline({block.begin(), block.end()});
        return;
      }
      for (std::size_t i = block.begin(); i != block.end(); ++i) f_(i);
    };
    pilfer::parallel_for(blocked_range<>(all.first, all.second), run_block, options_);
  }
  void decline(const indices& block) {
    const std::lock_guard lock(mutex_);
    declined_.push_back(block);
  }

  parlay_scheduler& home_;
  F& f_;
  const loop_options options_;
  std::mutex mutex_;
  std::vector<indices> declined_;  // by threads that are done with it when the loop is
};

}  // namespace pilfer::detail

namespace parlay {

#if !defined(PARLAY_PARALLEL_H_)
// What ParlayLib declares.
inline std::size_t num_workers();
inline std::size_t worker_id();
template <typename F>
inline void parallel_for(std::size_t start, std::size_t end, F&& f, long granularity = 0, bool conservative = false);
template <typename Left, typename Right>
inline void par_do(Left&& left, Right&& right, bool conservative = false);
#endif

// An upper bound of the ids.
inline std::size_t num_workers() { return pilfer::detail::parlay_scheduler::current().ids().size(); }

// 0 outside of ParlayLib's tasks.
inline std::size_t worker_id() {
  const pilfer::detail::parlay_standing& here = pilfer::detail::parlay_here;
  return here.home != nullptr ? here.id : 0;
}

// f(i) for each i from start to before end. granularity: as many that are never split; 0: the loop measures them.
template <typename F>
inline void parallel_for(std::size_t start, std::size_t end, F&& f, long granularity, bool /*conservative*/) {
  static_assert(pilfer::detail::algorithm_callable<F&, std::size_t>::is_plain);
  static_assert(std::is_invocable_v<F&, std::size_t>);
  if (start >= end) return;
  const auto grain = granularity > 0 ? static_cast<std::size_t>(granularity) : std::size_t{0};
  if (end - start <= std::max<std::size_t>(grain, 1)) {
    for (std::size_t i = start; i != end; ++i) f(i);
    return;
  }
  pilfer::loop_options options;
  if (grain != 0) options.grain = grain;
  auto& home = pilfer::detail::parlay_scheduler::current();
  home.inside([&] { pilfer::detail::parlay_loop<std::remove_reference_t<F>>(home, f, options).run(start, end); });
}

// Both, perhaps in parallel: left on this thread.
template <typename Left, typename Right>
inline void par_do(Left&& left, Right&& right, bool /*conservative*/) {
  static_assert(pilfer::detail::algorithm_callable<Left&&>::is_plain);
  static_assert(pilfer::detail::algorithm_callable<Right&&>::is_plain);
  static_assert(std::is_invocable_v<Left&&>);
  static_assert(std::is_invocable_v<Right&&>);
  using pilfer::detail::parlay_seat;
  auto& home = pilfer::detail::parlay_scheduler::current();
  home.inside([&] {
    bool declined = false;
    pilfer::fork_join([&] { static_cast<void>(std::forward<Left>(left)()); },
                      [&] {
                        const parlay_seat mine(home, parlay_seat::guest::thief);
                        declined = !mine;
                        if (mine) static_cast<void>(std::forward<Right>(right)());
                      });
    if (declined) static_cast<void>(std::forward<Right>(right)());
  });
}

// f() in a pool of its own of p workers, which ends with it.
template <typename F>
void execute_with_scheduler(unsigned int p, F&& f) {
  static_assert(pilfer::detail::algorithm_callable<F>::is_plain);
  pilfer::pool workers(p);
  pilfer::detail::parlay_scheduler home(workers);
  home.inside_own_pool([&] { static_cast<void>(std::invoke(std::forward<F>(f))); });
}
// In the pool of the calling task, or the program's.
template <typename F>
void execute_with_scheduler(F&& f) {
  static_assert(pilfer::detail::algorithm_callable<F>::is_plain);
  pilfer::detail::parlay_scheduler::current().inside([&] { static_cast<void>(std::invoke(std::forward<F>(f))); });
}

#if !defined(PARLAY_PARALLEL_H_)
// And what ParlayLib makes of those.
template <typename Left, typename Right>
inline void parallel_do(Left&& left, Right&& right, bool conservative = false) {
  par_do(std::forward<Left>(left), std::forward<Right>(right), conservative);
}
// f(number of the block, its start, its end)
template <typename F>
inline void blocked_for(std::size_t start, std::size_t end, std::size_t block_size, F&& f, bool conservative = false) {
  static_assert(pilfer::detail::algorithm_callable<F&, std::size_t, std::size_t, std::size_t>::is_plain);
  static_assert(std::is_invocable_v<F&, std::size_t, std::size_t, std::size_t>);
  if (start >= end) return;
  const auto run_block = [&](std::size_t block) {
    const std::size_t from = start + block * block_size;
    f(block, from, from + std::min(block_size, end - from));
  };
  parallel_for(0, (end - start - 1) / block_size + 1, run_block, 0, conservative);
}
template <typename Left, typename Right>
inline void par_do_if(bool do_parallel, Left&& left, Right&& right, bool conservative = false) {
  if (do_parallel) {
    par_do(std::forward<Left>(left), std::forward<Right>(right), conservative);
  } else {
    std::forward<Left>(left)();
    std::forward<Right>(right)();
  }
}
template <typename Left, typename Mid, typename Right>
inline void par_do3(Left&& left, Mid&& mid, Right&& right) {
  par_do([&] { par_do(std::forward<Left>(left), std::forward<Mid>(mid)); }, std::forward<Right>(right));
}
template <typename Left, typename Mid, typename Right>
inline void par_do3_if(bool do_parallel, Left&& left, Mid&& mid, Right&& right) {
  if (do_parallel) {
    par_do3(std::forward<Left>(left), std::forward<Mid>(mid), std::forward<Right>(right));
  } else {
    std::forward<Left>(left)();
    std::forward<Mid>(mid)();
    std::forward<Right>(right)();
  }
}
#endif

}  // namespace parlay
