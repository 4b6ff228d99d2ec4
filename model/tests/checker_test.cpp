// What the checker finds, and what it does not cry wolf about. The litmus tests are in litmus_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "litmus/run.hpp"
#include "litmus/table.hpp"
#include "model/check.hpp"
#include "model/model_sync.hpp"

namespace pilfer::model {
namespace {

using sync = model_sync;
constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto seq_cst = std::memory_order_seq_cst;

template <std::memory_order Fence>
struct store_buffering {
  static constexpr std::size_t threads = 2;
  sync::atomic<int> x{0, "x"};
  sync::atomic<int> y{0, "y"};
  int seen[2]{};
  void thread(std::size_t i) {
    (i == 0 ? x : y).store(1, relaxed);
    sync::fence(Fence);
    seen[i] = (i == 0 ? y : x).load(relaxed);
  }
  void finish() { require(seen[0] + seen[1] > 0, "one of them sees the other"); }
};

TEST(checker, finds_a_wrong_assertion_and_tells_the_story) {
  const result r = check<store_buffering<relaxed>>({});
  ASSERT_EQ(r.failed.what, fault::assertion);
  EXPECT_EQ(r.failed.text, "one of them sees the other");
  EXPECT_NE(r.failed.trace.find("load"), std::string::npos) << r.failed.trace;
  EXPECT_NE(r.failed.trace.find("stale: 1 newer"), std::string::npos) << r.failed.trace;
  EXPECT_NE(r.failed.trace.find("checker_test.cpp:"), std::string::npos) << r.failed.trace;
  EXPECT_NE(r.failed.trace.find("modification orders"), std::string::npos) << r.failed.trace;
}

TEST(checker, passes_what_is_right) {
  const result r = check<store_buffering<seq_cst>>({});
  EXPECT_TRUE(r.passed()) << r.failed.text;
  EXPECT_TRUE(r.exhausted);
  EXPECT_EQ(r.graphs, 3U);
}

TEST(checker, replays_what_it_found_in_every_mode) {
  for (const exploration mode : {exploration::exhaustive, exploration::interleaving, exploration::random}) {
    options how;
    how.mode = mode;
    how.max_executions = 10000;
    const result found = check<store_buffering<relaxed>>(how);
    ASSERT_FALSE(found.passed());
    options again;
    again.replay = found.failed.replay;
    const result replayed = check<store_buffering<relaxed>>(again);
    EXPECT_EQ(replayed.failed.what, fault::assertion);
    EXPECT_EQ(replayed.failed.trace, found.failed.trace);
    EXPECT_EQ(replayed.failed.replay, found.failed.replay);
  }
}

TEST(checker, refuses_a_replay_that_does_not_fit) {
  for (const char* text : {"x", "e", "e:0,", "e:,0", "e:0x", "e:9", "i:7", "e:0", "e:0x100", "e:300", "e:0 0", "q:0"}) {
    options how;
    how.replay = text;
    EXPECT_THROW(static_cast<void>(check<store_buffering<relaxed>>(how)), bad_replay) << text;
  }
  // The checker is none the worse for it.
  EXPECT_TRUE(check<store_buffering<seq_cst>>({}).passed());
}

template <std::memory_order Store, std::memory_order Load>
struct message_passing {
  static constexpr std::size_t threads = 2;
  sync::cell<int> data;
  sync::atomic<int> ready{0, "ready"};
  void thread(std::size_t i) {
    if (i == 0) {
      data.set(7);
      ready.store(1, Store);
    } else if (ready.load(Load) == 1) {
      require(data.get() == 7, "the message");
    }
  }
  void finish() {}
};

TEST(checker, finds_a_data_race) {
  EXPECT_TRUE((check<message_passing<release, acquire>>({}).passed()));
  EXPECT_EQ((check<message_passing<relaxed, acquire>>({}).failed.what), fault::race);
  EXPECT_EQ((check<message_passing<release, relaxed>>({}).failed.what), fault::race);
}

struct reads_nothing {
  static constexpr std::size_t threads = 1;
  sync::cell<int> data;
  void thread(std::size_t) { static_cast<void>(data.get()); }
  void finish() {}
};
TEST(checker, finds_a_read_of_what_nobody_wrote) {
  EXPECT_EQ(check<reads_nothing>({}).failed.what, fault::uninitialized);
}

// Publishes an object by its address.
template <std::memory_order Order>
struct publication {
  static constexpr std::size_t threads = 2;
  struct node {
    sync::atomic<int> value{0, "value"};
  };
  sync::atomic<node*> shared{nullptr, "shared"};
  void thread(std::size_t i) {
    if (i == 0) {
      auto* fresh = new (sync::allocate(sizeof(node), alignof(node))) node;
      fresh->value.store(1, relaxed);
      shared.store(fresh, Order);
    } else if (node* seen = shared.load(acquire)) {
      require(seen->value.load(relaxed) == 1, "the value");
    }
  }
  void finish() {
    node* last = shared.load(relaxed);
    last->~node();
    sync::deallocate(last, alignof(node));
  }
};
TEST(checker, finds_an_object_used_before_its_construction_is_visible) {
  EXPECT_TRUE(check<publication<release>>({}).passed());
  EXPECT_EQ(check<publication<relaxed>>({}).failed.what, fault::race);
}

enum class misuse : std::uint8_t { none, leak, use_after_free, double_free, free_while_used };
template <misuse What>
struct memory {
  static constexpr std::size_t threads = 2;
  using word = sync::atomic<int>;
  word* shared = nullptr;
  sync::atomic<int> done{0, "done"};
  memory() { shared = new (sync::allocate(sizeof(word), alignof(word))) word(0, "shared"); }
  void release_it() {
    shared->~word();
    sync::deallocate(shared, alignof(word));
  }
  void thread(std::size_t i) {
    if (i == 0) {
      static_cast<void>(shared->load(relaxed));
      done.store(1, What == misuse::free_while_used ? relaxed : release);
      if (What == misuse::use_after_free) static_cast<void>(shared->load(relaxed));
    } else if (What != misuse::leak && done.load(acquire) == 1) {
      release_it();
      if (What == misuse::double_free) sync::deallocate(shared, alignof(word));
      shared = nullptr;
    }
  }
  void finish() {
    if (shared != nullptr && What != misuse::leak) release_it();
  }
};
TEST(checker, finds_leaks_and_uses_of_freed_memory) {
  EXPECT_TRUE(check<memory<misuse::none>>({}).passed());
  EXPECT_EQ(check<memory<misuse::leak>>({}).failed.what, fault::leak);
  EXPECT_EQ(check<memory<misuse::double_free>>({}).failed.what, fault::use_after_free);
  const fault after = check<memory<misuse::use_after_free>>({}).failed.what;
  EXPECT_TRUE(after == fault::use_after_free || after == fault::race) << to_string(after);
  EXPECT_EQ(check<memory<misuse::free_while_used>>({}).failed.what, fault::race);
}

template <bool SameOrder>
struct two_locks {
  static constexpr std::size_t threads = 2;
  sync::mutex a;
  sync::mutex b;
  sync::cell<int> count;
  two_locks() { count.set(0); }
  void thread(std::size_t i) {
    sync::mutex& first = SameOrder || i == 0 ? a : b;
    sync::mutex& second = SameOrder || i == 0 ? b : a;
    first.lock();
    second.lock();
    count.set(count.get() + 1);
    second.unlock();
    first.unlock();
  }
  void finish() { require(!must_count || count.get() == 2, "both have counted"); }
  bool must_count = true;
};
TEST(checker, finds_a_deadlock) {
  EXPECT_TRUE(check<two_locks<true>>({}).passed());
  EXPECT_EQ(check<two_locks<false>>({}).failed.what, fault::deadlock);
}

struct one_may_stop : two_locks<true> {
  one_may_stop() { must_count = false; }
};
TEST(checker, finds_a_stopped_thread_that_blocks_others) {
  options how;
  how.killed = 1;
  const result r = check<one_may_stop>(how);
  EXPECT_EQ(r.failed.what, fault::deadlock);
  EXPECT_NE(r.failed.text.find("stopped for ever"), std::string::npos) << r.failed.text;
}

// One thread sleeps until the other has set a flag.
template <std::memory_order Fence, bool Wakes>
struct wake_up {
  static constexpr std::size_t threads = 2;
  sync::atomic<std::uint32_t> flag{0, "flag"};
  sync::atomic<std::uint32_t> sleeping{0, "sleeping"};
  void thread(std::size_t i) {
    if (i == 0) {
      flag.store(1, relaxed);
      sync::fence(Fence);
      if (sleeping.load(relaxed) != 0 && Wakes) static_cast<void>(sync::futex_wake(flag, 1));
    } else {
      sleeping.store(1, relaxed);
      sync::fence(Fence);
      if (flag.load(relaxed) == 0) static_cast<void>(sync::futex_wait(flag, 0));
    }
  }
  void finish() {}
};
TEST(checker, finds_a_lost_wake_up_and_no_false_one) {
  EXPECT_TRUE((check<wake_up<seq_cst, true>>({}).passed()));
  EXPECT_EQ((check<wake_up<std::memory_order_acq_rel, true>>({}).failed.what), fault::deadlock);
  EXPECT_EQ((check<wake_up<seq_cst, false>>({}).failed.what), fault::deadlock);
}

struct timed_sleep {
  static constexpr std::size_t threads = 1;
  sync::atomic<std::uint32_t> flag{0, "flag"};
  void thread(std::size_t) {
    require(!sync::futex_wait(flag, 0, std::chrono::nanoseconds(5)), "nobody wakes it: the time runs out");
  }
  void finish() {}
};
TEST(checker, lets_time_run_out) { EXPECT_TRUE(check<timed_sleep>({}).passed()); }

// Waits in a loop for a store that comes, or does not.
template <int Last>
struct spinning {
  static constexpr std::size_t threads = 2;
  sync::atomic<int> flag{0, "flag"};
  void thread(std::size_t i) {
    if (i == 0) {
      for (int n = 1; n <= Last; ++n) flag.store(n, release);
    } else {
      while (flag.load(acquire) != 2) sync::pause();
    }
  }
  void finish() {}
};
TEST(checker, waits_in_a_loop_only_for_something_new) {
  const result r = check<spinning<2>>({});
  EXPECT_TRUE(r.passed()) << r.failed.text << r.failed.trace;
  EXPECT_TRUE(r.exhausted);
  EXPECT_EQ(check<spinning<1>>({}).failed.what, fault::livelock);
  options bounded;
  bounded.mode = exploration::interleaving;
  EXPECT_TRUE(check<spinning<2>>(bounded).passed());
  EXPECT_EQ(check<spinning<1>>(bounded).failed.what, fault::livelock);
}
// Having missed the value it waits for, it waits for ever: that, too, is found.
TEST(checker, finds_a_loop_that_missed_its_value) { EXPECT_EQ(check<spinning<3>>({}).failed.what, fault::livelock); }

struct endless {
  static constexpr std::size_t threads = 1;
  sync::atomic<int> x{0, "x"};
  void thread(std::size_t) {
    while (x.load(relaxed) == 0) {
    }
  }
  void finish() {}
};
TEST(checker, gives_up_on_an_endless_loop) { EXPECT_EQ(check<endless>({}).failed.what, fault::livelock); }

// Dekker with one fence for both.
template <bool Heavy>
struct asymmetric_dekker {
  static constexpr std::size_t threads = 2;
  sync::atomic<int> x{0, "x"};
  sync::atomic<int> y{0, "y"};
  int seen[2]{};
  bool ordered = true;
  void thread(std::size_t i) {
    if (i == 0) {
      x.store(1, relaxed);
      sync::light_fence();
      seen[0] = y.load(relaxed);
    } else {
      y.store(1, relaxed);
      if (Heavy) ordered = sync::heavy_fence();
      seen[1] = x.load(relaxed);
    }
  }
  void finish() { require(!ordered || seen[0] + seen[1] > 0, "one of them sees the other"); }
};
TEST(checker, knows_the_asymmetric_fence) {
  for (const exploration mode : {exploration::exhaustive, exploration::interleaving}) {
    options how;
    how.mode = mode;
    EXPECT_TRUE(check<asymmetric_dekker<true>>(how).passed());
    EXPECT_EQ(check<asymmetric_dekker<false>>(how).failed.what, fault::assertion);
    how.membarrier = barriers::refused_later;
    EXPECT_TRUE(check<asymmetric_dekker<true>>(how).passed());
  }
}

// A handler that adds two in steps, which the thread it interrupts must not see.
struct interrupted {
  static constexpr std::size_t threads = 1;
  sync::atomic<int> x{0, "x"};
  int before = 0;
  void thread(std::size_t) {
    x.store(10, relaxed);
    before = x.load(relaxed);
    const int after = x.load(relaxed);
    require(after == before || after == before + 2, "a handler runs as a whole");
  }
  void interrupt() {
    x.store(x.load(relaxed) + 1, relaxed);
    x.store(x.load(relaxed) + 1, relaxed);
  }
  void finish() { require(before == 10 || before == 12, "before or after"); }
};
TEST(checker, interrupts_between_any_two_operations) {
  options how;
  how.interrupts = 1;
  const result r = check<interrupted>(how);
  EXPECT_TRUE(r.passed()) << r.failed.text;
  EXPECT_EQ(r.executions, 4U);  // before each of three operations, or not at all
}

struct gated {
  static constexpr std::size_t threads = 2;
  sync::atomic<int> x{0, "x"};
  void thread(std::size_t i) {
    if (i == 0) {
      x.store(1, relaxed);
      announce(3);
    } else {
      await(3);
      require(x.load(relaxed) == 1, "what came before the gate is visible");
    }
  }
  void finish() {}
};
TEST(checker, gates_order_what_they_should) {
  const result r = check<gated>({});
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.executions, 1U);
}

// What is made behind a gate is none of its business; the executions differ in what is made, so that a view of one
// would be out of place in the next.
struct made_behind_a_gate {
  static constexpr std::size_t threads = 2;
  using atomic = sync::atomic<int>;
  static constexpr std::size_t count = 8;
  sync::atomic<int> x{0, "x"};
  sync::atomic<atomic*> late{nullptr, "late"};
  atomic* mine = nullptr;
  void thread(std::size_t i) {
    if (i == 0) {
      x.store(1, relaxed);
      announce(0);
      mine = static_cast<atomic*>(sync::allocate(count * sizeof(atomic), alignof(atomic)));
      for (std::size_t n = 0; n < count; ++n) {
        new (mine + n) atomic(0, "made");
        for (int v = 1; v <= 3; ++v) mine[n].store(v, relaxed);
      }
      late.store(mine, std::memory_order_release);
      x.store(2, relaxed);
    } else {
      const int before = x.load(relaxed);
      await(0);
      require(x.load(relaxed) >= std::max(before, 1), "what came before the gate is visible");
      if (atomic* const found = late.load(std::memory_order_acquire)) {
        for (std::size_t n = 0; n < count; ++n) require(found[n].load(relaxed) == 3, "released after the last store");
      }
    }
  }
  void finish() {
    for (std::size_t n = 0; n < count; ++n) mine[n].~atomic();
    sync::deallocate(mine, alignof(atomic));
  }
};
TEST(checker, gates_leave_alone_what_is_made_later) {
  const result r = check<made_behind_a_gate>({});
  EXPECT_TRUE(r.passed()) << r.failed.text << r.failed.trace;
  EXPECT_GT(r.executions, 3U);
}

TEST(checker, says_which_bound_it_hit) {
  options how;
  how.max_executions = 2;
  const result r = check<store_buffering<seq_cst>>(how);
  EXPECT_FALSE(r.exhausted);
  EXPECT_EQ(r.bound_hit, "2 executions");
  how.max_executions = 0;
  how.stop = [] { return true; };
  how.mode = exploration::random;
  EXPECT_EQ(check<store_buffering<seq_cst>>(how).bound_hit, "stopped");
}

TEST(checker, random_executions_follow_from_the_seed) {
  options how;
  how.mode = exploration::random;
  how.max_executions = 1000;
  how.seed = 42;
  const result one = check<store_buffering<relaxed>>(how);
  const result two = check<store_buffering<relaxed>>(how);
  EXPECT_EQ(one.executions, two.executions);
  EXPECT_EQ(one.failed.replay, two.failed.replay);
}

// A preemption bound leaves out operations that commute: with room enough it finds the same graphs.
TEST(checker, a_generous_preemption_bound_loses_nothing) {
  for (const litmus::litmus_test& test : litmus::litmus_table()) {
    const litmus::program what = litmus::parse(test.program);
    options all;
    options bounded;
    bounded.mode = exploration::interleaving;
    bounded.preemption_bound = 50;
    const litmus::run_result a = litmus::check_outcomes(what, all);
    const litmus::run_result b = litmus::check_outcomes(what, bounded);
    EXPECT_EQ(a.search.graphs, b.search.graphs) << test.name;
    EXPECT_EQ(a.outcomes, b.outcomes) << test.name;
  }
}

TEST(checker, a_preemption_bound_bounds) {
  options none;
  none.mode = exploration::interleaving;
  none.preemption_bound = 0;
  options some = none;
  some.preemption_bound = 2;
  EXPECT_LE(check<two_locks<true>>(none).executions, check<two_locks<true>>(some).executions);
}

TEST(checker, weakens_one_site_and_no_other) {
  clear_executed_sites();
  EXPECT_TRUE((check<message_passing<release, acquire>>({}).passed()));
  const std::vector<site> sites = executed_sites();
  ASSERT_EQ(sites.size(), 2U);
  for (const site& at : sites) {
    weaken(at, relaxed);
    EXPECT_EQ((check<message_passing<release, acquire>>({}).failed.what), fault::race) << at.line;
    clear_weakened();
    EXPECT_TRUE((check<message_passing<release, acquire>>({}).passed()));
  }
}

struct many {
  sync::atomic<int> x{0, "x"};
  void thread(std::size_t) { x.fetch_add(1, relaxed); }
  void finish() {}
};
TEST(checker, refuses_too_many_threads) {
  const auto make = [](void* at) { new (at) many; };
  EXPECT_THROW(static_cast<void>(check_made<many>({}, max_threads + 1, make)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(check_made<many>({}, 0, make)), std::invalid_argument);
  EXPECT_EQ(check_made<many>({}, 3, make).graphs, 6U);
}

}  // namespace
}  // namespace pilfer::model
