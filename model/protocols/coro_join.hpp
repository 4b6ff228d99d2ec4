// Coroutines that run in parallel find each other again.
//
// Scripts    owner (the parent): p write to its frame and wait for its child, e look whether the child has ended, and wait if not. Thieves
//            (children): s end the forked child; M end as one of several that are counted.
// Properties the parent goes on once, when its child, or all that are counted, have ended; whoever goes on sees what they have written and
//            the parent's frame; nobody touches anything of the parent's any more.
#pragma once

#include <array>

#include <pilfer/detail/protocol/coro_join.hpp>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class coro_fault : std::uint8_t {
  none,
  touched_after,  // a child looks at the join once more
};

template <coro_fault Fault = coro_fault::none>
class coro_scenario {
  static constexpr std::size_t most = 3;

 public:
  explicit coro_scenario(const verify::run& what) : run_(&what) {
    void* const room = model_sync::allocate(sizeof(frame), alignof(frame));
    parent_ = new (room) frame;
    std::uint32_t counted = 0;
    for (const std::string& script : what.thieves) counted += script == "M" ? 1 : 0;
    parent_->several.begin(counted);
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      switch (script[i]) {
        case 'p': join(false); break;
        case 'e': join(true); break;
        case 's': end_forked(*parent_, number - 1); break;
        case 'M': end_counted(*parent_, number - 1); break;
        default: break;
      }
    }
  }
  void finish() { require(went_on_ == 1, "the parent went on once"); }

 private:
  static constexpr std::uintptr_t me = 2;
  struct frame {
    pilfer::detail::coro_join<model_sync, coro_variable> one;
    pilfer::detail::coro_countdown<model_sync, coro_variable> several;
    model_sync::cell<int> locals;
    std::array<model_sync::cell<int>, most> results;
  };

  void join(bool looks) {
    frame& mine = *parent_;
    mine.locals.set(1);
    if (looks && mine.one.is_done()) {
      go_on();
      return;
    }
    if (!mine.one.wait_with(me)) go_on();
  }
  void end_forked(frame& of, std::size_t number) {
    of.results[number].set(1);
    if (of.one.finish() == me) {
      go_on();
      return;
    }
    if constexpr (Fault == coro_fault::touched_after) static_cast<void>(of.one.is_done());
  }
  void end_counted(frame& of, std::size_t number) {
    of.results[number].set(1);
    if (of.several.arrive()) {
      go_on();
      return;
    }
    if constexpr (Fault == coro_fault::touched_after) static_cast<void>(of.one.is_done());
  }
  void go_on() {
    frame& mine = *parent_;
    if (!run_->owner.empty()) require(mine.locals.get() == 1, "its frame is there");
    for (std::size_t i = 0; i < run_->thieves.size(); ++i) require(mine.results[i].get() == 1, "the result is there");
    ++went_on_;
    mine.~frame();
    model_sync::deallocate(parent_, alignof(frame));
  }

  const verify::run* run_;
  frame* parent_;
  int went_on_ = 0;
};

}  // namespace pilfer::model::protocols
