#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

#include "../sync/process_wide.hpp"
#include "../sync/system_thread.hpp"
#include "system_calls.hpp"
#include "threads.hpp"

namespace pilfer::io::detail {

poller& poller::only() { return pilfer::detail::process_wide<poller>::only(); }

int poller::launch() noexcept {
  if (is_running_) return 0;
  if (epoll_ < 0) epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) return -errno;
  try {
    std::thread([this] { work(); }).detach();
  } catch (const std::system_error&) {
    return -EAGAIN;
  }
  is_running_ = true;
  return 0;
}

std::int64_t poller::proceed(operation& one) noexcept {
  switch (one.wanted.code) {
    case opcode::read:
    case opcode::write: return transfer_stream(one.wanted);
    case opcode::connect: return finish_connect(one.wanted);
    default: return perform(one.wanted);
  }
}

int poller::arm(int descriptor, const watched& what) const noexcept {
  ::epoll_event event{};
  event.events = EPOLLONESHOT;
  if (what.readers.first() != nullptr) event.events |= EPOLLIN | EPOLLRDHUP;
  if (what.writers.first() != nullptr) event.events |= EPOLLOUT;
  event.data.fd = descriptor;
  // Closing takes a descriptor off the list: what has this number now may be another one.
  if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
  if (errno == ENOENT && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0) return 0;
  return -errno;
}

bool poller::start(operation& wanted) noexcept {
  const int descriptor = wanted.wanted.target;
  wanted.holder = this;
  wanted.cancel_wanted = false;
  wanted.watch(&cancel);
  int failed = 0;
  {
    const std::lock_guard lock(mutex_);
    failed = wanted.cancel_wanted ? -ECANCELED : (descriptor < 0 ? -EBADF : launch());
    const auto place = static_cast<std::size_t>(descriptor);
    if (failed == 0 && place >= table_.size()) {
      try {
        table_.resize(place + 1 + table_.size() / 2);
      } catch (const std::exception&) {
        failed = -ENOMEM;
      }
    }
    if (failed == 0) {
      watched& here = table_[place];
      operation_list& list = waits_to_write(wanted.wanted.code) ? here.writers : here.readers;
      list.append(wanted);
      failed = arm(descriptor, here);
      if (failed != 0) list.remove(wanted);
    }
    if (failed == 0) polled_.add();  // before it can end: the count is exact when the operation is over
  }
  if (failed == 0) return true;
  wanted.unwatch();
  // What cannot be waited for never makes wait for long: a regular file.
  if (failed == -EPERM && !is_socket_operation(wanted.wanted.code)) {
    wanted.unpollable = true;
    return blocking_threads::all().start(wanted);
  }
  wanted.outcome = failed;
  return false;
}

void poller::cancel(operation& whom) noexcept {
  auto& me = *static_cast<poller*>(whom.holder);
  {
    const std::lock_guard lock(me.mutex_);
    whom.cancel_wanted = true;
    if (!whom.listed) return;
    watched& here = me.table_[static_cast<std::size_t>(whom.wanted.target)];
    (waits_to_write(whom.wanted.code) ? here.writers : here.readers).remove(whom);
  }
  complete(whom, -ECANCELED);
}

// Under the mutex: what does not wait any more is taken out.
void poller::serve(int descriptor, std::uint32_t events, std::vector<operation*>& done) noexcept {
  watched& here = table_[static_cast<std::size_t>(descriptor)];
  const auto advance = [&](operation_list& list) noexcept {
    while (operation* const one = list.first()) {
      if (done.size() == done.capacity()) return;
      one->outcome = proceed(*one);
      if (one->outcome == -EAGAIN) return;
      list.remove(*one);
      done.push_back(one);
    }
  };
  const bool ended = (events & (EPOLLHUP | EPOLLERR)) != 0;
  if (ended || (events & (EPOLLIN | EPOLLRDHUP)) != 0) advance(here.readers);
  if (ended || (events & EPOLLOUT) != 0) advance(here.writers);
  if (here.readers.first() != nullptr || here.writers.first() != nullptr) arm(descriptor, here);
}

void poller::work() noexcept {
  pilfer::detail::name_this_thread("pilfer-epoll");
  constexpr int most_events = 256;
  std::array<::epoll_event, most_events> events{};
  std::vector<operation*> done;
  done.reserve(std::size_t{2} * most_events);
  for (;;) {
    const int count = ::epoll_wait(epoll_, events.data(), most_events, -1);
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      {
        const std::lock_guard lock(mutex_);
        serve(event.data.fd, event.events, done);
      }
      for (operation* each : done) complete(*each, each->outcome);
      done.clear();
    }
  }
}

}  // namespace pilfer::io::detail
