#include <pilfer/coro/sync_wait.hpp>

#include <chrono>
#include <utility>

#include <pilfer/detail/resume.hpp>

#include "../runtime/current_worker.hpp"
#include "../runtime/rest.hpp"
#include "../runtime/runtime.hpp"

namespace pilfer::detail {

namespace {

constexpr unsigned rounds_before_sleep =
    1000;  // some microseconds: less than it takes to give a place away and take it back

bool is_soon_done(const completion<ext::default_sync>& done) noexcept {
  for (unsigned round = 0; round < rounds_before_sleep; ++round) {
    if (done.is_done()) return true;
    ext::default_sync::pause();
  }
  return false;
}

}  // namespace

coro_wait::coro_wait(runtime& home)
    : stop_(current_worker() != nullptr ? current_stop_token() : home.stop.token_for(this)) {
  if (const worker* const self = current_worker(); self != nullptr && &self->home != &home) {
    both_.emplace(stop_, home.stop.token_for(this));
  }
}

void coro_wait::run(runtime& home, std::coroutine_handle<> root) {
  constexpr std::chrono::nanoseconds no_limit{-1};
  worker* const self = own_worker_in(home);
  worker* seat = self == nullptr ? seat_for_wait(home) : nullptr;
  if (self != nullptr) {
    const reentry here(*self);
    resume_here(root);
    if (done_.is_done() || (home.has_company() && is_soon_done(done_))) {
      done_.leave();
      return;
    }
  } else if (seat != nullptr) {
    resume_here(root);
    if (done_.is_done() || home.crew.has_threads()) home.visitors.leave(*std::exchange(seat, nullptr));
  } else {
    begin_.where = place_in(home);
    resume_later(begin_, root);
  }
  // Not with an error: the coroutine refers to what the caller would destroy.
  awaited_completion what(done_, {.what = wait_target::kind::coroutine, .object = this, .home = &home}, failing::never);
  static_cast<void>(rest_until_done(what, no_limit));
  if (seat != nullptr) home.visitors.leave(*seat);
}

std::coroutine_handle<> coro_wait::on_end(coro_promise_base& ended) noexcept {
  static_cast<coro_wait*>(ended.owner())->done_.finish();
  return std::noop_coroutine();
}

}  // namespace pilfer::detail
