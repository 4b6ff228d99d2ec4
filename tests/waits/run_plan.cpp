#include "waits/run_plan.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include <pilfer/coro.hpp>
#include <pilfer/pilfer.hpp>

#include "support/refusals.hpp"

namespace pilfer::test {

namespace {

using namespace std::chrono_literals;

constexpr auto never = 1h;

[[nodiscard]] std::uint64_t value_of_node(const node& one) { return 2 * one.id + 1; }

[[nodiscard]] std::uint64_t expected_sum(const node& one) {
  std::uint64_t sum = value_of_node(one);
  for (const node& child : one.below) sum += expected_sum(child);
  return sum;
}

using sum_type = std::uint64_t;
using sum_task = task<sum_type>;

class nest {
 public:
  nest(const plan& all, std::size_t nodes) : plan_(all), marks_(nodes) {}

  // One round.
  void run_all(std::size_t round) {
    std::vector<std::thread> callers;
    std::vector<sum_type> sums(plan_.roots.size());
    for (std::size_t i = 1; i < plan_.roots.size(); ++i) {
      const thread_limit::exemption exempt;
      callers.emplace_back([&, i] { sums[i] = plain(plan_.roots[i], nullptr); });
    }
    sums[0] = plain(plan_.roots[0], nullptr);
    for (std::thread& one : callers) one.join();
    if (plan_.seed % 2 == 0) {
      for (const auto& one : pools_) {
        one->drain();
        progress();
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] != expected_sum(plan_.roots[i])) fail("root " + std::to_string(i) + " has a wrong sum");
    }
    for (std::size_t id = 0; id < marks_.size(); ++id) {
      if (marks_[id].runs != round + 1) {
        fail("node " + std::to_string(id) + " ran " + std::to_string(marks_[id].runs) + " times in " +
             std::to_string(round + 1) + " rounds");
      }
    }
  }
  void make_pools() {
    for (const pool_options& options : plan_.pools) pools_.push_back(std::make_unique<pool>(options));
  }
  void end_pools() {
    while (!pools_.empty()) {
      pools_.pop_back();
      progress();
    }
  }

