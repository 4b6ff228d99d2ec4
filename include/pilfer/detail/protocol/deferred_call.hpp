// A worker without other work that reaps a single completion calls no sleeper for it: the completion is its own next job.
//
// Events   R1 reap one completion: push it, and call no sleeper   R2 look for work   R3 begin what was found
// Claim    After R3 the completion has been taken out of the queue, or a sleeper was called for it.
// Reason   Between R1 and R3 the worker does not sleep. If R2 has found another job (one from outside, say), R3 finds the queue not
//          empty, and makes the call that R1 has deferred, as if it had pushed the completion just now. Of two completions the worker
//          takes one, and calls a sleeper for the other at once.
//
// State        writer       reader       meaning
//   defers_    its worker   the same     what it pushes now is a completion that it reaps
//   is_due_    its worker   the same     a completion was pushed, and no sleeper was called for it
//
// Invariants
//   I1  is_due_ is taken back only by R3: a reap that brings nothing changes nothing.
//   I2  The worker looks for work after R1, and does not sleep before it has found its own queue empty.
//
// Sources   ours. There is no edge: all of it is one worker's, and the call is the parking's.
#pragma once

#include <cstddef>
#include <utility>

namespace pilfer::detail {

class deferred_call {
 public:
  // Asked by each push of a task. Returns true if the push calls no sleeper.
  [[nodiscard]] bool defers() const noexcept { return defers_; }

  // R1. `reap` pushes what has come and returns how many there were; `call` calls a sleeper.
  template <class Reap, class Call>
  std::size_t reap(Reap&& reap, Call&& call) noexcept {
    defers_ = true;
    const std::size_t came = reap();
    defers_ = false;
    if (came == 1) is_due_ = true;
    if (came > 1) call();
    return came;
  }

  // R3. Returns true if a sleeper is to be called. `has_items`: Does the worker's own queue hold anything?
  template <class HasItems>
  [[nodiscard]] bool is_due(HasItems&& has_items) noexcept {
    return std::exchange(is_due_, false) && has_items();
  }

 private:
  bool defers_ = false;
  bool is_due_ = false;
};

}  // namespace pilfer::detail
