// A race: several alternatives of which at most one takes effect, and a coroutine that waits for it. What when_any is made of.
//
// An alternative is an operation, that is a waiter, or a child coroutine. Operations are claimed before they take effect
// (detail/protocol/race_claim.hpp): a receive that has not won leaves its value where it is. Children are stopped when the race is decided, and
// awaited.
//
// Events   R the parent's thread has lined up all operations and started all children   D the race is decided, and children were asked to
//          stop   E each child has ended
// Claim    The parent goes on exactly once, after R, D and all E; by then no thread knows of any alternative but through the lines,
//          and end() takes them out of these.
// Reason   R, D and E are counted down; the last one goes on with the parent. D happens once, because one claim succeeds.
//
// Order    Operations are tried in the order of the arguments, before any child is started. If none is ready they get in line in that
//          order, each under its own guard; no thread holds two guards. Once the race is decided nothing more is started.
// Requests to stop are made in the pool, not by the thread that served an operation: stop callbacks may take their time.
#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>

#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/coro/waiter.hpp>
#include <pilfer/detail/protocol/coro_join.hpp>
#include <pilfer/detail/resume.hpp>

namespace pilfer::detail {

class [[nodiscard]] race : public race_word {
 public:
  static constexpr std::size_t stopped = ~std::size_t{0};

  struct alternative {
    explicit alternative(waiter& what) noexcept : operation(&what) {}
    template <class T>
    explicit alternative(const coro_owner<T>& from) noexcept : child(&from.promise()), frame(from.handle()) {}

    waiter* operation = nullptr;
    coro_promise_base* child = nullptr;  // if it is no operation
    std::coroutine_handle<> frame;
    resume_job begin;
  };

  explicit race(std::span<alternative> all) noexcept : all_(all) {}
  ~race() { end(); }  // the coroutine may be destroyed where it is suspended

  [[nodiscard]] static constexpr bool await_ready() noexcept { return false; }
  //   Throws  std::bad_alloc, std::system_error, and what making the default pool throws; then nothing has begun.
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    return begin(parent, stop_of(parent));
  }
  // The index of the alternative that was first; `stopped` if the parent was to stop before any operation took effect.
  [[nodiscard]] std::size_t await_resume() noexcept {
    end();
    return index_of_first();
  }

  // For wake_ups: that operation was claimed and served.
  void end_by(waiter& first) noexcept;

 private:
  struct stopper {
    race* of;
    void operator()() const noexcept { of->stop(); }
  };

  [[nodiscard]] std::coroutine_handle<> begin(std::coroutine_handle<> parent, const std::stop_token& stop);
  [[nodiscard]] bool try_operations() noexcept;
  void line_up() noexcept;
  [[nodiscard]] std::coroutine_handle<> start_children();
  void stop() noexcept;
  void decide(const void* first) noexcept;
  [[nodiscard]] std::coroutine_handle<> arrive() noexcept;
  static std::coroutine_handle<> end_of_child(coro_promise_base& ended) noexcept;
  static std::coroutine_handle<> end_of_ring(coro_promise_base& ended) noexcept;
  static pilfer::task<void> ring(linked_stop& what);
  [[nodiscard]] std::size_t index_of_first() const noexcept;
  // No callback, and no line, knows of the race any more.
  void end() noexcept;

  const std::span<alternative> all_;
  std::size_t children_ = 0;
  std::size_t in_line_ = 0;  // so many of the alternatives were lined up, or are children
  std::coroutine_handle<> parent_;
  resume_job next_;              // the parent, in the end
  resume_job bell_;              // the coroutine that asks the children to stop
  const void* first_ = nullptr;  // a waiter or a promise. Written by whose claim succeeded, carried by last
  coro_countdown<ext::default_sync> left_;
  std::optional<linked_stop> stop_children_;
  coro_owner<void> ringer_;
  std::optional<std::stop_callback<stopper>> on_stop_;
};

}  // namespace pilfer::detail
