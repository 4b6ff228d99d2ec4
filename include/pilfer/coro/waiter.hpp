// What waits in line: the common part of the awaitables of mutex, semaphore, channel and timer.
//
// A waiter is part of its coroutine's frame; lists of them own nothing. Each belongs to a lock, the guard of what it waits for:
// whoever holds it alone decides what becomes of the waiter, once:
//
//   undecided -> woken                             it got what it wants without waiting
//   undecided -> stopped                           its stop_token was stopped first; it is in no line
//   undecided -> waits -> woken                    it was in line; who took it out has given it what it wants
//   undecided -> waits -> stopped                  it was in line; its stop_callback took it out
//   undecided -> waits -> undecided                it was in line for a race that another alternative has won (race.hpp)
//
// A waiter that is an alternative of a race has a claim: it is served only by a thread that has claimed the race before, under the guard.
// One whose race is taken may still be in line; who finds it there takes it out and serves the next one.
//
// Events   A1 the callback is registered   A2 the guard: still undecided? then into the line   |  S the callback runs   W someone wakes
// Claim    A coroutine that waits is resumed exactly once, and is in no line by then.
// Reason   S before A2: A2 finds it stopped, and does not suspend. S and W after A2: both hold the guard, the later one finds it decided
//          and does nothing. Who decides resumes it, after the guard is free, and does not touch it any more.
// Lifetime The callback's destructor runs in await_resume, before the coroutine goes on: it waits for a callback that runs on another
//          thread. So neither the waiter nor the guard goes away below S. Nothing waits for a callback while it holds a guard.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>

#include <pilfer/coro/task.hpp>
#include <pilfer/detail/protocol/race_claim.hpp>
#include <pilfer/detail/resume.hpp>
#include <pilfer/ext/sync.hpp>
#include <pilfer/future.hpp>

namespace pilfer::detail {

class wake_ups;
using race_word = race_claim<ext::default_sync>;

class waiter {
 public:
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  // For those that are awaited themselves.
  [[nodiscard]] static constexpr bool await_ready() noexcept { return false; }  // the stop_token is asked first
  template <class Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
    return begin(stop_of(who), who);
  }

 protected:
  explicit waiter(std::mutex& guard) noexcept : guard_(guard) {}
  // Requires that `from` was not awaited.
  waiter(waiter&& from) noexcept : guard_(from.guard_) {}
  virtual ~waiter() = default;

  // Before it waits, without the guard: begin() leaves this to await_suspend, a race calls it.
  //   Throws  what await_suspend throws for the same reason.
  virtual void prepare() {}
  // All three with the guard held. Takes what it wants, if it is there, no other waiter has come before, and the claim succeeds.
  [[nodiscard]] virtual bool try_enter(wake_ups& others) noexcept = 0;
  virtual void line_up(wake_ups& others) noexcept = 0;
  // Out of the line. Others may go on without it.
  virtual void step_out(wake_ups& others) noexcept = 0;

  // From await_suspend. False: do not suspend. After true the waiter may be gone.
  //   Throws  what making the default pool throws, outside of every pool.
  [[nodiscard]] bool begin(const std::stop_token& stop, std::coroutine_handle<> who);
  // From await_resume.
  //   Throws  task_cancelled
  void end() {
    on_stop_.reset();
    if (fate_ == fate::stopped) throw_task_cancelled();
  }
  // Takes it out of the line, if it is in one. False: it is not, or no longer.
  bool withdraw() noexcept;
  // From the destructor: the coroutine may be destroyed while it waits.
  void abandon() noexcept {
    if (fate_ != fate::waits) return;
    on_stop_.reset();
    withdraw();
  }
  [[nodiscard]] std::mutex& guard() const noexcept { return guard_; }
  // Of the race that it is an alternative of, or null.
  [[nodiscard]] race_word* race_of() const noexcept { return race_; }
  // With the guard held, right before it is served. False if its race is taken: then it gets nothing.
  [[nodiscard]] bool claim() const noexcept { return race_ == nullptr || race_->claim(); }
  // With the guard held: it is out of the line, and its race is taken.
  void leave() noexcept { fate_ = fate::undecided; }
  // Hint: its race is taken.
  [[nodiscard]] bool is_over() const noexcept { return race_ != nullptr && race_->is_taken(); }

 private:
  friend class race;
  friend class wake_ups;
  friend class wait_line;
  enum class fate : std::uint8_t { undecided, waits, woken, stopped };
  struct stopper {
    waiter* of;
    void operator()() const noexcept { of->stop(); }
  };

  void stop() noexcept;

  std::mutex& guard_;
  waiter* older_ = nullptr;
  waiter* newer_ = nullptr;
  resume_job next_;
  fate fate_ = fate::undecided;
  race_word* race_ = nullptr;
  std::optional<std::stop_callback<stopper>> on_stop_;
};

// Whom to resume when the guard is free again: made before the guard is taken.
class wake_ups : immovable {
 public:
  ~wake_ups() {
    if (first_ != nullptr || bell_ != nullptr) resume_all();
  }

  // Out of its line already, and claimed. Once it is resumed it is gone.
  void add(waiter& woken) noexcept { append(woken, waiter::fate::woken); }
  // A thread sleeps on this word, too, which has changed.
  void ring(const ext::default_sync::atomic<std::uint32_t>& bell) noexcept { bell_ = &bell; }

 private:
  friend class waiter;
  void append(waiter& one, waiter::fate how) noexcept {
    one.fate_ = how;
    one.newer_ = nullptr;
    (first_ == nullptr ? first_ : last_->newer_) = &one;
    last_ = &one;
  }
  void resume_all() noexcept;

  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
  const ext::default_sync::atomic<std::uint32_t>* bell_ = nullptr;
};

// First come, first served. Under the guard of all that are in it.
class wait_line {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return oldest_ == nullptr; }
  [[nodiscard]] waiter* front() const noexcept { return oldest_; }
  void push(waiter& last) noexcept {
    last.older_ = newest_;
    last.newer_ = nullptr;
    (newest_ == nullptr ? oldest_ : newest_->newer_) = &last;
    newest_ = &last;
  }
  void remove(waiter& one) noexcept {
    (one.older_ == nullptr ? oldest_ : one.older_->newer_) = one.newer_;
    (one.newer_ == nullptr ? newest_ : one.newer_->older_) = one.older_;
  }
  // Takes out the first that can be served, claimed; null if there is none. With `mine`, for an alternative of that race: claims it,
  // too, or neither, and passes over the other alternatives of it.
  [[nodiscard]] waiter* pop(race_word* mine = nullptr) noexcept { return claim_first(*this, mine); }
  // Takes out one whose race is taken.
  void drop(waiter& one) noexcept {
    remove(one);
    one.leave();
  }
  // For claim_first.
  [[nodiscard]] static waiter* after(const waiter& one) noexcept { return one.newer_; }
  [[nodiscard]] static race_word* claim_of(const waiter& one) noexcept { return one.race_; }

 private:
  waiter* oldest_ = nullptr;
  waiter* newest_ = nullptr;
};

}  // namespace pilfer::detail
