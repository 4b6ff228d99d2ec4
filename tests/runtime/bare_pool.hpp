// A pool of which only some rooms exist: the neighbours of the room under test. Some rooms reach their neighbours through
// the pool itself (worker::home, spawned_job::home()), so it has to be a detail::runtime. That class holds its rooms as
// members and starts real workers, so it is never constructed here: this reserves its memory and constructs the wanted
// rooms in it. The ready set and the queues are stand-ins; the test decides what the threads do. There is no wait room, no
// worker loop and no intake.
#pragma once

#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "runtime/counting_source.hpp"
#include "runtime/stand_in_lane.hpp"
#include "runtime/stand_in_ready_set.hpp"
#include "src/runtime/runtime.hpp"
#include "src/runtime/spawned_job.hpp"
#include "src/runtime/task_scope.hpp"

namespace pilfer::test {

class bare_pool {
 public:
  struct setup {
    std::size_t places = 1;
    std::size_t most_threads = 0;
    bool callers_work = true;
    bool strangers = true;
    unsigned levels = 1;
    std::size_t most_workers = 1000;  // then there is no memory
    detail::crew::life life = [](detail::worker&) {};
  };
  bare_pool() : bare_pool(setup()) {}
  explicit bare_pool(const setup& wanted) {
    make(home_.name, "bare");
    make(home_.thread_name, "test");
    make(home_.callers_work, wanted.callers_work);
    make(home_.has_terms, false);
    make(home_.limit, std::size_t{0}, overflow::block);
    make(home_.sleepers);
    make(home_.workers);
    make(home_.thieves, home_.workers, "seq", wanted.places);
    auto ready = std::make_unique<stand_in_ready_set>(home_.workers, home_.thieves, home_.sleepers, wanted.levels);
    ready_ = ready.get();
    make(home_.ready, std::move(ready));
    make(home_.events, home_.sleepers, true);
    make(home_.runs, *ready_);
    make(home_.places,
         detail::stand_in::neighbours{.workers = home_.workers,
                                      .ready = *ready_,
                                      .completions = home_.events,
                                      .members = home_.crew,
                                      .runs = home_.runs},
         wanted.strangers);
    make(home_.sleep, detail::sleep_room::neighbours{.workers = home_.workers,
                                                     .thieves = home_.thieves,
                                                     .ready = *ready_,
                                                     .members = home_.crew,
                                                     .completions = home_.events,
                                                     .sleepers = home_.sleepers});
    make(home_.visitors, detail::visitors::neighbours{.home = home_,
                                                      .ready = *ready_,
                                                      .completions = home_.events,
                                                      .members = home_.crew,
                                                      .runs = home_.runs,
                                                      .sleep = home_.sleep});
    make(home_.loose);
    make(home_.stop, wanted.places);
    make(
        home_.crew, home_.workers, wanted.places,
        detail::crew::traits{.most_threads = wanted.most_threads, .callers_work = wanted.callers_work},
        [this, most = wanted.most_workers](unsigned index) {
          if (index >= most) throw std::bad_alloc();
          return make_worker(index);
        },
        wanted.life);
    home_.crew.start();
  }
  ~bare_pool() {
    end_threads();
    end(home_.crew);
    end(home_.workers);
    end(home_.stop);
    end(home_.loose);
    end(home_.visitors);
    end(home_.sleep);
    end(home_.places);
    end(home_.runs);
    end(home_.events);
    end(home_.ready);
    end(home_.thieves);
    end(home_.sleepers);
    end(home_.limit);
    end(home_.thread_name);
    end(home_.name);
  }
  bare_pool(const bare_pool&) = delete;
  bare_pool& operator=(const bare_pool&) = delete;

  detail::runtime* operator->() { return &home_; }
  detail::runtime& operator*() { return home_; }
  [[nodiscard]] stand_in_ready_set& ready() { return *ready_; }
  // Another worker, which holds no place and has no thread.
  detail::worker& add_worker() { return home_.workers.add(make_worker(static_cast<unsigned>(home_.workers.known()))); }
  counting_source& attach_source() {
    return static_cast<counting_source&>(home_.events.attach(std::make_unique<counting_source>()));
  }
  // As the destructor does, for a test that looks at what the threads have left.
  void end_threads() {
    if (std::exchange(has_ended_, true)) return;
    home_.crew.stop();
    home_.sleepers.notify_all();
    home_.crew.join();
  }

