// Leapfrogging keeps no stranger: a waiter steals from the thief that runs its job, and keeps what it got only if that job
// still runs.
//
// Scripts    thread 0 is the thief: e begins a job, + forks (exposed at once), - joins its newest fork, P ends the job; what is
//            joined and was stolen is waited for. The first job is the waiter's. Thieves: s steal from the mark of the
//            first job, look whether it still runs, and finish what was stolen; M look at the record without having been told
//            of it, and at the job that it waits for (owner: m).
// Property   what the waiter keeps was forked by its own job.
#pragma once

#include <array>

#include <pilfer/queue/fork_deque.hpp>

#include "protocols/orders.hpp"
#include "verify/fork_orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class leapfrog_fault : std::uint8_t {
  none,
  unchecked,       // the waiter does not look afterwards
  checked_before,  // it looks before it steals
  ends_late,       // the job's end comes after the next job's first push
  no_mark,         // it steals from anywhere
};

template <leapfrog_fault Fault = leapfrog_fault::none>
class leapfrog_scenario {
  using deque = queue::fork_deque<std::uint32_t, model_sync, verify::fork_variable, 2048>;

 public:
  explicit leapfrog_scenario(const verify::run& what) : run_(&what), deque_(4) {}

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      if (number == 0) {
        own(script[i]);
      } else if (script[i] == 'M') {
        look();
      } else {
        leap();
      }
    }
  }
  void finish() {}

 private:
  void own(char what) {
    if (what == 'e') {
      ++jobs_;
      if (Fault == leapfrog_fault::ends_late && jobs_ == 2) return;
      serial_ = record_.start(deque_.owner().mark());
      if (jobs_ == 1) told_.store(serial_, std::memory_order_release);  // stands for the latch's edge `start`
    } else if (what == 'P') {
      if (Fault != leapfrog_fault::ends_late) record_.end(serial_);
    } else if (what == 'm') {
      other_.set(other_serial);
      record_.wait_for(pilfer::detail::run_id(1, 0, other_serial));
    } else if (what == '+') {
      const std::uint32_t item = ++pushed_;
      of_first_[item] = jobs_ == 1;
      payload_[item].set(item);
      require(deque_.owner().push(item), "there is room");
      deque_.owner().expose(1);
      stack_[depth_++] = item;
      if (Fault == leapfrog_fault::ends_late && jobs_ == 2) record_.end(serial_);
    } else {
      const std::uint32_t item = stack_[--depth_];
      auto* const at = deque_.cursor() - 1;
      if (deque_.pop_at(at) || deque_.look_up_before_pop(at).outcome != deque::pop_outcome::stolen) return;
      while (done_[item].load(std::memory_order_acquire) == 0) model_sync::pause();
    }
  }

  void look() {
    const std::uint64_t serial = record_.serial();
    if (serial == 1)
      require(record_.mark() != 0, "who sees a run sees its mark");  // the scripts push before they begin
    if (const auto other = record_.waits()) {
      require(other.serial() == other_.get(), "who sees what a job waits for sees that job's record");
    }
  }
  void leap() {
    const std::uint64_t serial = told_.load(std::memory_order_acquire);
    if (serial == 0 || !record_.runs(serial)) return;
    const std::uint64_t mark = Fault == leapfrog_fault::no_mark ? 0 : record_.mark();
    bool runs = record_.still_runs(serial);
    const auto got = deque_.thief().steal_from(mark);
    if (!got) return;
    if constexpr (Fault != leapfrog_fault::checked_before) runs = record_.still_runs(serial);
    if constexpr (Fault == leapfrog_fault::unchecked) runs = true;
    require(payload_[*got].get() == *got, "what stands behind an item is visible");
    if (runs) require(of_first_[*got], "what a waiter keeps was forked by the job that it waits for");
    done_[*got].store(1, std::memory_order_release);
  }

  struct named_flag : model_sync::atomic<std::uint32_t> {
    named_flag() noexcept : model_sync::atomic<std::uint32_t>(0, "done") {}
  };
  static constexpr std::size_t most = 6;
  static constexpr std::uint64_t other_serial = 7;
  const verify::run* run_;
  deque deque_;
  model_sync::cell<std::uint64_t> other_;  // the record of the job that is waited for
  pilfer::detail::run_record<model_sync, run_variable> record_;
  model_sync::atomic<std::uint64_t> told_{0, "told"};
  std::array<named_flag, most> done_;
  std::array<model_sync::cell<std::uint32_t>, most> payload_;
  std::array<bool, most> of_first_{};
  std::array<std::uint32_t, most> stack_{};
  std::size_t depth_ = 0;
  std::uint32_t pushed_ = 0;
  unsigned jobs_ = 0;
  std::uint64_t serial_ = 0;
};

}  // namespace pilfer::model::protocols
