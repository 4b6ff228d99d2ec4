// A mutex for coroutines: who has to wait is suspended, and its worker does something else.
//
//   pilfer::async_mutex mutex;
//   auto guard = co_await mutex.lock();    // held until the guard's end, across suspensions, on whatever worker
//
// Order     first come, first served: a mutex that is given up is handed to who has waited longest, and was never free meanwhile.
// Wake-up   through the queue of the waiter's pool, never on the stack of who unlocks.
// Stopping  lock() throws task_cancelled if the coroutine's stop_token is stopped before it has the mutex; then it is not in line.
// Lifetime  nobody may hold it or wait for it when it ends. Who was given it last may end it.
// Cost      two turns of an uncontended std::mutex, lock and unlock; no allocation but a stop_callback's, which is none.
#pragma once

#include <mutex>
#include <utility>

#include <pilfer/coro/waiter.hpp>

namespace pilfer {

class async_mutex;

// Holds the mutex; moves, like a std::unique_lock.
class [[nodiscard]] async_lock {
 public:
  async_lock() noexcept = default;  // of nothing
  ~async_lock() { unlock(); }
  async_lock(async_lock&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  async_lock& operator=(async_lock other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }

  [[nodiscard]] bool owns_lock() const noexcept { return held_ != nullptr; }
  inline void unlock() noexcept;  // before its end; nothing if it holds nothing
  // For who calls async_mutex::unlock by itself.
  async_mutex* release() noexcept { return std::exchange(held_, nullptr); }

 private:
  friend class async_mutex;
  explicit async_lock(async_mutex& held) noexcept : held_(&held) {}

  async_mutex* held_ = nullptr;
};

class async_mutex : detail::immovable {
  class lock_awaiter;

 public:
  // co_await gives an async_lock.
  //   Throws  task_cancelled
  [[nodiscard]] lock_awaiter lock() noexcept;
  // True: unlock() is the caller's business.
  [[nodiscard]] bool try_lock() noexcept {
    const std::lock_guard lock(guard_);
    return !std::exchange(locked_, true);
  }
  // By any thread.
  void unlock() noexcept {
    detail::wake_ups next;
    const std::lock_guard lock(guard_);
    if (detail::waiter* const first = line_.pop()) {
      next.add(*first);  // it is locked still
    } else {
      locked_ = false;
    }
  }

 private:
  std::mutex guard_;
  bool locked_ = false;
  detail::wait_line line_;
};

class [[nodiscard]] async_mutex::lock_awaiter final : public detail::waiter {
 public:
  explicit lock_awaiter(async_mutex& wanted) noexcept : waiter(wanted.guard_), wanted_(wanted) {}
  ~lock_awaiter() override { abandon(); }
  lock_awaiter(lock_awaiter&&) noexcept = default;  // before it is awaited
  [[nodiscard]] async_lock await_resume() {
    end();
    return async_lock(wanted_);
  }

 private:
  bool try_enter(detail::wake_ups& /*others*/) noexcept override {
    if (wanted_.locked_ || !claim()) return false;
    wanted_.locked_ = true;
    return true;
  }
  void line_up(detail::wake_ups& /*others*/) noexcept override { wanted_.line_.push(*this); }
  void step_out(detail::wake_ups& /*others*/) noexcept override { wanted_.line_.remove(*this); }

  async_mutex& wanted_;
};

inline async_mutex::lock_awaiter async_mutex::lock() noexcept { return lock_awaiter(*this); }

inline void async_lock::unlock() noexcept {
  if (held_ != nullptr) std::exchange(held_, nullptr)->unlock();
}

}  // namespace pilfer
