// A queue for one thread, which does what a test tells it: for rooms that know queues only as lanes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "runtime/lone_task.hpp"
#include "src/runtime/lane.hpp"
#include "src/runtime/worker.hpp"

namespace pilfer::test {

template <class Interface>
class stand_in : public Interface {
 public:
  std::deque<detail::job*> jobs;  // the newest last
  std::size_t most = 1000;
  bool is_stealable = true;      // false: thieves find it empty
  std::size_t losses = 0;        // thefts that are lost before one succeeds
  std::size_t hidden_until = 0;  // asks and insistences before it exposes anything
  bool hides = false;
  std::uint64_t bottom = 0;          // what its owner marks
  std::uint64_t robbed_from = 0;     // the mark of the last thief that had one
  std::function<void()> on_theft{};  // after a job was stolen; may be empty
  int asks = 0;
  int insistences = 0;
  std::atomic<int> requests = 0;
  std::atomic<int> bound = 0;  // how many threads are its owner
  std::atomic<int> rests = 0;

  ext::steal_result<detail::job*> steal(std::uint64_t /*random*/) noexcept override {
    if (jobs.empty() || !is_stealable) return ext::steal_status::empty;
    if (hidden_until != 0) return ext::steal_status::private_work;
    if (losses != 0) {
      --losses;
      return ext::steal_status::lost;
    }
    detail::job* const oldest = jobs.front();
    jobs.pop_front();
    if (on_theft) on_theft();
    return ext::steal_result<detail::job*>::of(oldest);
  }
  ext::steal_result<detail::job*> steal_from(std::uint64_t mark) noexcept override {
    robbed_from = mark;
    return steal(0);
  }
  detail::effort ask() noexcept override {
    ++asks;
    return expose();
  }
  detail::effort insist(std::uint64_t /*mark*/) noexcept override {
    ++insistences;
    return expose();
  }
  void leave_request() noexcept override { ++requests; }
  [[nodiscard]] bool has_items() const noexcept override { return !jobs.empty(); }
  [[nodiscard]] bool sample(std::uint64_t /*random*/) const noexcept override { return !jobs.empty(); }
  [[nodiscard]] std::size_t size_hint() const noexcept override { return jobs.size(); }
  [[nodiscard]] detail::job* take() noexcept override {
    if (jobs.empty()) return nullptr;
    detail::job* const newest = jobs.back();
    jobs.pop_back();
    return newest;
  }
  [[nodiscard]] std::uint64_t mark() const noexcept override { return bottom; }
  void bind() noexcept override { ++bound; }
  void unbind() noexcept override { --bound; }
  void rest() noexcept override { ++rests; }

 private:
  detail::effort expose() noexcept {
    if (hidden_until != 0) --hidden_until;
    return {.exposed = hidden_until == 0 ? jobs.size() : 0};
  }
};

class stand_in_lane final : public stand_in<detail::task_lane> {
 public:
  [[nodiscard]] bool push(detail::job& work) noexcept override {
    if (this->jobs.size() >= this->most) return false;
    this->jobs.push_back(&work);
    return true;
  }
  [[nodiscard]] bool hides_some() const noexcept override { return this->hides; }
  [[nodiscard]] bool is_shared() const noexcept override { return false; }
  [[nodiscard]] bool newest_first() const noexcept override { return true; }
};
class stand_in_forks final : public stand_in<detail::fork_lane> {};

// A worker whose queue of forks is such a lane; its queues of tasks the room under test makes, or the test.
inline std::unique_ptr<detail::worker> make_lone_worker(unsigned index) {
  auto fresh = std::make_unique<detail::worker>(no_pool(), no_sleepers(), detail::task_level(), index);
  fresh->queue = std::make_unique<stand_in_forks>();
  return fresh;
}
inline stand_in_forks& forks_of(detail::worker& self) { return static_cast<stand_in_forks&>(*self.queue); }
inline stand_in_lane& tasks_of(detail::worker& self, unsigned level = 0) {
  return static_cast<stand_in_lane&>(self.tasks[level]);
}

}  // namespace pilfer::test