  void fail(const std::string& what) {
    std::fprintf(stderr, "wrong: %s\n", what.c_str());
    failed_ = true;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  void progress() { steps_.fetch_add(1, std::memory_order_relaxed); }

  // What each node does, as a tree.
  void print() const {
    for (const node& root : plan_.roots) print(root, 1);
  }

 private:
  enum class stage : std::uint8_t { not_begun, begun, waits, awaits, over };
  struct mark {
    std::atomic<stage> at = stage::not_begun;
    std::atomic<int> thread = 0;
    std::atomic<std::uint32_t> runs = 0;
  };
  // The way up, for nodes that wait for something earlier.
  struct frame {
    const frame* above;
    const future<sum_type>* futures = nullptr;
    task_group* first_stage = nullptr;
  };

  // --- What every node does.

  class running {
   public:
    running(nest& all, const node& one) : all_(all), mark_(all.marks_[one.id]) { set(stage::begun); }
    ~running() {
      mark_.runs.fetch_add(1);
      set(stage::over);
      all_.progress();
    }
    running(const running&) = delete;
    running& operator=(const running&) = delete;

    void set(stage at) {
      mark_.thread = ::gettid();
      mark_.at = at;
    }
    // Calls f, which waits with the thread.
    template <class F>
    decltype(auto) wait(F&& f) {
      set(stage::waits);
      struct at_end {
        running& me;
        ~at_end() {
          me.set(stage::begun);
          me.all_.progress();
        }
      } const end{*this};
      return std::forward<F>(f)();
    }

   private:
    nest& all_;
    mark& mark_;
  };

  void print(const node& one, int depth) const {
    static constexpr const char* names[] = {"not begun", "begun", "WAITS", "awaits", "over"};
    const mark& mine = marks_[one.id];
    const stage at = mine.at;
    std::fprintf(stderr, "%*s%s: %s", 2 * depth, "", describe(one).c_str(), names[static_cast<std::size_t>(at)]);
    if (at != stage::not_begun && at != stage::over) std::fprintf(stderr, ", thread %d", mine.thread.load());
    std::fprintf(stderr, "\n");
    for (const node& child : one.below) print(child, depth + 1);
  }

  [[nodiscard]] pool& pool_of(const node& one) {
    return one.home < 0 ? default_pool() : *pools_[static_cast<std::size_t>(one.home)];
  }
  [[nodiscard]] priority level_of(const node& one) const {
    switch (one.number % 3) {
      case 0: return priority::high;
      case 1: return priority::normal;
      default: return priority::low;
    }
  }
  [[nodiscard]] bool has_level(const node& one) const { return one.number % 5 == 0; }

  template <class F>
  auto submit_to(const node& one, F f) {
    if (one.home < 0) return has_level(one) ? pilfer::at(level_of(one)).submit(std::move(f)) : submit(std::move(f));
    return has_level(one) ? pool_of(one).at(level_of(one)).submit(std::move(f)) : pool_of(one).submit(std::move(f));
  }
  static void make_group(std::optional<task_group>& group, const node& one, nest& all) {
    if (one.home < 0) {
      group.emplace();
    } else {
      group.emplace(all.pool_of(one));
    }
  }
  // A group, or a future. `way` is not `last`.
  template <class Awaited>
  static void wait_for(running& me, const node& one, Awaited& what, wait_way way) {
    const std::chrono::microseconds limit(20 + one.number);
    me.wait([&] {
      std::optional<blocking_region> region;
      if (way == wait_way::region || way == wait_way::region_loop) region.emplace();
      if (way == wait_way::look && what.wait_for(0s)) return;
      if (way == wait_way::loop || way == wait_way::region_loop) {
        while (!what.wait_for(limit)) {
        }
      } else {
        what.wait();
      }
    });
  }

  // --- Plain code.

  sum_type plain(const node& one, const frame* above) {
    running me(*this, one);
    const frame here{above};
    sum_type sum = value_of_node(one);
    switch (one.kind) {
      case node_kind::fork: sum += fork_all(one, here, 0, one.below.size()); break;
      case node_kind::loop: sum += loop(one, here); break;
      case node_kind::group: sum += group(one, here, me); break;
      case node_kind::submit: sum += submit_all(one, here, me); break;
      case node_kind::stages: sum += two_stages(one, here, me); break;
      case node_kind::run:
        if (one.resize != 0) pool_of(one).resize(one.resize);
        sum += me.wait([&] { return pool_of(one).run([&] { return in_order(one, here); }); });
        break;
      case node_kind::own_pool: sum += own_pool(one, here, me); break;
      case node_kind::level: sum += with_priority(level_of(one), [&] { return in_order(one, here); }); break;
      case node_kind::foreign: sum += foreign(one, here, me); break;
      case node_kind::callers: sum += callers(one, here, me); break;
      case node_kind::earlier: wait_for_earlier(one, above, me); break;
      case node_kind::sync: {
        const node& child = one.below.front();
        sum += me.wait([&] {
          return one.home < 0 ? sync_wait(coroutine(child, &here)) : sync_wait(pool_of(one), coroutine(child, &here));
        });
        break;
      }
      case node_kind::stuck:
        me.wait([] {
          const blocking_region region;
          std::promise<void> kept_by_none;
          kept_by_none.get_future().wait();
        });
        break;
      case node_kind::twice:
        static_cast<void>(in_order(one, here));
        sum += in_order(one, here);
        break;
      default: work(one); break;
    }
    return sum;
  }

  static void work(const node& one) {
    if (one.number % 4 == 0) {
      std::this_thread::yield();
    } else if (one.number % 16 == 1) {
      std::this_thread::sleep_for(std::chrono::microseconds(one.number));
    } else {
      for (unsigned i = 0; i < 10 * one.number; ++i) {
        std::atomic_signal_fence(std::memory_order_seq_cst);  // so that the loop remains
      }
    }
  }
  sum_type in_order(const node& one, const frame& here) {
    sum_type sum = 0;
    for (const node& child : one.below) sum += plain(child, &here);
    return sum;
  }
  sum_type fork_all(const node& one, const frame& here, std::size_t first, std::size_t last) {
    if (last - first == 1) return plain(one.below[first], &here);
    const std::size_t middle = first + (last - first) / 2;
    sum_type left = 0;
    sum_type right = 0;
    fork_join([&] { left = fork_all(one, here, first, middle); }, [&] { right = fork_all(one, here, middle, last); });
    return left + right;
  }
  sum_type loop(const node& one, const frame& here) {
    std::atomic<sum_type> sum = 0;
    parallel_for(std::size_t{0}, one.below.size(), [&](std::size_t i) { sum += plain(one.below[i], &here); },
                 {.grain = 1});
    return sum;
  }

  task<void> spawned(const node& child, const frame* above, std::atomic<sum_type>& sum) {
    sum += co_await coroutine(child, above);
  }
  void spawn_into(task_group& to, const node& one, const node& child, const frame& here, std::atomic<sum_type>& sum) {
    const bool leveled = has_level(one);
    if (is_coroutine(child.kind)) {
      if (leveled) {
        to.at(level_of(one)).spawn(spawned(child, &here, sum));
      } else {
        to.spawn(spawned(child, &here, sum));
      }
      return;
    }
    const auto run_child = [this, &child, &here, &sum] { sum += plain(child, &here); };
    if (leveled) {
      to.at(level_of(one)).spawn(run_child);
    } else {
      to.spawn(run_child);
    }
  }
  sum_type group(const node& one, const frame& here, running& me) {
    std::atomic<sum_type> sum = 0;
    std::optional<task_group> all;
    make_group(all, one, *this);
    for (const node& child : one.below) spawn_into(*all, one, child, here, sum);
    if (one.way != wait_way::last) wait_for(me, one, *all, one.way);
    me.wait([&] { all.reset(); });
    return sum;
  }

  sum_type submit_all(const node& one, frame here, running& me) {
    const std::size_t count = one.below.size();
    const auto futures = std::make_unique<future<sum_type>[]>(count);
    here.futures = futures.get();
    for (std::size_t i = 0; i < count; ++i) {
      futures[i] = submit_to(one, [this, &child = one.below[i], &here] { return plain(child, &here); });
    }
    // The last one first: others below may wait for the first ones.
    sum_type sum = 0;
    for (std::size_t i = count; i-- > 0;) {
      if (one.way == wait_way::last) {
        std::future<sum_type> standard = std::move(futures[i]);
        sum += me.wait([&] { return get(standard); });
      } else {
        wait_for(me, one, futures[i], one.way);
        sum += futures[i].get();
      }
    }
    return sum;
  }

  sum_type two_stages(const node& one, frame here, running& me) {
    std::atomic<sum_type> sum = 0;
    std::optional<task_group> first;
    make_group(first, one, *this);
    here.first_stage = &*first;
    {
      std::optional<task_group> second;
      make_group(second, one, *this);
      const std::size_t half = one.below.size() / 2;
      for (std::size_t i = 0; i < one.below.size(); ++i) {
        spawn_into(i < half ? *first : *second, one, one.below[i], here, sum);
      }
      if (one.way != wait_way::last) wait_for(me, one, *second, one.way);
      me.wait([&] { second.reset(); });
    }
    me.wait([&] { first.reset(); });
    return sum;
  }
  static void wait_for_earlier(const node& one, const frame* above, running& me) {
    for (unsigned i = 1; i < one.up; ++i) above = above->above;
    const wait_way way = one.way == wait_way::last ? wait_way::plain : one.way;
    if (above->first_stage != nullptr) {
      wait_for(me, one, *above->first_stage, way);
    } else if (above->futures != nullptr) {
      wait_for(me, one, above->futures[one.index], way);
    }
  }

  sum_type own_pool(const node& one, const frame& here, running& me) {
    std::atomic<sum_type> sum = 0;
    std::optional<pool> mine;
    mine.emplace(pool_options{.workers = 1 + one.number % 3, .callers_work = one.number % 7 != 0});
    for (std::size_t i = 0; i < one.below.size(); ++i) {
      const auto run_child = [this, &child = one.below[i], &here, &sum] { sum += plain(child, &here); };
      if (i % 2 == 0) {
        mine->detach(run_child);
      } else {
        static_cast<void>(mine->submit(run_child));
      }
    }
    if (one.way == wait_way::region) {
      me.wait([&] {
        const blocking_region region;
        mine->drain();
      });
    } else if (one.way == wait_way::plain) {
      me.wait([&] { mine->drain(); });
    } else if (one.way == wait_way::look) {
      me.wait([&] { mine->run([] {}); });
    }
    me.wait([&] { mine.reset(); });
    return sum;
  }

  // Results that come through the standard library, so that the pool cannot know what is awaited.
  sum_type foreign(const node& one, const frame& here, running& me) {
    std::vector<std::promise<sum_type>> promises(one.below.size());
    sum_type sum = 0;
    {
      task_group keeping(pool_of(one));
      for (std::size_t i = 0; i < promises.size(); ++i) {
        keeping.spawn(
            [this, &child = one.below[i], &here, &kept = promises[i]] { kept.set_value(plain(child, &here)); });
      }
      for (std::promise<sum_type>& one_promise : promises) {
        std::future<sum_type> result = one_promise.get_future();
        sum += me.wait([&] { return get(result); });
      }
    }
    return sum;
  }
  sum_type callers(const node& one, const frame& here, running& me) {
    std::vector<sum_type> sums(one.below.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const thread_limit::exemption exempt;
      threads.emplace_back([&, i] { sums[i] = plain(one.below[i], &here); });
    }
    me.wait([&] {
      const blocking_region region;
      for (std::thread& caller : threads) caller.join();
    });
    sum_type sum = 0;
    for (const sum_type part : sums) sum += part;
    return sum;
  }

  // --- Coroutines. Parameters are references to what outlives them: the plan, and frames of nodes above.

  sum_task coroutine(const node& one, const frame* above) {
    running me(*this, one);
    const frame here{above};
    sum_type sum = value_of_node(one);
    if (one.kind == node_kind::co_plain) {
      sum += in_order(one, here);
      co_return sum;
    }
    me.set(stage::awaits);
    sum_type more = 0;
    switch (one.kind) {
      case node_kind::co_each: more = co_await each(one, here); break;
      case node_kind::co_all: more = co_await all(one, here); break;
      case node_kind::co_any: more = co_await any(one, here); break;
      case node_kind::co_deadline: more = co_await deadline(one, here); break;
      case node_kind::co_fork: more = co_await forks(one, here); break;
      case node_kind::co_sleep:
        co_await sleep_for(std::chrono::microseconds(one.number));
        more = co_await each(one, here);
        break;
      case node_kind::co_schedule:
        if (one.home < 0) {
          co_await yield();
        } else {
          co_await pool_of(one).schedule();
        }
        more = co_await each(one, here);
        break;
      case node_kind::co_channel: more = co_await through_channel(one, here); break;
      case node_kind::co_mutex: more = co_await under_mutex(one, here); break;
      case node_kind::co_semaphore: more = co_await under_semaphore(one, here); break;
      default: co_await pause(one); break;
    }
    co_return sum + more;
  }

  task<void> pause(const node& one) {
    if (one.number % 3 == 0) co_await yield();
    if (one.number % 3 == 1) co_await sleep_for(std::chrono::microseconds(one.number % 200));
    progress();
  }
  sum_task each(const node& one, const frame& here) {
    sum_type sum = 0;
    for (const node& child : one.below) sum += co_await coroutine(child, &here);
    co_return sum;
  }
  sum_task all(const node& one, const frame& here) {
    std::vector<sum_task> tasks;
    for (const node& child : one.below) tasks.push_back(coroutine(child, &here));
    co_return co_await sum_of(std::move(tasks));
  }
  static sum_task sum_of(std::vector<sum_task> tasks) {
    const std::vector<sum_type> sums = co_await when_all(std::move(tasks));
    sum_type sum = 0;
    for (const sum_type part : sums) sum += part;
    co_return sum;
  }
  static sum_task sleep_for_ever() {
    co_await sleep_for(never);
    co_return 0;
  }
  // The value is a member, or a function.
  template <class First>
  static sum_type value_of_first(First& first) {
    if constexpr (requires { first.value(); }) {
      return first.value();
    } else {
      return first.value;
    }
  }
  sum_task any(const node& one, const frame& here) {
    std::vector<sum_task> tasks;
    tasks.push_back(sleep_for_ever());
    tasks.push_back(coroutine(one.below.front(), &here));
    auto first = co_await when_any(std::move(tasks));
    co_return value_of_first(first);
  }
  sum_task deadline(const node& one, const frame& here) {
    const auto when = std::chrono::steady_clock::now() + never;
    const std::optional<sum_type> sum = co_await with_deadline(when, coroutine(one.below.front(), &here));
    co_return sum.value_or(0);
  }
  sum_task forks(const node& one, const frame& here) {
    std::vector<forked<sum_type>> children;
    children.reserve(one.below.size());
    for (const node& child : one.below) {
      if (child.number % 2 == 0) {
        children.push_back(co_await fork(coroutine(child, &here)));
      } else {
        children.push_back(co_await fork_now(coroutine(child, &here)));
      }
    }
    sum_type sum = 0;
    for (auto& child : children) sum += co_await std::move(child).join();
    co_return sum;
  }

  sum_task send_one(const node& child, const frame& here, channel<sum_type>& to, std::atomic<std::size_t>& senders) {
    const sum_type sum = co_await coroutine(child, &here);
    if (!co_await to.send(sum)) fail("a channel was closed early");
    progress();
    if (--senders == 0) to.close();
    co_return 0;
  }
  sum_task receive_all(channel<sum_type>& from) {
    sum_type sum = 0;
    for (;;) {
      const std::optional<sum_type> got = co_await from.receive();
      if (!got) break;
      progress();
      sum += *got;
    }
    co_return sum;
  }
  sum_task through_channel(const node& one, const frame& here) {
    channel<sum_type> between(one.number % 3);
    std::atomic<std::size_t> senders = one.below.size();
    std::vector<sum_task> tasks;
    for (unsigned i = 0; i <= one.number % 2; ++i) tasks.push_back(receive_all(between));
    for (const node& child : one.below) tasks.push_back(send_one(child, here, between, senders));
    co_return co_await sum_of(std::move(tasks));
  }

  // Under a lock a coroutine waits for nothing that could need a thread with something buried under it: a time, or its turn.
  sum_task add_under(async_mutex& mutex, const node& child, const frame& here, sum_type& sum) {
    const sum_type part = co_await coroutine(child, &here);
    {
      auto guard = co_await mutex.lock();
      const sum_type before = sum;
      co_await pause(child);
      sum = before + part;
    }
    progress();
    co_return 0;
  }
  sum_task under_mutex(const node& one, const frame& here) {
    async_mutex mutex;
    sum_type sum = 0;
    std::vector<sum_task> tasks;
    for (const node& child : one.below) tasks.push_back(add_under(mutex, child, here, sum));
    static_cast<void>(co_await sum_of(std::move(tasks)));
    co_return sum;
  }
  sum_task add_with_permit(async_semaphore& permits, std::atomic<unsigned>& inside, const node& one, const node& child,
                           const frame& here) {
    const sum_type part = co_await coroutine(child, &here);
    {
      auto permit = co_await permits.hold();
      if (++inside > 1 + one.number % 2) fail("too many permits");
      co_await pause(child);
      --inside;
    }
    progress();
    co_return part;
  }
  sum_task under_semaphore(const node& one, const frame& here) {
    async_semaphore permits(1 + one.number % 2);
    std::atomic<unsigned> inside = 0;
    std::vector<sum_task> tasks;
    for (const node& child : one.below) tasks.push_back(add_with_permit(permits, inside, one, child, here));
    co_return co_await sum_of(std::move(tasks));
  }

  const plan& plan_;
  std::vector<mark> marks_;
  std::vector<std::unique_ptr<pool>> pools_;
  std::atomic<std::uint64_t> steps_ = 0;
  std::atomic<bool> failed_ = false;
};

void use_processors(unsigned wanted) {
  if (wanted == 0) return;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (unsigned i = 0; i < CPU_SETSIZE && wanted > 0; ++i) {
    if (!CPU_ISSET(i, &allowed)) continue;
    CPU_SET(i, &chosen);
    --wanted;
  }
  static_cast<void>(::sched_setaffinity(0, sizeof chosen, &chosen));
}

// Aborts when nothing moves. Time is counted in turns of its own, so that a process that was stopped, or a machine that is busy, is no hang.
class progress_watch {
 public:
  progress_watch(const plan& all, const nest& watched, unsigned patience_s)
      : thread_([this, &all, &watched, patience_s] { watch(all, watched, patience_s); }) {}
  ~progress_watch() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  progress_watch(const progress_watch&) = delete;
  progress_watch& operator=(const progress_watch&) = delete;

