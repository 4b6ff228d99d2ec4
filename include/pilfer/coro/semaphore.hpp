// A semaphore for coroutines: so many at a time.
//
//   pilfer::async_semaphore open_files(64);
//   co_await open_files.acquire();          // suspended while there is none; its worker does something else
//   open_files.release();
//   auto permit = co_await open_files.hold();   // the same, given back by the permit's end
//
// Order     first come, first served, whatever they want: one who wants much is not overtaken by those who want little.
// Wake-up, stopping, lifetime and cost are those of async_mutex.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include <pilfer/coro/waiter.hpp>

namespace pilfer {

class async_semaphore;

// Units that are given back at its end; moves.
class [[nodiscard]] semaphore_permit {
 public:
  semaphore_permit() noexcept = default;  // of nothing
  ~semaphore_permit() { give_back(); }
  semaphore_permit(semaphore_permit&& other) noexcept
      : from_(std::exchange(other.from_, nullptr)), units_(std::exchange(other.units_, 0)) {}
  semaphore_permit& operator=(semaphore_permit other) noexcept {
    std::swap(from_, other.from_);
    std::swap(units_, other.units_);
    return *this;
  }

  [[nodiscard]] std::size_t units() const noexcept { return units_; }
  inline void give_back() noexcept;  // before its end

 private:
  friend class async_semaphore;
  semaphore_permit(async_semaphore& from, std::size_t units) noexcept : from_(&from), units_(units) {}

  async_semaphore* from_ = nullptr;
  std::size_t units_ = 0;
};

class async_semaphore : detail::immovable {
  class acquire_awaiter;
  class hold_awaiter;

 public:
  explicit async_semaphore(std::size_t units) noexcept : free_(units) {}

  // co_await gives nothing; release() is the caller's business. Who wants more than there will ever be waits until it is stopped.
  //   Throws  task_cancelled; then it has none.
  [[nodiscard]] acquire_awaiter acquire(std::size_t units = 1) noexcept;
  // co_await gives a semaphore_permit.
  //   Throws  task_cancelled
  [[nodiscard]] hold_awaiter hold(std::size_t units = 1) noexcept;
  // Does not overtake those who wait.
  [[nodiscard]] bool try_acquire(std::size_t units = 1) noexcept {
    detail::wake_ups next;
    const std::lock_guard lock(guard_);
    if (!can_take(units, next)) return false;
    free_ -= units;
    return true;
  }
  // By any thread; also of units that nobody has acquired: then there are more.
  void release(std::size_t units = 1) noexcept {
    detail::wake_ups next;
    const std::lock_guard lock(guard_);
    free_ += units;
    serve(next);
  }
  [[nodiscard]] std::size_t available() const noexcept {
    const std::lock_guard lock(guard_);
    return free_;
  }

 private:
  [[nodiscard]] bool can_take(std::size_t units, detail::wake_ups& next) noexcept {
    if (!line_.is_empty()) serve(next);  // the first may be there for a race that is decided
    return line_.is_empty() && units <= free_;
  }
  inline void serve(detail::wake_ups& next) noexcept;

  mutable std::mutex guard_;
  std::size_t free_;
  detail::wait_line line_;
};

class [[nodiscard]] async_semaphore::acquire_awaiter : public detail::waiter {
 public:
  acquire_awaiter(async_semaphore& from, std::size_t units) noexcept
      : waiter(from.guard_), from_(from), units_(units) {}
  ~acquire_awaiter() override { abandon(); }
  acquire_awaiter(acquire_awaiter&&) noexcept = default;  // before it is awaited

  void await_resume() { end(); }

 protected:
  friend class async_semaphore;
  bool try_enter(detail::wake_ups& others) noexcept final {
    if (!from_.can_take(units_, others) || !claim()) return false;
    from_.free_ -= units_;
    return true;
  }
  void line_up(detail::wake_ups& /*others*/) noexcept final { from_.line_.push(*this); }
  void step_out(detail::wake_ups& others) noexcept final {
    from_.line_.remove(*this);
    from_.serve(others);  // it may have been the first, and have wanted much
  }

  async_semaphore& from_;
  const std::size_t units_;
};

class [[nodiscard]] async_semaphore::hold_awaiter final : public acquire_awaiter {
 public:
  using acquire_awaiter::acquire_awaiter;
  [[nodiscard]] semaphore_permit await_resume() {
    end();
    return {from_, units_};
  }
};

inline async_semaphore::acquire_awaiter async_semaphore::acquire(std::size_t units) noexcept { return {*this, units}; }
inline async_semaphore::hold_awaiter async_semaphore::hold(std::size_t units) noexcept { return {*this, units}; }

inline void async_semaphore::serve(detail::wake_ups& next) noexcept {
  while (!line_.is_empty()) {
    auto& first = static_cast<acquire_awaiter&>(*line_.front());
    if (first.is_over()) {
      line_.drop(first);
    } else if (first.units_ > free_) {
      return;
    } else if (first.claim()) {
      line_.remove(first);
      free_ -= first.units_;
      next.add(first);
    }
  }
}

inline void semaphore_permit::give_back() noexcept {
  if (from_ != nullptr) std::exchange(from_, nullptr)->release(std::exchange(units_, 0));
}

}  // namespace pilfer
