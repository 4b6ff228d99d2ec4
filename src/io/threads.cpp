#include "threads.hpp"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "../sync/process_wide.hpp"
#include "../sync/system_thread.hpp"
#include "system_calls.hpp"

namespace pilfer::io::detail {

namespace {
constexpr std::chrono::seconds idle_before_end_s{10};  // a burst of I/O is not the last one, mostly
constinit shared_counter cancelled;

// What a thread may be left behind in. A buffer is the coroutine's, so a transfer is waited for: it is one that ends by itself (is_storage). A descriptor is the
// coroutine's, too, and must not be used after it goes on.
bool can_be_left(const operation& wanted) noexcept {
  if (wanted.stop == nullptr || !wanted.stop->stop_possible()) return false;
  return wanted.wanted.code == opcode::open || (wanted.wanted.code == opcode::stat && wanted.wanted.empty_path == 0);
}
bool is_transfer(const request& wanted) noexcept { return wanted.code == opcode::read || wanted.code == opcode::write; }
}  // namespace

std::uint64_t cancelled_on_threads() noexcept { return cancelled.value(); }

void complete(operation& done, std::int64_t outcome) noexcept {
  done.outcome = outcome;
  if (outcome == -ECANCELED) cancelled.add();
  done.unwatch();
  // The coroutine may end, and its pool with it, before we are through.
  const pilfer::detail::hold_pool until_queued(*done.waiter.where.home);
  pilfer::detail::resume_completed(done.waiter, done.waiter.what);
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

std::size_t blocking_threads::stuck() noexcept {
  const std::lock_guard lock(mutex_);
  return stuck_;
}

bool blocking_threads::start(operation& wanted) noexcept {
  wanted.holder = this;
  wanted.cancel_wanted = false;
  wanted.helper = nullptr;
  wanted.watch(&cancel);
  bool all_stuck = false;
  {
    const std::unique_lock lock(mutex_);
    if (!wanted.cancel_wanted && (idle_ > count_ || add_thread() || threads_ > 0)) {
      waiting_.append(wanted);
      ++count_;
      called_.notify_one();
      return true;
    }
    all_stuck = stuck_ >= most_threads + most_replaced;
  }
  wanted.unwatch();
  if (wanted.cancel_wanted) {
    wanted.outcome = -ECANCELED;
  } else {
    // No thread can be made. The calling thread does what ends by itself.
    const bool may_wait = wanted.wanted.code == opcode::open && may_wait_for_peer(wanted.wanted);
    wanted.outcome = all_stuck || may_wait ? -EAGAIN : perform(wanted.wanted);
  }
  return false;
}

void blocking_threads::cancel(operation& whom) noexcept {
  auto& me = *static_cast<blocking_threads*>(whom.holder);
  operation* unserved = nullptr;
  {
    const std::lock_guard lock(me.mutex_);
    whom.cancel_wanted = true;
    if (whom.listed) {
      me.waiting_.remove(whom);
      --me.count_;
    } else if (whom.helper != nullptr) {
      unserved = me.leave(*std::exchange(whom.helper, nullptr));
    } else {
      return;  // not listed yet, or a thread is at it that has to be waited for
    }
  }
  while (unserved != nullptr) complete(*std::exchange(unserved, unserved->next), -EAGAIN);
  complete(whom, -ECANCELED);
}

// Under the mutex. Returns those of the list that no thread will serve, because none is left and none can be made.
operation* blocking_threads::leave(errand& behind) noexcept {
  behind.whom = nullptr;
  --threads_;
  ++stuck_;
  if (waiting_.first() == nullptr || idle_ >= count_ || add_thread() || threads_ > 0) return nullptr;
  operation* const first = waiting_.first();
  for (operation* each = first; each != nullptr; each = each->next) each->listed = false;
  waiting_ = {};
  count_ = 0;
  return first;
}

// Under the mutex.
bool blocking_threads::add_thread() noexcept {
  if (threads_ >= most_threads || threads_ + stuck_ >= most_threads + most_replaced) return false;
  try {
    std::thread([this] { work(); }).detach();
    ++threads_;
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void blocking_threads::work() noexcept {
  pilfer::detail::name_this_thread("pilfer-io");
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
    jobs_.add();
    serve(next);
    lock.lock();
  }
}

void blocking_threads::serve(operation& next) noexcept {
  if (can_be_left(next)) {
    errand mine;
    if (mine.prepare(next.wanted)) {
      if (run(mine, next)) {
        complete(next, mine.outcome);
      } else {
        mine.discard();
        come_back();
      }
      return;
    }
  }
  // What may wait for another side is waited for by epoll, which can be told to stop.
  if (is_transfer(next.wanted) && !next.unpollable && !is_storage(next.wanted.target)) {
    next.unwatch();
    if (!poller::only().start(next)) complete(next, next.outcome);
    return;
  }
  std::int64_t outcome = perform(next.wanted);
  if (outcome == -ESPIPE && is_transfer(next.wanted)) {
    next.wanted.offset = operation::at_position;  // a device that has no offsets
    outcome = perform(next.wanted);
  }
  complete(next, outcome);
}

// False: the operation has left, and does not exist any more.
bool blocking_threads::run(errand& mine, operation& next) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (next.cancel_wanted) {  // while it was being prepared
      mine.outcome = -ECANCELED;
      return true;
    }
    mine.whom = &next;
    next.helper = &mine;
  }
  // A file must not be made, or emptied, after its operation was cancelled. That ends by itself, and is waited for. What waits for another side is opened without.
  constexpr int effects = O_CREAT | O_TRUNC;
  if (mine.what.code == opcode::open && (mine.what.flags & effects) != 0) {
    const bool never_waits = (mine.what.flags & O_CREAT) != 0 && (mine.what.flags & O_EXCL) != 0;
    while (!never_waits && may_wait_for_peer(mine.what)) {
      request quiet = mine.what;
      quiet.flags &= ~effects;
      mine.outcome = perform(quiet);
      const bool replaced =
          mine.outcome == -ENOENT || (mine.outcome >= 0 && is_storage(static_cast<int>(mine.outcome)));
      const std::lock_guard lock(mutex_);
      if (mine.whom == nullptr) return false;
      if (!replaced) {
        mine.deliver();
        return true;
      }
      mine.discard();  // something else has this path now
    }
    const std::lock_guard lock(mutex_);
    if (mine.whom == nullptr) {
      mine.outcome = -ECANCELED;
      return false;
    }
    next.helper = nullptr;
  }
  mine.outcome = perform(mine.what);
  const std::lock_guard lock(mutex_);
  if (mine.whom == nullptr) return false;
  mine.deliver();
  return true;
}

// A thread that was left behind is one of the others again; if they are enough it ends when it finds nothing to do.
void blocking_threads::come_back() noexcept {
  const std::lock_guard lock(mutex_);
  --stuck_;
  ++threads_;
}

bool errand::prepare(const request& wanted) noexcept {
  what = wanted;
  const std::size_t length = std::strlen(wanted.path);
  if (length >= path.size()) return false;  // the kernel refuses it at once
  std::memcpy(path.data(), wanted.path, length + 1);
  what.path = path.data();
  if (what.code == opcode::stat) what.data = &status;
  if (wanted.target == AT_FDCWD || path[0] == '/') return true;
  // The coroutine may close its descriptor. Not dup(2): closing another descriptor of the same file gives up the process's record locks on it.
  folder.reset(::openat(wanted.target, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  what.target = folder.native();
  return folder.is_open();
}

void errand::deliver() noexcept {
  whom->helper = nullptr;
  if (what.code == opcode::stat && outcome == 0) *static_cast<file_status*>(whom->wanted.data) = status;
}

void errand::discard() noexcept {
  if (what.code == opcode::open && outcome >= 0) close_descriptor(static_cast<int>(outcome));
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
  wanted.unpollable = false;
  if (is_transfer(what) && what.offset == operation::at_position) return poller::only().start(wanted);
  return blocking_threads::all().start(wanted);
}

}  // namespace pilfer::io::detail
