#include "tools/serve/server.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <pilfer/coro.hpp>
#include <pilfer/coro/timer.hpp>
#include <pilfer/io/socket.hpp>

namespace pilfer::serve {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds shortest_round{5};
constexpr milliseconds longest_round{250};
constexpr milliseconds between_looks_at_the_end{10};
constexpr milliseconds until_next_accept{20};  // when there is no descriptor left, or no memory

// How often clients are looked at. A wait begins at a time that may be two rounds old (sweep_clock), and its end is seen up to a round late:
// with rounds of a sixteenth of the shortest limit, nobody gets more than an eighth above or below it.
milliseconds round_for(const time_limits& times) {
  const milliseconds least = std::min({times.head, times.body, times.idle, times.send, times.linger});
  return std::clamp(least / 16, shortest_round, longest_round);
}

void require(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

}  // namespace

server::server(pool& home, const settings& given)
    : home_(home), around_(given), connections_(around_), clock_(clock::now(), round_for(given.times)), group_(home) {
  require(given.sizes.line >= 16 && given.sizes.line < given.sizes.head, "serve: a head has room for its first line");
  require(given.sizes.head <= UINT32_MAX && given.sizes.body <= UINT32_MAX, "serve: heads and bodies are below 4 GiB");
  require(given.connections > 0, "serve: a server has connections");
  const time_limits& times = given.times;
  const auto [least, most] = std::minmax({times.head, times.body, times.idle, times.send, times.linger, times.grace});
  require(least > milliseconds(0) && most <= std::chrono::hours(24),
          "serve: limits of time are positive, and a day at most");
  if (!given.root.empty()) {
    files_ = std::make_unique<static_files>(given.root, given.walks);
    around_.files = files_.get();
  }
}

server::~server() {
  stop_now();
  try {
    static_cast<void>(wait());
  } catch (...) {  // NOLINT(bugprone-empty-catch): who wants to know it calls wait()
  }
}

void server::start(const io::address& at) {
  remove_stale_socket(at);
  io::result<io::socket> listener = io::listen(at);
  if (!listener) throw std::system_error(listener.error(), at.text());
  listener_ = std::move(*listener);
  file_ = socket_file(at);
  where_ = io::local_address(listener_).value();
  // They end with our own token; what they start does not: connections end in order.
  group_.spawn(pilfer::with_stop(stop_.get_token(), accept_clients()));
  group_.spawn(pilfer::with_stop(stop_.get_token(), look_after()));
}

void server::stop() noexcept {
  around_.stopping.store(true, std::memory_order_relaxed);  // seen soon enough: wait() keeps sweeping
  stop_.request_stop();
}

void server::stop_now() noexcept {
  cut_.store(true, std::memory_order_relaxed);  // seen by wait(), soon enough
  stop();
}

counts server::wait() {
  while (!stop_.stop_requested() && !group_.wait_for(milliseconds(100))) {
  }
  const clock::time_point end = clock::now() + around_.given.times.grace;
  do {
    sweep();
    // Relaxed: a flag, looked at again and again.
    if (cut_.load(std::memory_order_relaxed) || clock::now() >= end) connections_.cut_all();
  } while (!group_.wait_for(between_looks_at_the_end) || !connections_.are_over(between_looks_at_the_end));
  group_.wait();  // throws what has gone wrong
  file_.remove();
  listener_.reset();
  return connections_.total();
}

void server::sweep() noexcept {
  const std::lock_guard lock(clock_guard_);
  const std::uint32_t now_ms = clock_.move(clock::now());
  around_.now_ms.store(now_ms, std::memory_order_relaxed);  // a clock: orders nothing
  connections_.sweep(now_ms);
}

task<> server::look_after() {
  const milliseconds round = round_for(around_.given.times);
  try {
    for (;;) {
      sweep();
      co_await pilfer::sleep_for(round);
    }
  } catch (const task_cancelled&) {  // NOLINT(bugprone-empty-catch): that is how it ends
  }
}

task<> server::talk(connection& with) {
  try {
    co_await with.run();
  } catch (...) {  // no memory: that client is lost, the others are not
    with.cut();
  }
  connections_.close(with);
}

task<> server::accept_clients() {
  try {
    for (;;) {
      io::result<io::socket> client = co_await io::accept(listener_);
      if (client && welcome(std::move(*client))) continue;
      if (client.error().value() == ECANCELED) co_return;
      if (client.error().value() != ECONNABORTED) co_await pilfer::sleep_for(until_next_accept);
    }
  } catch (const task_cancelled&) {  // NOLINT(bugprone-empty-catch): that is how it ends
  }
}

bool server::welcome(io::socket client) noexcept {
  connection* one = nullptr;
  try {
    one = connections_.open(client);
    if (one == nullptr) {
      turn_away(client);
    } else {
      // Not in the group: its end is a matter of order, and no wait has to be registered with a token.
      home_.detach(talk(*one));
    }
    return true;
  } catch (...) {
    if (one != nullptr) connections_.close(*one);
    return false;
  }
}

// As far as it goes without waiting.
void server::turn_away(const io::socket& client) noexcept {
  connections_.count_turned_away();
  try {
    byte_buffer answer;
    append_message(answer, {.what = status::overloaded, .closes = true}, false);
    static_cast<void>(::send(client.native(), answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    ::shutdown(client.native(), SHUT_WR);
    // What it has sent already would turn the close into a reset, and the answer would be lost.
    std::array<char, 4096> dropped;
    static_cast<void>(::recv(client.native(), dropped.data(), dropped.size(), MSG_DONTWAIT));
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory, no answer
  }
}

}  // namespace pilfer::serve
