// What the random tester of waits does, as data: trees of nodes, each of which waits for the nodes below it in some way.
//
// A plan is acyclic, and no thread of it can be buried under what it waits for, for this reason:
//   1  A node waits with its thread only for nodes that it has made itself since its code was last entered (a coroutine: since it was
//      last resumed). What these need is made by them, or by one another, and by no other node.
//   2  So whatever lies above a waiting node on a thread's stack began later than the node, and what it waits for begins later still:
//      the latest of all nodes that wait waits for something that lies on no stack.
// A wait for a node that was made earlier, by a node above, has no place in this order. Such plans (`earlier_waits`) have no limit of threads and
// no waiting::any_work: then waits run nothing but what they depend on. What is awaited stands before the waiter in the
// order of the tree (preorder, whole subtree), so the waits are acyclic all the same. The same holds for `foreign_waits`, which block in code that the
// library does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pilfer/pool_options.hpp>

namespace pilfer::test {

// Which ingredients a plan may have. One that is known to hang can be switched off here, or in the environment: see
// random_nests_test.cpp.
struct ingredients {
  bool other_pools = true;          // groups, futures and runs in another pool than the caller's
  bool own_pools = true;            // a pool that is made and destroyed inside a node
  bool coroutines = true;           // with sync_wait, channels, locks, timers
  bool blocking_coroutines = true;  // a coroutine that waits with its thread
  bool regions = true;              // a wait of the library inside a blocking_region
  bool foreign_waits = true;        // promises and threads, in a blocking_region
  bool limits = true;               // limited waits, in a loop
  bool earlier_waits = true;        // futures and groups that a node above has made earlier
  bool callers = true;              // several threads outside of the pools at the same time
  bool priorities = true;           // pools with several levels
  bool schedulers = true;           // pools with another scheduler than the default one
  bool few_threads = true;          // 1 to 8 threads to be had
  bool few_processors = true;       // an affinity mask of 1 to 4
  bool any_work = true;             // pools whose waits run strangers
  bool resizing = true;             // pools that change their size
  // Coroutines that go on in another pool, where few threads are to be had. Such a pool may have no thread at all, and no thread may wait
  // for anything in it: then nothing is promised.
  bool few_threads_hops = false;
  bool callers_rest = true;  // pools with callers_work = false
};

struct ingredient_name {
  const char* name;
  bool ingredients::* which;
};
[[nodiscard]] const std::vector<ingredient_name>& ingredient_names();

enum class node_kind : std::uint8_t {
  // Plain code.
  work,      // a leaf
  fork,      // fork_join
  loop,      // parallel_for
  group,     // task_group: spawn, then wait
  submit,    // futures, and get
  stages,    // two groups; nodes of the second may wait for the first
  run,       // pool.run
  own_pool,  // a pool of its own: submit, detach, drain, the destructor
  level,     // with_priority
  foreign,   // promises that tasks keep, in a region
  callers,   // threads of its own, in a region
  earlier,   // waits for what was made earlier
  sync,      // sync_wait of the coroutine below
  // Faults, which no plan has by chance: to see that they are found.
  stuck,  // never ends
  twice,  // runs the nodes below twice
  // Coroutines.
  co_work,       // a leaf
  co_each,       // co_await, one after the other
  co_all,        // when_all
  co_any,        // when_any, with a sleep that never ends by itself
  co_deadline,   // with_deadline, far away
  co_fork,       // fork, fork_now, join
  co_sleep,      // sleep_for
  co_schedule,   // schedule in another pool
  co_channel,    // a sender for each node below, and receivers
  co_mutex,      // results are added under an async_mutex
  co_semaphore,  // or under an async_semaphore
  co_plain,      // plain code, which blocks the thread
};
[[nodiscard]] const char* name_of(node_kind kind);
[[nodiscard]] constexpr bool is_coroutine(node_kind kind) { return kind >= node_kind::co_work; }

enum class wait_way : std::uint8_t {
  plain,        // wait() or get()
  loop,         // limited waits, until one of them is true
  look,         // a limit of 0, then plain
  region,       // plain, in a blocking_region
  region_loop,  // limited waits, in a blocking_region
  last,         // what comes last waits: the group's or the pool's destructor; of futures: pilfer::get
};
[[nodiscard]] const char* name_of(wait_way way);

struct node {
  node_kind kind = node_kind::work;
  wait_way way = wait_way::plain;
  int home = -1;          // a pool of the plan; -1: the caller's, or the default pool
  unsigned number = 0;    // capacity, microseconds, …
  unsigned resize = 0;    // run: the pool's size from now on; 0: as it is
  unsigned up = 0;        // earlier: how many nodes above is the one that has made it (1: the parent)
  std::size_t index = 0;  // and which of its nodes it is
  std::size_t id = 0;     // in preorder, over the whole plan
  std::vector<node> below;
};

struct plan {
  std::uint64_t seed = 0;
  unsigned processors = 1;
  unsigned threads = 0;  // to be had; 0: no limit
  unsigned rounds = 1;
  std::vector<pool_options> pools;
  std::vector<node> roots;  // each has a thread of its own, outside of the pools; the first one the main thread
};

[[nodiscard]] plan make_plan(std::uint64_t seed, const ingredients& use);
// Gives the nodes their ids; returns how many there are.
std::size_t number_nodes(plan& all);
// One line of a tree's print, without its end; and the head of a plan.
[[nodiscard]] std::string describe(const node& one);
[[nodiscard]] std::string describe(const plan& all);

}  // namespace pilfer::test
