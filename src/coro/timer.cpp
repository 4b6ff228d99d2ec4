// The timers' thread: one for the process, and never joined; a child of fork(2) has its own.
//
// State          writer            reader           meaning
//   heap_        under guard_      same             who waits for a time
//   until_       under guard_      same             when the thread looks again by itself
//   bell_        under guard_      the thread       changes when it has to look earlier
//
// Events   A1 a timer into the heap   A2 earlier than until_? then bell_ changes, and is rung   |  T1 until_ = the earliest, and bell_
//          is read   T2 sleeps, while bell_ is what it was, until then
// Claim    No deadline passes unseen.
// Reason   A1 with A2, and T1, hold the guard. A before T1: T1 sees the timer. T1 before A: either the thread looks early enough, or
//          bell_ has changed, and T2 does not fall asleep or is woken.
#include <pilfer/coro/timer.hpp>

#include <thread>

#include <sys/prctl.h>

#include "../sync/process_wide.hpp"
#include "../sync/system_thread.hpp"

namespace pilfer::detail {

class timer_thread {
  using clock = std::chrono::steady_clock;
  using sync = ext::default_sync;

 public:
  [[nodiscard]] static timer_thread& only() noexcept { return process_wide<timer_thread>::only(); }

  [[nodiscard]] std::mutex& guard() noexcept { return guard_; }

  void start() {
    if (is_running_.load(orders::running.acq) == 0) start_thread();
  }

  void add(timed_waiter& fresh, wake_ups& others) noexcept {
    heap_.add(fresh);
    if (fresh.when() >= until_) return;
    until_ = fresh.when();                // so that later ones need not ring, too
    bell_.fetch_add(1, orders::relaxed);  // under the guard
    others.ring(bell_);
  }
  void remove(timed_waiter& one) noexcept { heap_.remove(one); }  // the thread may look once for nothing

 private:
  struct orders {
    static constexpr ext::edge running{};
    static constexpr auto relaxed = std::memory_order_relaxed;
  };
  // As many are resumed without looking at the guard again, which others want, too.
  static constexpr int most_at_a_time = 64;

  void start_thread() {
    const std::lock_guard lock(guard_);
    if (is_running_.load(orders::relaxed) != 0) return;  // under the guard
    std::thread([this] { run(); }).detach();
    is_running_.store(1, orders::running.rel);
  }

  [[noreturn]] void run() noexcept {
    // No mask of signals: a pool may start workers from here, which would have it, too.
    name_this_thread("pilfer-timer");
    ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // a thread's sleeps may be 50 us longer by default
    for (;;) {
      std::uint32_t seen = 0;
      const clock::time_point until = resume_due(seen);
      if (until == clock::time_point::max()) {
        sync::futex_wait(bell_, seen);
      } else if (const auto left = until - clock::now(); left.count() > 0) {
        sync::futex_wait(bell_, seen, left);
      }
    }
  }
  // When to look again.
  clock::time_point resume_due(std::uint32_t& seen) noexcept {
    wake_ups due;
    const std::lock_guard lock(guard_);
    const clock::time_point now = clock::now();
    timer_heap::entry* first = heap_.front();
    for (int i = 0; i < most_at_a_time && first != nullptr && first->when() <= now; ++i, first = heap_.front()) {
      auto& one = static_cast<timed_waiter&>(*first);
      heap_.remove(one);
      if (one.claim()) {
        due.add(one);
      } else {
        one.leave();
      }
    }
    until_ = first == nullptr ? clock::time_point::max() : first->when();
    seen = bell_.load(orders::relaxed);  // under the guard
    return until_;
  }

  std::mutex guard_;
  timer_heap heap_;
  clock::time_point until_ = clock::time_point::max();
  sync::atomic<std::uint32_t> bell_{0};
  sync::atomic<std::uint32_t> is_running_{0};
};

timed_waiter::timed_waiter(steady_time when) noexcept : waiter(timer_thread::only().guard()), entry(when) {}
void timed_waiter::prepare() { timer_thread::only().start(); }
bool timed_waiter::try_enter(wake_ups& /*others*/) noexcept {
  return when() <= std::chrono::steady_clock::now() && claim();
}
void timed_waiter::line_up(wake_ups& others) noexcept { timer_thread::only().add(*this, others); }
void timed_waiter::step_out(wake_ups& /*others*/) noexcept { timer_thread::only().remove(*this); }

time_limit::time_limit(steady_time when, const std::stop_token& above)
    : timed_waiter(when),
      token_(source_.get_token()),
      above_(above),
      ringer_(ring(source_).release()),
      link_(above, stop_both{source_}) {
  ringer_.promise().begin(&end_of_ring, this, never_stopped);
  prepare();
  if (begin(never_stopped, ringer_.handle())) return;
  rang_ = true;  // the time has passed already
  source_.request_stop();
}

pilfer::task<void> time_limit::ring(std::stop_source what) {
  what.request_stop();
  co_return;
}

std::coroutine_handle<> time_limit::end_of_ring(coro_promise_base& ended) noexcept {
  time_limit& me = *static_cast<time_limit*>(ended.owner());
  std::coroutine_handle<> next;
  {
    const std::lock_guard lock(me.guard());
    me.rang_ = true;
    next = me.next_;
  }
  // Without one, await_ring finds it rung, and all of this may be gone.
  return next ? hand_over(next) : std::noop_coroutine();
}

bool time_limit::await_ring(std::coroutine_handle<> who) noexcept {
  const std::lock_guard lock(guard());
  if (rang_) return false;
  next_ = who;
  return true;
}

}  // namespace pilfer::detail
