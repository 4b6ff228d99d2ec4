// What the tests of priorities share: pools with levels on every scheduler, gates, streams that never end, and a record of who began when.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/pool.hpp>
#include <pilfer/priority.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {

// Blocks, as a library that knows nothing of pools would: a worker that waits here keeps its place.
class gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);  // held while it wakes: who waits may destroy the gate
    open_ = true;
    wake_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool open_ = false;
};

// Opens when it has been counted down so often.
class countdown {
 public:
  explicit countdown(std::size_t from) : left_(from) {
    if (from == 0) done_.open();
  }
  void down() {
    if (left_.fetch_sub(1) == 1) done_.open();
  }
  void wait() { done_.wait(); }

 private:
  std::atomic<std::size_t> left_;
  gate done_;
};

// Runs f as a task and waits for its end as a thread that knows nothing of pools: a wait by pilfer's means may help, and then a pool of
// one has two threads at work for a while.
template <class F>
void run_detached(pool& home, priority level, F f) {
  countdown end(1);
  home.at(level).detach([&] {
    f();
    end.down();
  });
  end.wait();
}

// Who began, in order: a level and a number for each.
struct start {
  unsigned level;
  std::size_t number;
  friend bool operator==(const start&, const start&) = default;
};
inline std::ostream& operator<<(std::ostream& out, const start& s) {
  return out << "task " << s.number << " of level " << s.level;
}
class journal {
 public:
  void note(unsigned level, std::size_t number) {
    const std::lock_guard lock(mutex_);
    entries_.push_back({level, number});
  }
  [[nodiscard]] std::vector<start> entries() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<start> entries_;
};

inline void expect_by_level(const std::vector<start>& order) {
  for (std::size_t i = 1; i < order.size(); ++i)
    ASSERT_LE(order[i - 1].level, order[i].level) << "at " << i << ": " << order[i - 1] << " before " << order[i];
}

// The number of the calling task's level. It must be given as a number.
inline unsigned level_here(unsigned levels) {
  const priority here = current_priority();
  const unsigned number = here.level_in(levels);
  EXPECT_EQ(here, priority(number)) << "not by number";
  return number;
}

// Tasks of one level that never end: each makes its successor before it goes. Without a rule about it, less urgent tasks wait.
class stream {
 public:
  stream(pool& home, unsigned level, std::size_t strands = 1) : home_(home), level_(level), running_(strands) {
    for (std::size_t i = 0; i < strands; ++i) next();
  }
  ~stream() { end(); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  void stop() { stop_ = true; }
  void end() {
    stop();
    running_.wait();
  }
  [[nodiscard]] std::size_t begun() const { return begun_; }
  // A queue of these few tasks was full, again and again: each one ran inside the one that made it. The stream has ended itself then.
  [[nodiscard]] bool was_nested() const { return nested_; }
  // Returns when so many more have begun. Not for workers.
  void await(std::size_t more) {
    const std::size_t from = begun_;
    while (begun_ < from + more && !stop_) std::this_thread::yield();
  }

 private:
  void next() {
    home_.at(priority(level_)).detach([this] {
      static thread_local std::size_t depth = 0;
      ++begun_;
      if (depth == 100) {
        nested_ = true;
        stop();
      }
      if (stop_) return running_.down();
      ++depth;
      next();  // this object may be gone when it returns
      --depth;
    });
  }
  pool& home_;
  const unsigned level_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> nested_ = false;
  std::atomic<std::size_t> begun_ = 0;
  countdown running_;
};

// Keeps all workers of a pool busy, so that a scene can be set before any of them looks for work.
class holders {
 public:
  holders(pool& home, std::size_t workers) : here_(workers), gone_(workers), gates_(workers) {
    for (std::size_t i = 0; i < workers; ++i) {
      home.at(priority::high).detach([this, i] {
        here_.down();
        gates_[i].wait();
        if (last_words_) last_words_(i);
        gone_.down();
      });
    }
    here_.wait();
  }
  ~holders() {
    for (gate& each : gates_) each.open();
    gone_.wait();
  }
  holders(const holders&) = delete;
  holders& operator=(const holders&) = delete;
  // Before the first one is let go: what each does then.
  void before_leaving(std::function<void(std::size_t)> f) { last_words_ = std::move(f); }
  void let_go(std::size_t which) { gates_[which].open(); }

 private:
  countdown here_;
  countdown gone_;
  std::vector<gate> gates_;
  std::function<void(std::size_t)> last_words_;
};

inline std::uint64_t sum_of(const level_figures& figures) {
  return std::accumulate(figures.begin(), figures.end(), std::uint64_t{0});
}

// For figures that a worker counts a moment after its task has told of its end.
template <class Condition>
void give_it_time(Condition condition) {
  for (std::size_t attempt = 0; attempt < 10'000 && !condition(); ++attempt) std::this_thread::yield();
}
inline void expect_tasks(pool& home, std::uint64_t made) {
  give_it_time([&] { return home.statistics().total().tasks == made; });
  EXPECT_EQ(home.statistics().total().tasks, made);
}

// What holds at any quiescent point of a strict pool.
inline void expect_consistent(pool& home, bool strict = true) {
  // Idle workers go on counting: what they look at in vain, and entries of tasks that ran elsewhere.
  pool_statistics all = home.statistics();
  worker_statistics total = all.total();
  give_it_time([&] {
    all = home.statistics();
    total = all.total();
    return home.levels() == 1 ||
           (sum_of(total.tasks_of_level) == total.tasks && sum_of(total.steals_of_level) == total.steals_taken);
  });
  EXPECT_EQ(all.levels, home.levels());
  if (all.levels > 1) {
    EXPECT_EQ(sum_of(total.tasks_of_level), total.tasks);
    EXPECT_EQ(sum_of(total.steals_of_level), total.steals_taken);
  }
  for (unsigned level = all.levels; level < most_levels; ++level) {
    EXPECT_EQ(total.tasks_of_level[level], 0U) << "there is no level " << level;
    EXPECT_EQ(total.steals_of_level[level], 0U) << "there is no level " << level;
    EXPECT_EQ(total.drained_ns[level], 0U) << "there is no level " << level;
  }
  if (strict) {
    EXPECT_EQ(total.inversions, 0U);
  }
}

class on_levels : public on_scheduler {
 protected:
  [[nodiscard]] static pool_options with_levels(unsigned levels, std::size_t workers) {
    pool_options chosen = options(workers);
    chosen.levels = levels;
    chosen.count_inversions = true;
    return chosen;
  }
  // The owner of a queue takes its oldest task first.
  [[nodiscard]] static bool oldest_first() { return GetParam() == "ws-global" || GetParam() == "bwos-fifo"; }
  // A task may be one that nobody but its maker can take while that one is busy (docs/guarantees.md).
  [[nodiscard]] static bool hides_tasks() {
    const std::string_view name = GetParam();
    return name.starts_with("bwos") || name.starts_with("lcws") || name == "lace";
  }
};

}  // namespace pilfer::test
