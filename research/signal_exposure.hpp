// Requests by signal: a thief interrupts the owner of a lane, whose handler exposes work.
//
// One real-time signal serves all pools of the process. It is installed when the first of them begins and given back when
// the last one ends; a program's own handlers are left alone, because only a signal with the default action is taken.
// PILFER_SIGNAL=N names one instead.
//
// A thread may own lanes of several pools at a time. The handler goes through all of them and exposes in those that were
// asked, so that a signal for one lane never disturbs another, and a signal that comes late, or from somebody else, does
// nothing.
//
// State        writer                    reader    meaning
//   targeted_  request; anybody          thieves   a request is out: no further signal until it was answered
//   wanted_    request; handler, owner   handler   a signal is on its way to this lane's owner
//   bound_     owner                     thieves   there is an owner; an unbind waits for a thief that saw one
//   thread_, signal_   owner             thieves   to whom a signal goes; changes only while nothing is bound
//   target_, outer_   owner              handler   what the handler calls; the lane that was bound before on this thread
//
// What a handler reads is written by its own thread before the lane is linked, with a signal fence between.
//
// Edges
//   owned      bind: store of bound_         -> request: load of bound_      thread_ and signal_ are its
//   answer     answered: store of targeted_  -> request: load of targeted_   what was exposed comes before the next request
//   want       request: store of wanted_     -> handle: load of wanted_      the request's side is visible to the handler
//   handler    signal fences: the owner's stores in program order, as its own handler sees them
#pragma once

#include <csignal>
#include <cstdint>
#include <mutex>

#include <pthread.h>

#include <pilfer/ext/sync.hpp>

namespace pilfer::research {

struct signal_orders {
  static constexpr ext::edge owned{};
  static constexpr ext::edge answer{};
  static constexpr ext::edge want{};
  static constexpr auto handler = std::memory_order_seq_cst;
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// What a lane's handler calls. Must be async-signal-safe, and correct at any instruction of the owner.
struct exposure_target {
  void (*expose)(void* queue) noexcept;
  void* queue;
};

// Holds the signal: one per pool that wants it.
//   Throws    std::invalid_argument if PILFER_SIGNAL is no real-time signal; std::runtime_error if the one it names is
//             taken, or if none is free.
class signal_exposure {
 public:
  signal_exposure();
  ~signal_exposure();
  signal_exposure(const signal_exposure&) = delete;
  signal_exposure& operator=(const signal_exposure&) = delete;

  [[nodiscard]] int signal_number() const noexcept { return signal_; }

 private:
  int signal_;
};

// One per lane: to which thread a request goes. Must not be destroyed while it is bound.
class alignas(ext::isolation_bytes) signal_mailbox {
 public:
  signal_mailbox() = default;
  signal_mailbox(const signal_mailbox&) = delete;
  signal_mailbox& operator=(const signal_mailbox&) = delete;

  // The calling thread owns the lane from now on, and lets the signal in. Lanes that it owns already stay bound.
  //   Requires  a signal_exposure that lives until unbind; that the mailbox is not bound.
  void bind(const exposure_target& target) noexcept;
  // By the same thread, in any order. No signal for this lane is sent to it afterwards, and one that comes late does
  // nothing. The thread's signal mask is as it was before its first lane.
  void unbind() noexcept;

  // By a thief: sends the signal, unless a request is out, another thief is just sending one, or nobody owns the lane.
  // True if it was sent. Never waits. Not in a signal handler.
  bool request() noexcept;
  // The request was answered, or is no longer worth anything: the next one sends a signal again. For whoever knows:
  // `expose` itself, the owner at its next push, the thief that took something. The handler does not, because a signal
  // that found nothing to expose would only be followed by the next.
  void answered() noexcept { targeted_.store(0, signal_orders::answer.rel); }

  // Called by the signal's handler alone.
  static void handle() noexcept;

 private:
  using word = ext::native_sync::atomic<std::uint32_t>;

  word targeted_{0, "targeted"};
  word wanted_{0, "wanted"};
  word bound_{0, "bound"};
  std::mutex sending_;
  bool blocks_afterwards_ = false;  // the thread had the signal blocked: the last unbind blocks it again
  int signal_ = 0;
  pthread_t thread_{};
  exposure_target target_{};
  ext::native_sync::atomic<signal_mailbox*> outer_{nullptr, "outer"};
};

}  // namespace pilfer::research
