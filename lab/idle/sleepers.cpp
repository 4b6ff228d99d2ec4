// All that sleep, and the plainest of them: a thread with a queue and a condition variable, which spends nothing on being fast.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "lab/idle/sleeper.hpp"

namespace pilfer::lab::idle {
namespace {

class thread_sleeper final : public sleeper {
 public:
  thread_sleeper() : thread_([this] { work(); }) {}
  ~thread_sleeper() override { push({}); }

  wake_up wake(way how, std::chrono::microseconds after) override {
    std::this_thread::sleep_for(after);
    meeting met;
    met.begin();
    if (how == way::submit) {
      push([&met] { met.arrive_alone(); });
      return awaited(met, thread_name);
    }
    std::atomic<bool> left{false};  // the other half, which may be the one that waits, makes no use of `met` any more
    push([&met, &left] {
      met.arrive();
      left.store(true, std::memory_order_release);
    });
    met.arrive();
    while (!left.load(std::memory_order_acquire)) std::this_thread::yield();
    return awaited(met, thread_name);
  }

  std::int64_t run_tasks(std::int64_t count) override {
    std::atomic<std::int64_t> ran{0};
    for (std::int64_t i = 0; i < count; ++i) push([&ran] { ran.fetch_add(1, std::memory_order_release); });
    while (ran.load(std::memory_order_acquire) != count) std::this_thread::yield();
    return count;
  }

 private:
  // Empty: the end.
  void push(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    some_.notify_one();
  }
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        some_.wait(lock, [this] { return !tasks_.empty(); });
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      if (!task) return;
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<std::function<void()>> tasks_;
  std::jthread thread_;
};

}  // namespace

const char* name_of(way how) noexcept {
  switch (how) {
    case way::submit: return "submit";
    case way::fork: return "fork";
    case way::spawn: return "spawn";
  }
  return "?";
}

wake_up awaited(const meeting& met, std::string_view who) {
  if (!met.wait()) {
    throw std::runtime_error(
        fmt::format("{}: a task has not begun within {} s", who, std::chrono::seconds(meeting::deadline).count()));
  }
  return met.result();
}

sleeper_entry thread_sleeper_entry() {
  return {.name = thread_name,
          .description = "one thread, a queue, a mutex and a condition variable",
          .make = [](std::size_t) { return std::make_unique<thread_sleeper>(); }};
}

const std::vector<sleeper_entry>& sleepers() {
  static const std::vector<sleeper_entry> all = [] {
    std::vector<sleeper_entry> list{thread_sleeper_entry()};
    std::ranges::move(pilfer_sleeper_entries(), std::back_inserter(list));
    list.push_back(tbb_sleeper_entry());
    list.push_back(openmp_sleeper_entry());
    return list;
  }();
  return all;
}

}  // namespace pilfer::lab::idle
