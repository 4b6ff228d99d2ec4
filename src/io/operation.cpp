// How an operation begins.
#include <pilfer/io/operation.hpp>

#include <cerrno>

#include <pilfer/pool.hpp>

#include "../runtime/current_worker.hpp"
#include "source.hpp"
#include "system_calls.hpp"

namespace pilfer::io::detail {

namespace {

// A coroutine whose operations never have to wait lets the others have a turn after so many.
constexpr unsigned inline_in_a_row = 128;
thread_local unsigned inline_so_far = 0;

// What costs no more than it would cost to ask for it. Sockets mostly have nothing to receive yet, nobody to accept.
bool worth_an_attempt(opcode code) noexcept {
  return code == opcode::read || code == opcode::open || code == opcode::stat || code == opcode::send;
}

}  // namespace

bool operation::begin(std::coroutine_handle<> waiting, const std::stop_token* token) {
  waiter.what = waiting;
  stop = token;
  if (wanted.code == opcode::close) {
    outcome = perform(wanted);
    return false;
  }
  if (stop != nullptr && stop->stop_requested()) {
    outcome = -ECANCELED;
    return false;
  }
  pilfer::detail::worker* const self = pilfer::detail::current_worker();
  pilfer::detail::runtime& home = self != nullptr ? self->home : pilfer::detail::access::of(default_pool());
  source& by = source_of(home);
  waiter.where = pilfer::detail::place_in(home);
  if (worth_an_attempt(wanted.code) && by.wanted().attempt_inline) {
    outcome = attempt(wanted);
    if (outcome != -EAGAIN) {
      by.note_inline(self);
      if (++inline_so_far % inline_in_a_row != 0 || self == nullptr) return false;
      pilfer::detail::resume_later(waiter, waiting);
      return true;
    }
  }
  return by.start(self, *this);
}

}  // namespace pilfer::io::detail
