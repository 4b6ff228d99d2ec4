#include "threads.hpp"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "../sync/process_wide.hpp"
#include "system_calls.hpp"

namespace pilfer::io::detail {

namespace {
constexpr std::chrono::seconds idle_before_end_s{10};  // a burst of I/O is not the last one, mostly
constinit ext::default_sync::atomic<std::uint64_t> cancelled{0};
}  // namespace

std::uint64_t cancelled_on_threads() noexcept { return cancelled.load(std::memory_order_relaxed); }  // statistics

void complete(operation& done, std::int64_t outcome) noexcept {
  done.outcome = outcome;
  if (outcome == -ECANCELED) cancelled.fetch_add(1, std::memory_order_relaxed);  // statistics
  done.unwatch();
  const auto where = done.place;
  const std::coroutine_handle<> waiter = done.waiter;
  // The coroutine may end, and its pool with it, before we are through.
  const pilfer::detail::hold_pool until_queued(*where.home);
  pilfer::detail::resume_completed(where, waiter);
}

void operation_list::append(operation& one) noexcept {
  one.next = nullptr;
  one.before = last_;
  (last_ != nullptr ? last_->next : first_) = &one;
  last_ = &one;
  one.listed = true;
}

void operation_list::remove(operation& one) noexcept {
  (one.before != nullptr ? one.before->next : first_) = one.next;
  (one.next != nullptr ? one.next->before : last_) = one.before;
  one.listed = false;
}

blocking_threads& blocking_threads::all() { return pilfer::detail::process_wide<blocking_threads>::only(); }

bool blocking_threads::start(operation& wanted) noexcept {
  wanted.holder = this;
  wanted.cancel_wanted = false;
  wanted.watch(&cancel);
  {
    const std::unique_lock lock(mutex_);
    if (!wanted.cancel_wanted && (idle_ > count_ || threads_ == most_threads || add_thread() || threads_ > 0)) {
      waiting_.append(wanted);
      ++count_;
      called_.notify_one();
      return true;
    }
  }
  // To stop; or no thread could be had.
  wanted.unwatch();
  wanted.outcome = wanted.cancel_wanted ? -ECANCELED : perform(wanted.wanted);
  return false;
}

void blocking_threads::cancel(operation& whom) noexcept {
  auto& me = *static_cast<blocking_threads*>(whom.holder);
  {
    const std::lock_guard lock(me.mutex_);
    whom.cancel_wanted = true;
    if (!whom.listed) return;  // not yet, or a thread is at it: that cannot be stopped
    me.waiting_.remove(whom);
    --me.count_;
  }
  complete(whom, -ECANCELED);
}

// Under the mutex.
bool blocking_threads::add_thread() noexcept {
  try {
    std::thread([this] { work(); }).detach();
    ++threads_;
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void blocking_threads::work() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (waiting_.first() == nullptr) {
      ++idle_;
      const bool timely = called_.wait_for(lock, idle_before_end_s) == std::cv_status::no_timeout;
      --idle_;
      if (!timely && waiting_.first() == nullptr) {
        --threads_;
        return;
      }
    }
    operation& next = *waiting_.first();
    waiting_.remove(next);
    --count_;
    lock.unlock();
    jobs_.fetch_add(1, std::memory_order_relaxed);  // statistics
    const std::int64_t outcome = perform(next.wanted);
    if (outcome == -ESPIPE && (next.wanted.code == opcode::read || next.wanted.code == opcode::write)) {
      next.unwatch();
      next.wanted.offset = operation::at_position;  // what cannot be waited for comes back here, and has no offsets
      if (!poller::only().start(next)) complete(next, next.outcome);
    } else {
      complete(next, outcome);
    }
    lock.lock();
  }
}

bool start_on_threads(operation& wanted) noexcept {
  request& what = wanted.wanted;
  if (what.code == opcode::close) {
    wanted.outcome = perform(what);
    return false;
  }
  if (is_socket_operation(what.code)) {
    if (what.code == opcode::connect && what.target < 0) {
      wanted.outcome = prepare_connect(what);
      if (wanted.outcome < 0) return false;
    }
    wanted.outcome = perform(what);
    if (wanted.outcome != (what.code == opcode::connect ? -EINPROGRESS : -EAGAIN)) return false;
    return poller::only().start(wanted);
  }
  const bool is_transfer = what.code == opcode::read || what.code == opcode::write;
  if (is_transfer && what.offset == operation::at_position) return poller::only().start(wanted);
  return blocking_threads::all().start(wanted);
}

}  // namespace pilfer::io::detail
