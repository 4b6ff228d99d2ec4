// N threads, each with a queue of its own, and nothing else: the workers of 002 on our queues.
//
// A thread runs what is in its own queue. Then, if it may, it steals from the others; when every queue has said "empty" and no
// more tasks come, it goes home. Only an owner pushes. Tasks that come on the fly therefore lie in an inbox first, from where
// the owner moves them into its queue; a thief that finds a victim's queue empty looks into its inbox, too.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include <pilfer/ext/steal_result.hpp>
#include <pilfer/ext/storage.hpp>

#include "lab/balance/fib_load.hpp"

namespace pilfer::lab::balance {

enum class stealing : unsigned char { off, on };

template <class Queue>
class crew {
 public:
  // `capacity`: of each queue; one that grows begins with it.
  crew(const load_plan& plan, std::size_t capacity, stealing allowed)
      : plan_(plan), allowed_(allowed), tasks_(make_tasks(plan)) {
    members_.reserve(plan.workers);
    for (std::size_t i = 0; i < plan.workers; ++i) members_.push_back(std::make_unique<member>(capacity));
  }

  //   Throws  std::runtime_error that names `who` for a wrong result.
  [[nodiscard]] balance_sample run(std::string_view who) {
    clock::time_point start;
    std::barrier gate(static_cast<std::ptrdiff_t>(plan_.workers) + 1, [&start]() noexcept { start = clock::now(); });
    std::vector<std::jthread> threads;
    threads.reserve(plan_.workers);
    for (std::size_t me = 0; me < plan_.workers; ++me) {
      threads.emplace_back([this, me, &gate] {
        gate.arrive_and_wait();
        work(me);
      });
    }
    if (plan_.how() == generation::batch) {
      fill();
      gate.arrive_and_wait();
    } else {
      gate.arrive_and_wait();
      hand_out(start);
    }
    threads.clear();  // waits for them

    clock::time_point end = start;
    std::uint64_t steals = 0;
    for (const auto& one : members_) {
      end = std::max(end, one->last_end);
      steals += one->steals;
    }
    check_results(tasks_, who);
    return {std::chrono::duration<double>(end - start).count(), mean_waiting_us(tasks_), steals};
  }

 private:
  struct alignas(ext::isolation_bytes) member {
    explicit member(std::size_t capacity) : queue(capacity) {}
    Queue queue;
    std::mutex mutex;
    std::deque<fib_task*> inbox;  // under the mutex
    // The thread's own, until it has ended.
    std::uint64_t steals = 0;
    clock::time_point last_end;
  };

  // In the owners' name, before they begin: the gate hands the queues over. What finds no room waits in the inbox.
  void fill() {
    for (fib_task& one : tasks_) {
      member& to = *members_[one.worker];
      one.created = clock::now();
      if (!to.queue.owner().push(&one)) to.inbox.push_back(&one);
    }
    done_.store(true, std::memory_order_release);
  }

  void hand_out(clock::time_point start) {
    for (fib_task& one : tasks_) {
      std::this_thread::sleep_until(start + one.due);
      one.created = clock::now();
      member& to = *members_[one.worker];
      {
        const std::lock_guard lock(to.mutex);
        to.inbox.push_back(&one);
      }
      announce();
    }
    done_.store(true, std::memory_order_release);
    announce();
  }

  void work(std::size_t me) {
    member& mine = *members_[me];
    mine.last_end = clock::now();
    for (;;) {
      const std::uint32_t seen = news_.load(std::memory_order_acquire);
      const bool last_chance = done_.load(std::memory_order_acquire);  // read before looking: nothing comes after it
      if (fib_task* const next = find(me)) {
        next->run();
        mine.last_end = clock::now();
      } else if (last_chance) {
        return;
      } else {
        news_.wait(seen, std::memory_order_acquire);
      }
    }
  }

  [[nodiscard]] fib_task* find(std::size_t me) {
    member& mine = *members_[me];
    unpack(mine);
    if (const auto own = mine.queue.owner().pop()) return *own;
    if (fib_task* const left = from_inbox(mine)) return left;  // found no room in the queue
    if (allowed_ == stealing::off) return nullptr;
    for (std::size_t step = 1; step < plan_.workers; ++step) {
      fib_task* const stolen = steal_from(*members_[(me + step) % plan_.workers]);
      if (stolen == nullptr) continue;
      ++mine.steals;
      return stolen;
    }
    return nullptr;
  }

  [[nodiscard]] fib_task* steal_from(member& victim) {
    for (;;) {
      const auto stolen = victim.queue.thief().steal();
      if (stolen) return *stolen;
      // A lost race is no empty queue.
      if (stolen.status() != ext::steal_status::lost) return from_inbox(victim);
    }
  }

  [[nodiscard]] fib_task* from_inbox(member& of) {
    const std::lock_guard lock(of.mutex);
    if (of.inbox.empty()) return nullptr;
    fib_task* const first = of.inbox.front();
    of.inbox.pop_front();
    return first;
  }

  // From the inbox into the queue, as far as there is room.
  void unpack(member& mine) {
    std::size_t moved = 0;
    {
      const std::lock_guard lock(mine.mutex);
      for (; !mine.inbox.empty() && mine.queue.owner().push(mine.inbox.front()); ++moved) mine.inbox.pop_front();
    }
    // A thief may have looked into the queue before, and into the inbox after that.
    if (moved > 1 && allowed_ == stealing::on) announce();
  }

  void announce() {
    news_.fetch_add(1, std::memory_order_release);
    news_.notify_all();
  }

  load_plan plan_;
  stealing allowed_;
  std::vector<fib_task> tasks_;
  std::vector<std::unique_ptr<member>> members_;
  std::atomic<std::uint32_t> news_{0};  // counts what idle threads might want to know
  std::atomic<bool> done_{false};       // no more tasks come
};

}  // namespace pilfer::lab::balance
