#if defined(PILFER_HAS_URING)

#include "ring.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <thread>

#include <pilfer/io/address.hpp>

#include "../sync/process_wide.hpp"
#include "system_calls.hpp"
#include "threads.hpp"

namespace pilfer::io::detail {

namespace {

constexpr unsigned flush_at_entries = 32;       // so that the kernel begins before a long batch of tasks has ended
constexpr std::size_t take_at_once = 64;        // completions, between lock and unlock
constexpr unsigned completions_per_entry = 16;  // more may be under way than are submitted at a time
constexpr std::chrono::milliseconds cancel_again_ms{1};  // rare: most are found, or have ended
constexpr std::uint64_t kick_mark = 1;                   // instead of an operation's address

void fill(io_uring_sqe* entry, const request& wanted) noexcept {
  const auto length = static_cast<unsigned>(std::min(wanted.length, most_bytes_at_once));
  switch (wanted.code) {
    case opcode::read: io_uring_prep_read(entry, wanted.target, wanted.data, length, wanted.offset); break;
    case opcode::write: io_uring_prep_write(entry, wanted.target, wanted.data, length, wanted.offset); break;
    case opcode::open:
      io_uring_prep_openat(entry, wanted.target, wanted.path, wanted.flags | O_CLOEXEC, wanted.mode);
      // Otherwise the kernel tries it with O_NONBLOCK, which a pipe obeys: it would not wait for its other side.
      entry->flags |= IOSQE_ASYNC;
      break;
    case opcode::sync: io_uring_prep_fsync(entry, wanted.target, 0); break;
    case opcode::accept:
      io_uring_prep_accept(entry, wanted.target, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      break;
    case opcode::connect: {
      const auto& to = *static_cast<const address*>(wanted.data);
      io_uring_prep_connect(entry, wanted.target, static_cast<const ::sockaddr*>(to.data()), to.size());
      break;
    }
    case opcode::receive:
      io_uring_prep_recv(entry, wanted.target, wanted.data, length, 0);
      entry->ioprio |= IORING_RECVSEND_POLL_FIRST;  // the answer to what was just sent is hardly ever there
      break;
    case opcode::send: io_uring_prep_send(entry, wanted.target, wanted.data, length, MSG_NOSIGNAL); break;
    case opcode::stat:
    case opcode::close: break;  // never get here
  }
}

// A ring's memory may be another ring's a moment later, of another thread: whoever maps it comes after who unmapped it. The kernel sees to
// that anyway; this way everybody can see it.
std::mutex& mapping() { return pilfer::detail::process_wide<std::mutex>::only(); }

}  // namespace

ring::~ring() {
  if (is_open_) {
    const std::lock_guard lock(mapping());
    io_uring_queue_exit(&ring_);
  }
  if (event_ >= 0) ::close(event_);
}

int ring::open(unsigned wanted_entries, std::string& what) {
  what = "eventfd";
  event_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event_ < 0) return -errno;
  what = "io_uring_setup";
  // Without interrupting the owner for each completion, where the kernel knows how.
  int failed = -EINVAL;
  for (const unsigned flags : {IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, 0U}) {
    io_uring_params parameters{};
    parameters.flags = flags | IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE;
    parameters.cq_entries = wanted_entries * completions_per_entry;
    const std::lock_guard lock(mapping());
    failed = io_uring_queue_init_params(wanted_entries, &ring_, &parameters);
    if (failed != -EINVAL) break;
  }
  if (failed < 0) return failed;
  is_open_ = true;
  constexpr unsigned needed = IORING_FEAT_NODROP | IORING_FEAT_FAST_POLL | IORING_FEAT_EXT_ARG;
  if ((ring_.features & needed) != needed) {
    what = "io_uring without NODROP, FAST_POLL, EXT_ARG";
    return -ENOSYS;
  }
  for (unsigned i = 0; i < *ring_.sq.kring_entries; ++i) ring_.sq.array[i] = i;
  enter_fd_ = ring_.ring_fd;
  arm_kick();
  return 0;
}

// A number of this thread's, which the kernel finds faster than a descriptor. liburing is not told: it would give the number back when the ring
// is freed, and that thread may be another one, whose number it then takes away. The kernel gives it back when this thread ends.
void ring::give_short_name() noexcept {
  io_uring_rsrc_update name{};
  name.offset = ~0U;  // any that is free
  name.data = static_cast<std::uint64_t>(ring_.ring_fd);
  if (io_uring_register(static_cast<unsigned>(ring_.ring_fd), IORING_REGISTER_RING_FDS, &name, 1) != 1) return;
  enter_fd_ = static_cast<int>(name.offset);
  enter_flags_ = IORING_ENTER_REGISTERED_RING;
}

io_uring_sqe* ring::next_entry() noexcept {
  const std::uint32_t capacity = *ring_.sq.kring_entries;
  const auto used = [&] { return tail_ - __atomic_load_n(ring_.sq.khead, Orders::kernel_acq); };
  if (used() >= capacity) {
    submit();
    if (used() >= capacity) return nullptr;
  }
  return &ring_.sq.sqes[tail_ & *ring_.sq.kring_mask];
}

void ring::place(io_uring_sqe* filled, std::uint64_t whose) noexcept {
  filled->user_data = whose;
  ++tail_;
  ++placed_;
  __atomic_store_n(ring_.sq.ktail, tail_, Orders::kernel_rel);
}

void ring::arm_kick() noexcept {
  io_uring_sqe* const entry = next_entry();
  if (entry == nullptr) {
    kick_lost_ = true;
    return;
  }
  kick_lost_ = false;
  io_uring_prep_poll_multishot(entry, event_, POLLIN);
  place(entry, kick_mark);
}

bool ring::start(operation& wanted) noexcept {
  io_uring_sqe* const entry = next_entry();
  if (entry == nullptr) return false;
  wanted.holder = this;
  wanted.serial = placed_;
  wanted.listed = false;
  wanted.cancel_wanted = false;
  wanted.watch(&cancel);
  fill(entry, wanted.wanted);
  begun_.store(begun_.load(Orders::relaxed) + 1, Orders::begun.rel);  // own variable
  place(entry, reinterpret_cast<std::uintptr_t>(&wanted));
  operations.add();
  if (placed_ - submitted_ >= flush_at_entries) submit();
  return true;
}

int ring::call(unsigned to_submit, unsigned to_wait_for, unsigned flags, void* argument, std::size_t size) noexcept {
  enters.add();
  const auto once = [&] {
    return io_uring_enter2(static_cast<unsigned>(enter_fd_), to_submit, to_wait_for, flags | enter_flags_,
                           static_cast<::sigset_t*>(argument), size);
  };
  const int got = once();
  if (got != -EBADF || enter_flags_ == 0) return got;
  // Somebody else in this thread has taken the short name away.
  enter_fd_ = ring_.ring_fd;
  enter_flags_ = 0;
  return once();
}

int ring::enter(unsigned to_submit, unsigned to_wait_for, std::chrono::nanoseconds limit) noexcept {
  if (to_wait_for == 0) return call(to_submit, 0, 0, nullptr, 0);
  constexpr std::int64_t second_ns = 1'000'000'000;
  __kernel_timespec until{limit.count() / second_ns, limit.count() % second_ns};
  io_uring_getevents_arg argument{};
  if (limit.count() >= 0) argument.ts = reinterpret_cast<std::uintptr_t>(&until);
  return call(to_submit, to_wait_for, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument, sizeof argument);
}

// The kernel's head is what it has consumed.
void ring::note_taken() noexcept {
  const std::uint32_t left = tail_ - __atomic_load_n(ring_.sq.khead, Orders::kernel_acq);
  entries.add(placed_ - left - submitted_);
  submitted_ = placed_ - left;
  cancels_.submitted(submitted_, sender{*this});
}

// What the kernel does not take now, for want of memory or because too many completions lie there, it takes after these were reaped.
void ring::submit() noexcept {
  if (placed_ != submitted_) {
    while (enter(static_cast<unsigned>(placed_ - submitted_), 0, {}) == -EINTR) {
    }
  }
  note_taken();
}

void ring::sleep(std::chrono::nanoseconds limit) noexcept {
  if (cancels_.any()) {
    submit();
    // What the kernel did not find is asked for again.
    if (cancels_.any() && (limit.count() < 0 || limit > cancel_again_ms)) limit = cancel_again_ms;
  }
  while (!lock_.try_lock()) std::this_thread::yield();
  if (kick_lost_) arm_kick();
  if (!lock_.take_kick() && !has_come()) {
    asleep_.store(1, Orders::asleep.rel);
    enter(static_cast<unsigned>(placed_ - submitted_), 1, limit);
    asleep_.store(0, Orders::asleep.rel);
  }
  lock_.unlock();
  note_taken();
}

void ring::kick() const noexcept {
  const std::uint64_t one = 1;
  while (::write(event_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

std::size_t ring::reap(bool by_owner) noexcept {
  if (!has_come()) {
    // Completions that the kernel has not written yet: they come when somebody asks; the owner's at any call of its.
    const unsigned flags = __atomic_load_n(ring_.sq.kflags, Orders::kernel_relaxed);  // hint: of the kernel's
    if (!by_owner || (flags & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) == 0) return 0;
    call(0, 0, IORING_ENTER_GETEVENTS, nullptr, 0);
    if (!has_come()) return 0;
  }
  if (!lock_.try_lock()) return 0;
  std::array<arrival, take_at_once>
      come;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as it is used
  std::size_t count = 0;
  std::uint32_t head = __atomic_load_n(ring_.cq.khead, Orders::kernel_relaxed);  // under the lock
  const std::uint32_t tail = __atomic_load_n(ring_.cq.ktail, Orders::kernel_acq);
  for (; head != tail && count < take_at_once; ++head) {
    const io_uring_cqe& from = ring_.cq.cqes[head & *ring_.cq.kring_mask];
    if (from.user_data == kick_mark) {
      if (!by_owner) lock_.note_kick();
      if ((from.flags & IORING_CQE_F_MORE) == 0) kick_lost_ = true;
      continue;
    }
    come[count++] = {from.user_data, from.res};
  }
  __atomic_store_n(ring_.cq.khead, head, Orders::kernel_rel);
  static_cast<void>(begun_.load(Orders::begun.acq));                      // the operations' own fields
  ended_.store(ended_.load(Orders::relaxed) + count, Orders::ended.rel);  // under the lock
  lock_.unlock();
  (by_owner ? reaped : reaped_by_others).add(count);
  for (std::size_t i = 0; i < count; ++i) end(*reinterpret_cast<operation*>(come[i].whose), come[i].outcome);
  return count;
}

void ring::end(operation& done, std::int32_t outcome) noexcept {
  done.unwatch();
  const bool to_stop = cancels_.withdraw(done);
  outcome = static_cast<std::int32_t>(without_kernel_internals(outcome));
  done.outcome = outcome;
  if (outcome < 0) {
    if (to_stop && (outcome == -EINTR || outcome == -EAGAIN)) done.outcome = -ECANCELED;
    if (done.outcome == -ECANCELED) cancelled.add();
    // Not what the caller asked for; rare enough for the slow way.
    const bool again =
        outcome == -EINTR || outcome == -EAGAIN || (outcome == -ECONNABORTED && done.wanted.code == opcode::accept);
    if (again && !to_stop && start_on_threads(done)) return;
  }
  pilfer::detail::resume_completed(done.waiter, done.waiter.what);
}

// By the thread that tells the coroutine to stop. The operation exists until this returns.
void ring::cancel(operation& whom) noexcept {
  ring& mine = *static_cast<ring*>(whom.holder);
  // The owner submits it and then cancels it, or asks once more; it may be just about to sleep.
  if (!mine.cancels_.ask(whom, sender{mine})) mine.kick();
}

// Does not wait: what cannot be stopped any more ends by itself. False: the kernel does not find it. Mostly its completion lies there; but it may
// be between two tries, as one that was woken for nothing is in some kernels, and would wait again.
bool ring::send_cancel(const operation& whom) const noexcept {
  io_uring_sync_cancel_reg what{};
  what.addr = reinterpret_cast<std::uintptr_t>(&whom);
  what.fd = -1;
  return io_uring_register(static_cast<unsigned>(ring_.ring_fd), IORING_REGISTER_SYNC_CANCEL, &what, 1) != -ENOENT;
}

int ring::check_features(std::string& what) {
  io_uring_probe* const known = io_uring_get_probe_ring(&ring_);
  what = "IORING_REGISTER_PROBE";
  if (known == nullptr) return -ENOSYS;
  bool all = true;
  for (const int code : {IORING_OP_READ, IORING_OP_WRITE, IORING_OP_OPENAT, IORING_OP_FSYNC, IORING_OP_ACCEPT,
                         IORING_OP_CONNECT, IORING_OP_RECV, IORING_OP_SEND, IORING_OP_POLL_ADD}) {
    all = all && io_uring_opcode_supported(known, code) != 0;
  }
  io_uring_free_probe(known);
  what = "an operation that this kernel's io_uring does not know";
  if (!all) return -ENOSYS;
  what = "IORING_REGISTER_SYNC_CANCEL";
  io_uring_sync_cancel_reg nobody{};
  nobody.fd = -1;
  const int answer = io_uring_register(static_cast<unsigned>(ring_.ring_fd), IORING_REGISTER_SYNC_CANCEL, &nobody, 1);
  if (answer != 0 && answer != -ENOENT) return answer;
  what = "io_uring_enter";
  const int entered = enter(static_cast<unsigned>(placed_ - submitted_), 0, {});
  return entered < 0 ? entered : 0;
}

int probe_rings(unsigned wanted_entries, std::string& what) {
  ring tried;
  if (const int failed = tried.open(wanted_entries, what); failed != 0) return failed;
  return tried.check_features(what);
}

}  // namespace pilfer::io::detail

#endif
