// Sockets. As with files: awaited, cancelled by the coroutine's stop_token, buffers live until the end.
//
//   auto listener = pilfer::io::listen(pilfer::io::address("127.0.0.1:0")).value();
//   for (;;) {
//     auto peer = co_await pilfer::io::accept(listener);
//     if (!peer) break;
//     group.spawn(talk(std::move(*peer)));
//   }
//
// On one socket, one coroutine may receive while another sends. Several may accept at a time.
#pragma once

#include <cstddef>
#include <span>

#include <pilfer/coro/task.hpp>
#include <pilfer/io/address.hpp>
#include <pilfer/io/descriptor.hpp>
#include <pilfer/io/operation.hpp>
#include <pilfer/io/result.hpp>

namespace pilfer::io {

namespace detail {

class [[nodiscard]] connecting : public operation {
 public:
  connecting(const address& to, bool no_delay) noexcept
      : operation({.code = opcode::connect, .flags = no_delay ? 1 : 0, .data = &to_}), to_(to) {}
  ~connecting() {
    if (wanted.target >= 0) close_descriptor(wanted.target);  // it was not awaited
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): only its base was moved
  connecting(connecting&& from) noexcept : operation(std::move(from)), to_(from.to_) {
    from.wanted.target = -1;  // NOLINT(bugprone-use-after-move): the base is copied
    wanted.data = &to_;
  }
  [[nodiscard]] result<socket> await_resume() noexcept {
    if (outcome < 0) return error_of(outcome);
    return socket(std::exchange(wanted.target, -1));
  }

 private:
  address to_;
};

}  // namespace detail

inline detail::awaitable<socket> accept(const socket& listener) {
  return detail::awaitable<socket>({.code = detail::opcode::accept, .target = listener.native()});
}
struct connect_options {
  bool no_delay = true;  // TCP_NODELAY
};
inline detail::connecting connect(const address& to, const connect_options& options = {}) {
  return {to, options.no_delay};
}

// Some bytes; 0: the other side has ended its sending.
inline detail::awaitable<std::size_t> receive(const socket& from, std::span<std::byte> into) {
  return detail::transfer(detail::opcode::receive, from.native(), into);
}
// Some of it. No SIGPIPE: EPIPE.
inline detail::awaitable<std::size_t> send(const socket& to, std::span<const std::byte> from) {
  return detail::transfer(detail::opcode::send, to.native(), from);
}
// Until the buffer is full or the other side has ended.
task<result<std::size_t>> receive_exactly(const socket& from, std::span<std::byte> into);
// All of it.
task<result<std::size_t>> send_all(const socket& to, std::span<const std::byte> from);

inline detail::closing close(socket what) { return detail::closing(std::move(what)); }

}  // namespace pilfer::io
