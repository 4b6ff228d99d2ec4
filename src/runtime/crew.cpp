#include "crew.hpp"

#include <exception>
#include <new>
#include <utility>

namespace pilfer::detail {

crew::crew(roster& workers, std::size_t places, const traits& wanted, maker make, life live)
    : places_(places), traits_(wanted), make_(std::move(make)), live_(std::move(live)), workers_(workers) {}

void crew::start() {
  const std::lock_guard lock(mutex_);
  worker* const first = add_worker();
  if (first == nullptr) throw std::bad_alloc();  // a caller has a seat, come what may
  free_seats_.push_back(first);
  const std::size_t places = places_.count();
  for (std::size_t i = traits_.callers_work ? 1 : 0; i < places; ++i) {
    if (!start_thread()) {
      missing_ += places - i;
      break;
    }
  }
}

worker* crew::add_worker() {
  const std::size_t index = workers_.known();
  if (index == roster::most_workers) return nullptr;
  try {
    free_seats_.reserve(index + 1);  // so that nothing can fail where a place is given back
    return &workers_.add(make_(static_cast<unsigned>(index)));
  } catch (const std::bad_alloc&) {
    return nullptr;
  } catch (const std::exception&) {  // no free signal: says the first worker, where a caller hears it
    if (index == 0) throw;
    return nullptr;
  }
}

worker* crew::find_seat(std::size_t kept) {
  if (free_seats_.size() <= kept) return add_worker();
  worker* const seat = free_seats_.back();
  free_seats_.pop_back();
  return seat;
}

bool crew::start_thread() {
  if (threads_.size() >= traits_.most_threads) return false;
  // A worker that was made for a thread which could not be created stays a seat for callers, or for the next thread.
  worker* const self = find_seat(1);
  if (self == nullptr) return false;
  self->set_thread(true);
  try {
    threads_.reserve(threads_.size() + 1);
    places_.count_active(1);
    places_.count_call(1);
    threads_.push_back(std::make_unique<system_thread>(traits_.stack_bytes, [this, self] { live_(*self); }));
    has_threads_.store(true, orders::relaxed);  // hint
    return true;
  } catch (const std::exception&) {  // EAGAIN: no thread; or no memory
    places_.count_active(-1);
    places_.count_call(-1);
    self->set_thread(false);
    free_seats_.push_back(self);
    return false;
  }
}

bool crew::start_another() noexcept {
  if (is_stopping() || start_thread()) return true;
  ++missing_;
  return false;
}

crew::size crew::count() const noexcept {
  const std::lock_guard lock(mutex_);
  return {.active = places_.active(), .threads = threads_.size(), .missing = missing_};
}

bool crew::offer_place(vacancy place) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_stopping()) return true;
  if (place == vacancy::for_spares) return !places_.has_vacancy() || places_.call_spare();
  return places_.offer_locked([this]() noexcept { return start_another(); });
}

bool crew::has_threads() noexcept {
  if (has_threads_.load(orders::relaxed)) return true;  // hint: once there is one, there is one to the end
  const std::lock_guard lock(mutex_);
  return !threads_.empty() || start_thread();
}
bool crew::has_hands() const noexcept {
  const std::lock_guard lock(mutex_);
  return !threads_.empty() || places_.active() > 0 || places_.anyone_rests();
}

void crew::resize(std::size_t places) {
  const std::lock_guard lock(mutex_);
  places_.resize(places);
  // As many as start() would have started: one place is a caller's, also when none is inside.
  const auto enough = static_cast<std::ptrdiff_t>(callers_ == 0 && traits_.callers_work ? places - 1 : places);
  while (places_.active() < enough) {  // a worker that sleeps in a wait comes back by itself
    if (places_.call_spare()) continue;
    if (!start_thread()) {
      ++missing_;
      break;
    }
  }
}

bool crew::retire(worker& self) noexcept {
  if (!is_surplus()) return false;
  const std::lock_guard lock(mutex_);
  if (is_stopping() || !is_surplus()) return false;
  places_.retire(self.crew);
  return true;
}

pool_places::vacated crew::begin_block(worker& self, const pool_places::block& how) noexcept {
  return places_.begin_block(self.crew, how, [this]() noexcept { return start_another(); });
}

worker* crew::take_seat(bool always) {
  const std::lock_guard lock(mutex_);
  if (!always && (!traits_.callers_work || callers_ >= places_.count())) return nullptr;
  worker* const seat = find_seat(0);
  if (seat == nullptr) return nullptr;
  ++callers_;
  places_.count_active(1);
  return seat;
}

crew::vacated_seat crew::leave_seat(worker& seat) noexcept {
  const std::lock_guard lock(mutex_);
  --callers_;
  places_.count_active(-1);
  free_seats_.push_back(&seat);
  return {.anyone_spare = places_.has_spares(), .may_strand = places_.anyone_blocked() && places_.has_vacancy()};
}

void crew::stop() noexcept {
  const std::lock_guard lock(mutex_);
  stopping_.store(true, orders::stop.rel);
  places_.call_spares();
}

void crew::join() noexcept {
  for (const auto& thread : threads_) thread->join();
}

}  // namespace pilfer::detail
