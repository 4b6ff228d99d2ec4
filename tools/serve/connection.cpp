#include "tools/serve/connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <span>

#include <pilfer/coro.hpp>
#include <pilfer/io/file.hpp>
#include <pilfer/io/socket.hpp>

namespace pilfer::serve {
namespace {

constexpr std::size_t kept_memory = 64 << 10;     // of a buffer, while a connection is idle
constexpr std::size_t kept_at_the_end = 4 << 10;  // for the next client: there may have been very many
constexpr std::size_t piece_size = 64 << 10;      // of a file
constexpr std::size_t most_lingering = 1 << 20;
constexpr unsigned rounds_at_a_time = 64;  // then others get their turn: a client may always have something to say

constexpr unsigned phase_shift = 32;

std::int32_t limit_of(phase what, const time_limits& times) {
  const auto in_ms = [](std::chrono::milliseconds limit) { return static_cast<std::int32_t>(limit.count()); };
  switch (what) {
    case phase::idle: return in_ms(times.idle);
    case phase::head: return in_ms(times.head);
    case phase::body: return in_ms(times.body);
    case phase::sending: return in_ms(times.send);
    case phase::lingering: return in_ms(times.linger);
    case phase::busy: break;
  }
  return INT32_MAX;
}

}  // namespace

connection::connection(surroundings& around)
    : around_(around), parser_(around.given.sizes), chunks_(around.given.sizes) {}

void connection::begin(io::socket with) noexcept {
  socket_ = std::move(with);
  in_.clear();
  out_.clear();
  finish_request();
  counts_ = {};
  counts_.connections = 1;
  closes_ = false;
  late_.store(false, std::memory_order_relaxed);  // nobody else knows it yet
  watch(phase::idle, now());
}

void connection::end() noexcept {
  if (late_.load(std::memory_order_relaxed)) ++counts_.timed_out;  // nobody sweeps it any more
  socket_.reset();
  file_ = found_file();
  in_.clear();
  out_.clear();
  in_.shrink(kept_at_the_end);
  out_.shrink(kept_at_the_end);
}

std::uint32_t connection::now() const noexcept {
  return around_.now_ms.load(std::memory_order_relaxed);  // a clock: orders nothing
}

void connection::watch(phase what, std::uint32_t since) noexcept {
  const std::uint64_t word = static_cast<std::uint64_t>(what) << phase_shift | since;
  watched_.store(
      word, std::memory_order_relaxed);  // a hint to who sweeps: what it does with it ends a wait, at worst too early
}

void connection::check(std::uint32_t now_ms) noexcept {
  const std::uint64_t word = watched_.load(std::memory_order_relaxed);  // a hint, see watch
  const auto what = static_cast<phase>(word >> phase_shift);
  // It may have begun a moment after `now_ms` was read: then less than nothing.
  const auto waited = static_cast<std::int32_t>(now_ms - static_cast<std::uint32_t>(word));
  if (what == phase::busy) return;
  if (what == phase::idle && around_.stopping.load(std::memory_order_relaxed)) {  // seen by a later sweep otherwise
    ::shutdown(socket_.native(), SHUT_RD);
    return;
  }
  if (waited < limit_of(what, around_.given.times)) return;
  if (what == phase::head || what == phase::body || what == phase::sending)
    late_.store(true, std::memory_order_relaxed);  // carried by the shutdown, which the coroutine sees as an end
  const bool receives = what == phase::idle || what == phase::head || what == phase::body;
  ::shutdown(socket_.native(), receives ? SHUT_RD : SHUT_RDWR);
}

void connection::cut() noexcept { ::shutdown(socket_.native(), SHUT_RDWR); }

void connection::watch_receiving() noexcept {
  if (in_.empty()) {
    began_ = false;
    watch(phase::idle, now());
  } else if (!began_) {
    began_ = true;
    since_ms_ = now();
    watch(phase::head, since_ms_);
  } else {
    watch(has_head_ ? phase::body : phase::head, since_ms_);
  }
}

task<> connection::run() {
  unsigned rounds = 0;
  for (;;) {
    const step next = work();
    if (next == step::file) {
      if (!co_await send_file()) co_return;
      if (closes_) break;
      continue;
    }
    if (!out_.empty()) {
      watch(phase::sending, now());
      do {
        const io::result<std::size_t> sent = co_await io::send(socket_, out_.bytes());
        if (!sent) {
          ++counts_.broken_off;
          co_return;
        }
        counts_.bytes_out += *sent;
        out_.take(*sent);
      } while (!out_.empty());
    }
    if (next == step::close) break;
    if (++rounds % rounds_at_a_time == 0) {
      watch(phase::busy, now());
      co_await pilfer::yield();
    }
    if (next == step::flush) continue;
    if (in_.empty()) {
      if (around_.stopping.load(std::memory_order_relaxed)) co_return;  // if not seen here, the sweep ends the wait
      in_.shrink(kept_memory);
      out_.shrink(kept_memory);
    }
    watch_receiving();
    const std::size_t wanted =
        has_head_ && !parser_.head().chunked ? parser_.head_size() + parser_.head().length - in_.size() : 1;
    const std::span<std::byte> room = std::as_writable_bytes(in_.room(wanted));
    const io::result<std::size_t> got = co_await io::receive(socket_, room);
    if (!got) {
      ++counts_.broken_off;
      co_return;
    }
    if (*got == 0) {
      at_end_of_input();
      if (out_.empty()) co_return;
      in_.clear();
      break;
    }
    counts_.bytes_in += *got;
    in_.add(*got);
  }
  co_await linger();
}

void connection::at_end_of_input() {
  const bool late = late_.load(std::memory_order_relaxed);  // carried by the shutdown, see check
  if (in_.empty()) return;
  closes_ = true;
  ++counts_.broken_off;
  if (around_.stopping.load(std::memory_order_relaxed) && !late) return;  // cut: nobody waits for an answer
  answer_with_message(fields_for(late ? status::timed_out : status::bad_request));
}

task<> connection::linger() {
  watch(phase::sending, now());
  while (!out_.empty()) {
    const io::result<std::size_t> sent = co_await io::send(socket_, out_.bytes());
    if (!sent) co_return;
    counts_.bytes_out += *sent;
    out_.take(*sent);
  }
  watch(phase::lingering, now());
  ::shutdown(socket_.native(), SHUT_WR);
  std::size_t dropped = 0;
  in_.clear();
  while (dropped < most_lingering) {
    const std::span<std::byte> room = std::as_writable_bytes(in_.room(1));
    const io::result<std::size_t> got = co_await io::receive(socket_, room);
    if (!got || *got == 0) co_return;
    dropped += *got;
  }
}

task<bool> connection::send_file() {
  std::uint64_t at = 0;
  while (at < file_.size) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece_size, file_.size - at));
    const std::span<std::byte> room = std::as_writable_bytes(out_.room(wanted).first(wanted));
    watch(phase::busy, now());  // the disk is slow, not the client
    const io::result<std::size_t> got = co_await io::read(file_.descriptor(), room, at);
    if (!got || *got == 0) {  // it has become shorter: all we can do is to break off
      ++counts_.broken_off;
      cut();
      co_return false;
    }
    out_.add(*got);
    at += *got;
    if (at == file_.size && out_.size() < flush_at && !closes_) break;  // leaves together with what follows
    watch(phase::sending, now());
    while (!out_.empty()) {
      const io::result<std::size_t> sent = co_await io::send(socket_, out_.bytes());
      if (!sent) {
        ++counts_.broken_off;
        co_return false;
      }
      counts_.bytes_out += *sent;
      out_.take(*sent);
    }
  }
  file_ = found_file();
  co_return true;
}

}  // namespace pilfer::serve
