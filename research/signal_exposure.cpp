#include "research/signal_exposure.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>

#include <signal.h>

#include "src/sync/environment.hpp"
#include "src/sync/errno_keeper.hpp"
#include "src/topology/files.hpp"

namespace pilfer::research {
namespace {

using orders = signal_orders;
constexpr auto relaxed = orders::relaxed;  // by the owner alone, ordered by handler or by the lock; or hints

// The innermost lane that this thread owns. A handler reads it: the place must be there without any allocation.
[[gnu::tls_model("initial-exec")]] constinit thread_local ext::native_sync::atomic<signal_mailbox*> innermost{nullptr};

// The thread's own handler sees its stores in program order.
void handler_fence() noexcept { ext::native_sync::signal_fence(orders::handler); }

void on_request(int /*signal*/) {
  const ext::os::errno_keeper keeper;
  signal_mailbox::handle();
}

[[nodiscard]] bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == on_request;
}
[[nodiscard]] bool is_free(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

// The process's one signal, and how many want it.
class shared_signal {
 public:
  [[nodiscard]] int acquire() {
    const std::lock_guard lock(mutex_);
    if (users_ == 0) {
      const char* const chosen = detail::environment::find(detail::environment::signal);
      number_ = chosen != nullptr ? install_chosen(chosen) : install_any();
      current_.store(number_, relaxed);
    }
    ++users_;
    return number_;
  }

  void release() noexcept {
    const std::lock_guard lock(mutex_);
    if (--users_ != 0) return;
    current_.store(0, relaxed);
    struct sigaction now{};
    if (::sigaction(number_, nullptr, &now) != 0 || !is_ours(now)) return;  // the program has taken it over
    // Ignored first: that discards signals still pending, which the default action would kill the program with.
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigemptyset(&ignore.sa_mask);
    ::sigaction(number_, &ignore, nullptr);
    ::sigaction(number_, &before_, nullptr);
  }

  // 0: nobody wants it.
  [[nodiscard]] int current() const noexcept { return current_.load(relaxed); }

 private:
  // False: taken, or the system keeps it for itself.
  [[nodiscard]] bool install(int signal) noexcept {
    struct sigaction found{};
    if (::sigaction(signal, nullptr, &found) != 0 || !is_free(found)) return false;
    struct sigaction ours{};
    ours.sa_handler = on_request;
    ours.sa_flags = SA_RESTART | SA_ONSTACK;  // on the signal stack, where a thread has one: its own may be small
    ::sigemptyset(&ours.sa_mask);
    return ::sigaction(signal, &ours, &before_) == 0;
  }

  [[nodiscard]] int install_chosen(std::string_view text) {
    const std::string range = std::to_string(SIGRTMIN) + " to " + std::to_string(SIGRTMAX);
    const int signal = topology::to_number<int>(text).value_or(0);
    if (signal < SIGRTMIN || signal > SIGRTMAX) {
      throw std::invalid_argument("pilfer: PILFER_SIGNAL = '" + std::string(text) +
                                  "', but it must be the number of a real-time signal, " + range);
    }
    if (!install(signal)) {
      throw std::runtime_error("pilfer: signal " + std::to_string(signal) +
                               ", which PILFER_SIGNAL names, is in use by the program");
    }
    return signal;
  }

  // From the upper end: programs count from SIGRTMIN. A signal that is blocked here may be one that somebody waits for
  // with sigwait or signalfd, so those come last.
  [[nodiscard]] int install_any() {
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (const int wanted : {0, 1}) {
      for (int signal = SIGRTMAX; signal >= SIGRTMIN; --signal) {
        if (::sigismember(&blocked, signal) == wanted && install(signal)) return signal;
      }
    }
    throw std::runtime_error("pilfer: every real-time signal is in use by the program");
  }

  std::mutex mutex_;
  unsigned users_ = 0;
  int number_ = 0;
  struct sigaction before_{};
  ext::native_sync::atomic<int> current_{0};
};

constinit shared_signal shared;

// Lets the signal in or keeps it out; true if it was kept out before.
bool set_mask(int how, int signal) noexcept {
  sigset_t one;
  sigset_t before;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::sigemptyset(&before);
  ::pthread_sigmask(how, &one, &before);
  return ::sigismember(&before, signal) == 1;
}

}  // namespace

signal_exposure::signal_exposure() : signal_(shared.acquire()) {}
signal_exposure::~signal_exposure() { shared.release(); }

void signal_mailbox::bind(const exposure_target& target) noexcept {
  const int signal = shared.current();
  target_ = target;
  outer_.store(innermost.load(relaxed), relaxed);
  wanted_.store(0, relaxed);
  handler_fence();
  innermost.store(this, relaxed);
  blocks_afterwards_ = set_mask(SIG_UNBLOCK, signal);
  signal_ = signal;
  thread_ = ::pthread_self();
  bound_.store(signal != 0 ? 1 : 0, orders::owned.rel);
}

void signal_mailbox::unbind() noexcept {
  // First, so that thieves do not come back to the lock; then wait for the one that may be sending.
  bound_.store(0, relaxed);
  {
    const std::lock_guard last(sending_);
  }
  targeted_.store(0, relaxed);  // a request to this owner is of no use to the next
  signal_mailbox* const outer = outer_.load(relaxed);
  signal_mailbox* inner = innermost.load(relaxed);
  if (inner == this) {
    innermost.store(outer, relaxed);
  } else {
    while (inner->outer_.load(relaxed) != this) inner = inner->outer_.load(relaxed);
    inner->outer_.store(outer, relaxed);
  }
  handler_fence();  // from here on a handler does not find this lane
  wanted_.store(0, relaxed);
  if (!blocks_afterwards_) return;
  if (signal_mailbox* const still = innermost.load(relaxed)) {
    still->blocks_afterwards_ = true;
  } else {
    static_cast<void>(set_mask(SIG_BLOCK, signal_));
  }
}

bool signal_mailbox::request() noexcept {
  if (targeted_.load(relaxed) != 0 || bound_.load(relaxed) == 0) return false;  // hints, looked at again under the lock
  const ext::os::errno_keeper keeper;
  const std::unique_lock lock(sending_, std::try_to_lock);
  if (!lock.owns_lock() || bound_.load(orders::owned.acq) == 0) return false;
  if (targeted_.load(orders::answer.acq) != 0) return false;
  targeted_.store(1, relaxed);
  wanted_.store(1, orders::want.rel);
  if (::pthread_kill(thread_, signal_) == 0) return true;  // bound, so the thread is alive
  wanted_.store(0, relaxed);                               // too many signals are pending
  targeted_.store(0, relaxed);
  return false;
}

void signal_mailbox::handle() noexcept {
  for (signal_mailbox* lane = innermost.load(relaxed); lane != nullptr; lane = lane->outer_.load(relaxed)) {
    handler_fence();
    if (lane->wanted_.load(orders::want.acq) == 0) continue;
    lane->wanted_.store(0, relaxed);
    lane->target_.expose(lane->target_.queue);
  }
}

}  // namespace pilfer::research
