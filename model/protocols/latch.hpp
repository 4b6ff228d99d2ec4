// Catalogue 47: a latch in a frame that goes away as soon as its owner has seen `done`.
//
// Scripts    owner: + fork, p join and spin, m the same and look who runs it, e join and sleep; joins are LIFO. A thief's
//            s runs the next job: the jobs are dealt out in the order of the thieves' scripts.
// Properties what a job has written is the owner's after the join; the frame is freed at once, and nobody touches it
//            any more; the owner wakes once for each sleep, although its bed serves all its joins.
#pragma once

#include <array>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class latch_fault : std::uint8_t {
  none,
  touched_after_finish,  // the runner looks at the latch once more
  woken_before_done,     // the runner wakes the sleeper first
};

template <latch_fault Fault = latch_fault::none>
class latch_scenario {
 public:
  explicit latch_scenario(const verify::run& what) : run_(&what) {}

  void thread(std::size_t number) {
    if (number == 0) {
      for (std::size_t i = 0; i < run_->owner.size(); ++i) {
        phase(i);
        own(run_->owner[i]);
      }
      return;
    }
    std::size_t job = 0;
    for (std::size_t t = 0; t + 1 < number; ++t) job += run_->thieves[t].size();
    for (std::size_t i = 0; i < run_->thieves[number - 1].size(); ++i) {
      phase(i);
      work(job + i);
    }
  }
  void finish() { require(depth_ == 0, "every fork was joined"); }

 private:
  static constexpr std::size_t most = 4;
  static constexpr unsigned result_of = 100;
  using sleeper = pilfer::detail::sleeper<model_sync, latch_variable>;
  struct frame {
    model_sync::atomic<std::uint64_t> state{0, "state"};
    pilfer::detail::join_latch<model_sync, latch_variable, sleeper> latch{state};
    model_sync::cell<std::size_t> result;
  };
  struct named_mail : model_sync::atomic<frame*> {
    named_mail() noexcept : model_sync::atomic<frame*>(nullptr, "mail") {}
  };

  void own(char what) {
    if (what == '+') {
      auto* const fresh = new (model_sync::allocate(sizeof(frame), alignof(frame))) frame;
      numbers_[depth_] = forked_;
      stack_[depth_++] = fresh;
      mail_[forked_++].store(fresh, std::memory_order_release);  // stands for the queue's edge
      return;
    }
    frame* const joined = stack_[--depth_];
    const std::size_t number = numbers_[depth_];
    if (what == 'e') {
      if (joined->latch.wait_for(bed_)) bed_.sleep();
      require(joined->latch.is_done(), "who was woken finds its latch done");
    } else {
      while (!joined->latch.is_done()) {
        if (what == 'm') {
          if (const pilfer::detail::run_id id = joined->latch.runner()) {
            require(records_[number].get() == id.serial(), "the record of the run that the latch names is visible");
          }
        }
        model_sync::pause();
      }
    }
    require(joined->result.get() == result_of + number, "the result of the job is visible");
    joined->~frame();
    model_sync::deallocate(joined, alignof(frame));
  }

  void work(std::size_t job) {
    frame* mine = mail_[job].load(std::memory_order_acquire);
    for (; mine == nullptr; mine = mail_[job].load(std::memory_order_acquire)) model_sync::pause();
    records_[job].set(2 * job + 1);
    mine->latch.start(pilfer::detail::run_id(1, 0, 2 * job + 1));
    mine->result.set(result_of + job);
    if constexpr (Fault == latch_fault::woken_before_done) bed_.wake();
    mine->latch.finish();
    if constexpr (Fault == latch_fault::touched_after_finish) static_cast<void>(mine->latch.is_done());
  }

  const verify::run* run_;
  sleeper bed_;
  std::array<named_mail, most> mail_;
  std::array<model_sync::cell<std::uint64_t>, most> records_;
  std::array<frame*, most> stack_{};
  std::array<std::size_t, most> numbers_{};
  std::size_t depth_ = 0;
  std::size_t forked_ = 0;
};

}  // namespace pilfer::model::protocols
