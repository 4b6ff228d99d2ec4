#include "visitors.hpp"

#include <chrono>
#include <new>

#include "current_worker.hpp"
#include "runtime.hpp"

namespace pilfer::detail {

latch_sleeper& guest_beds::borrow() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    free_.reserve(all_.size() + 1);  // so that it can be given back, come what may
    all_.push_back(std::make_unique<latch_sleeper>());
    return *all_.back();
  }
  latch_sleeper& bed = *free_.back();
  free_.pop_back();
  return bed;
}
void guest_beds::give_back(latch_sleeper& bed) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(&bed);
}

worker* visitors::enter(bool always) {
  worker* const seat = told_.members.take_seat(always);
  if (seat == nullptr) return nullptr;
  bind(*seat);
  seat->note(activity::runs);
  told_.ready.enter(*seat);
  return seat;
}

// What a caller leaves behind any worker may run; if there is none, and no thread can be made, it is run now.
void visitors::empty(worker& seat) noexcept {
  for (;;) {
    told_.ready.give_away(seat);  // also what only the owner of the queue can see
    if (!told_.ready.has_injected() || told_.members.has_threads()) return;
    while (job* const each = told_.ready.outside().take(seat.counts.injected)) told_.runs.run_nested(seat, *each);
  }
}

void visitors::leave(worker& seat) noexcept {
  if (seat.tasks.exist() && (seat.tasks.has_items() || seat.tasks.hide_some() || told_.ready.has_injected())) {
    empty(seat);
  }
  told_.ready.leave(seat);
  unbind(seat);
  seat.note(activity::nothing);
  const auto left = told_.members.leave_seat(seat);
  if (told_.ready.has_injected() ||
      (left.may_strand && (told_.sleep.anything_to_do(seat) || told_.completions.are_outstanding(seat)))) {
    const bool taken = told_.members.offer_place(crew::vacancy::for_anyone);
    // What came after the seat was emptied, where there is no thread: the caller was the only one to run it.
    if (!taken && told_.ready.has_injected() && !told_.members.has_hands()) {
      if (worker* const again = enter(true)) leave(*again);
    }
  } else if (left.anyone_spare) {
    told_.members.offer_place(crew::vacancy::for_spares);
  }
}

namespace {

// A job that a caller has given to a pool, and that lies in the caller's frame.
class awaited_call final : public sleepable {
 public:
  awaited_call(forked_job& work, latch_sleeper& bed, const runtime& home) noexcept
      : work_(work), bed_(bed), home_(home) {}
  [[nodiscard]] bool is_done() const noexcept override { return latch_of(work_).is_done(); }
  [[nodiscard]] latch_sleeper& bed() noexcept override { return bed_; }
  void sleep(std::chrono::nanoseconds limit) noexcept override {
    if (latch_of(work_).wait_for(bed_)) static_cast<void>(bed_.sleep_once(limit));
  }
  [[nodiscard]] wait_target target() const noexcept override {
    return {.what = wait_target::kind::call, .object = &work_, .home = &home_};
  }
  [[nodiscard]] failing may_fail() const noexcept override { return failing::never; }

 private:
  forked_job& work_;
  latch_sleeper& bed_;
  const runtime& home_;
};

}  // namespace

bool visitors::run_elsewhere(forked_job& work) {
  if (!told_.members.has_threads()) return false;
  latch_sleeper& bed = beds_.borrow();
  work.scope = nullptr;
  work.level = level_from_outside(told_.ready.levels()).bits();
  told_.ready.inject(nullptr, work);
  told_.members.offer_place(crew::vacancy::for_anyone);
  awaited_call what(work, bed, told_.home);
  static_cast<void>(rest_until_done(what, std::chrono::nanoseconds{-1}));
  beds_.give_back(bed);
  return true;
}

visit::visit(runtime& to, place wanted) : home_(to) {
  if (worker* const own = own_worker_in(to)) {
    seat_ = own;
    again_.emplace(*own);
    return;
  }
  if (to.callers_work || wanted == place::at_any_price) seat_ = to.visitors.enter(wanted != place::if_free);
  if (seat_ == nullptr && wanted == place::at_any_price) throw std::bad_alloc();
}
visit::~visit() {
  if (!again_ && seat_ != nullptr) home_.visitors.leave(*seat_);
}

}  // namespace pilfer::detail