 private:
  template <class Room, class... Args>
  static void make(const Room& where, Args&&... args) {
    ::new (const_cast<void*>(static_cast<const void*>(&where))) Room(std::forward<Args>(args)...);
  }
  template <class Room>
  static void end(const Room& room) {
    room.~Room();
  }
  std::unique_ptr<detail::worker> make_worker(unsigned index) {
    auto fresh = std::make_unique<detail::worker>(home_, home_.sleepers, ready_->level_of_callers(), index);
    fresh->queue = std::make_unique<stand_in_forks>();
    ready_->equip(*fresh);
    home_.thieves.equip(*fresh);
    return fresh;
  }

  alignas(detail::runtime) std::array<std::byte, sizeof(detail::runtime)> memory_{};
  detail::runtime& home_ = *reinterpret_cast<detail::runtime*>(memory_.data());
  stand_in_ready_set* ready_ = nullptr;
  bool has_ended_ = false;
};

// What a thread of such a pool may do: it finds nothing, and is spare while it is surplus.
inline void live_without_work(detail::worker& self) {
  detail::crew& members = self.home.crew;
  members.begin_life();
  while (!members.has_ended()) {
    if (members.retire(self)) members.sleep_as_spare(self);
    std::this_thread::yield();
  }
}

// A fork that does what the test says.
class lone_fork : public detail::forked_job {
 public:
  explicit lone_fork(std::function<void()> body = {}) : forked_job(type_of_this), body_(std::move(body)) {
    scope = nullptr;
    level = 0;
  }
  [[nodiscard]] bool is_done() const { return detail::latch_of(*this).is_done(); }

  std::atomic<int> runs = 0;

 private:
  void run_body() {
    ++runs;
    if (body_) body_();
  }
  static void run_it(detail::job& self) noexcept { static_cast<lone_fork&>(self).run_body(); }
  static constexpr detail::job_class type_of_this{detail::job_kind::forked, &run_it};

  const std::function<void()> body_;
};

// A coroutine that waits to be resumed in such a pool, and then does what the test says.
class lone_resumption : public detail::resume_job {
 public:
  explicit lone_resumption(bare_pool& home, std::function<void()> body = {}, unsigned level = 0)
      : resume_job({&*home, static_cast<std::uint8_t>(level)}), body_(std::move(body)), frame_(suspended(*this)) {
    what = frame_.handle;
  }
  ~lone_resumption() { frame_.handle.destroy(); }

  std::atomic<int> runs = 0;

 private:
  struct frame {
    struct promise_type {
      frame get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
      static std::suspend_always initial_suspend() noexcept { return {}; }
      static std::suspend_always final_suspend() noexcept { return {}; }
      static void return_void() noexcept {}
      static void unhandled_exception() noexcept { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
  };
  static frame suspended(lone_resumption& me) {
    ++me.runs;
    if (me.body_) me.body_();
    co_return;
  }
  const std::function<void()> body_;
  const frame frame_;
};

// A task of such a pool, counted there or in its group, where it waits to be claimed. Its memory is the test's. `by`: null, or the worker that
// spawns it.
class pool_task : public detail::spawned_job {
 public:
  explicit pool_task(bare_pool& home, std::function<void()> body = {}, detail::task_scope* group = nullptr,
                     std::uint32_t uses = detail::task::uses_without_future, detail::worker* by = nullptr)
      : spawned_job(type_of_this, {.home = *home, .group = group, .level = 0}, uses), body_(std::move(body)) {
    if (group == nullptr) {
      home->loose.add();
      return;
    }
    group->admit(*this, by);
  }

  std::atomic<int> runs = 0;
  bool is_destroyed = false;

 private:
  static void run_body(detail::job& self) noexcept {
    auto& me = static_cast<pool_task&>(self);
    ++me.runs;
    if (me.body_) me.body_();
  }
  static void note_end(detail::task& self) noexcept { reinterpret_cast<pool_task&>(self).is_destroyed = true; }
  static constexpr detail::job_class type_of_this{detail::job_kind::spawned, &run_body, &note_end};
  const std::function<void()> body_;
};

class bare_group {
 public:
  explicit bare_group(bare_pool& home) : scope_(*detail::task_scope::make(*home, {}, false)) {}
  ~bare_group() { scope_.release(); }
  bare_group(const bare_group&) = delete;
  bare_group& operator=(const bare_group&) = delete;

  detail::task_scope* operator->() { return &scope_; }
  detail::task_scope& operator*() { return scope_; }

 private:
  detail::task_scope& scope_;
};

}  // namespace pilfer::test