 private:
  void watch(const plan& all, const nest& watched, unsigned patience_s) {
    constexpr auto turn = 100ms;
    const auto most_turns = static_cast<unsigned>(std::chrono::seconds(patience_s) / turn);
    std::uint64_t before = 0;
    unsigned turns = 0;
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, turn, [this] { return done_; })) {
      const std::uint64_t now = watched.steps();
      turns = now == before ? turns + 1 : 0;
      before = now;
      if (turns < most_turns) continue;
      std::fprintf(stderr, "hang: for %u s no task ended and no wait returned, after %llu steps\n%s", patience_s,
                   static_cast<unsigned long long>(now), describe(all).c_str());
      watched.print();
      std::fputs(pilfer::describe_pools().c_str(), stderr);
      std::fflush(nullptr);
      std::abort();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;  // last: the thread uses the others
};

task<void> short_sleep() { co_await sleep_for(1us); }

}  // namespace

bool run_plan(const plan& all, unsigned patience_s) {
  use_processors(all.processors);
  if (all.threads > 0) {
    // The thread of the timers is one for the process. Without it a sleep throws, and hangs nothing.
    pool timers(1);
    sync_wait(timers, short_sleep());
  }
  plan numbered = all;
  nest running(numbered, number_nodes(numbered));
  const progress_watch watch(numbered, running, patience_s);
  if (all.threads > 0) threads_allowed.allow(static_cast<long>(all.threads));
  try {
    running.make_pools();
    for (std::size_t round = 0; round < all.rounds; ++round) running.run_all(round);
    running.end_pools();
  } catch (const std::exception& error) {
    running.fail(error.what());
  }
  threads_allowed.allow_all();
  return !running.failed();
}

}  // namespace pilfer::test
