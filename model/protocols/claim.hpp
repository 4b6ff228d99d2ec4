// Who runs a task, and who destroys it: its queue, its group's waiters and its future want to, at once.
//
// Scripts    owner: + spawn a task, m submit one (it keeps the future); p wait for the newest future: run its task if nobody
//            has, otherwise look who does until it is done, then let go of it; P drop the newest future. Thieves: s take an entry
//            out of the queue if there is one, and run it unless it was claimed, M take one out of the group's list and run it.
// Properties each task runs once, its memory is freed once, and nobody touches it any more; what the spawner wrote is the
//            runner's, what the runner wrote is the future's; who is told of a run sees its record.
// The mailboxes stand for a queue, with its edge from push to steal. What is left in them at the end is taken out then.
#pragma once

#include <array>
#include <mutex>
#include <utility>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class claim_fault : std::uint8_t {
  none,
  no_exchange,      // two may claim
  entry_uncounted,  // the entry in the queue is no use
  left_in_list,     // who claims out of the queue leaves it in the group's list
  touched_after,    // a run looks at its task once more
};

template <bool Exchanges>
struct claim_sync : model_sync {
  template <class T>
  class atomic : public model_sync::atomic<T> {
   public:
    using model_sync::atomic<T>::atomic;
    T exchange(T value, std::memory_order order, const where& site = where::current()) noexcept {
      if constexpr (Exchanges) return model_sync::atomic<T>::exchange(value, order, site);
      const T before = this->load(order, site);
      this->store(value, order, site);
      return before;
    }
  };
};

template <claim_fault Fault = claim_fault::none>
class claim_scenario {
  using sync = claim_sync<Fault != claim_fault::no_exchange>;

 public:
  explicit claim_scenario(const verify::run& what) : run_(&what) {}

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      switch (script[i]) {
        case '+': spawn(2); break;
        case 'm': futures_[held_++] = spawn(3); break;
        case 'p': get(*futures_[--held_]); break;
        case 'P': let_go(*futures_[--held_], 1); break;
        case 's': take_entry(number); break;
        default: take_listed(); break;
      }
    }
  }
  void finish() {
    while (held_ != 0) let_go(*futures_[--held_], 1);
    for (std::size_t i = 0; i < spawned_; ++i) take_entry(0);
    for (std::size_t i = 0; i < spawned_; ++i) require(runs_[i] == 1, "each task ran once");
  }

 private:
  static constexpr std::size_t most = 3;
  struct task {
    task(std::uint32_t uses, std::size_t i, bool future) : mark(uses), number(i), has_future(future) {}
    model_sync::atomic<std::uint64_t> state{0, "state"};
    pilfer::detail::join_latch<model_sync, latch_variable> latch{state};
    pilfer::detail::claim_mark<sync, claim_variable> mark;
    model_sync::atomic<std::uint32_t> done{0, "done"};  // stands for the future's completion
    model_sync::cell<int> call;
    model_sync::cell<int> result;
    const std::size_t number;
    const bool has_future;
  };
  struct named_mail : model_sync::atomic<task*> {
    named_mail() noexcept : model_sync::atomic<task*>(nullptr, "mail") {}
  };

  task* spawn(std::uint32_t uses) {
    const bool future = uses == 3;
    if constexpr (Fault == claim_fault::entry_uncounted) --uses;
    void* const room = model_sync::allocate(sizeof(task), alignof(task));
    const std::size_t number = spawned_++;
    task* const fresh = new (room) task(uses, number, future);
    fresh->call.set(1);
    {
      const std::lock_guard lock(mutex_);
      listed_[number] = fresh;
    }
    mail_[number].store(fresh, std::memory_order_release);
    return fresh;
  }
  // As task::claim: what is in the list is alive.
  bool claim(task& work) {
    if (!work.mark.claim()) return false;
    if constexpr (Fault != claim_fault::left_in_list) {
      const std::lock_guard lock(mutex_);
      listed_[work.number] = nullptr;
    }
    return true;
  }
  void take_entry(std::size_t self) {
    for (named_mail& each : mail_) {
      if (each.load(std::memory_order_relaxed) == nullptr) continue;
      task* const work = each.exchange(nullptr, std::memory_order_acquire);
      if (work == nullptr) continue;
      if (!claim(*work)) {
        let_go(*work, 1);
        return;
      }
      records_[self].set(serial_of(self));
      work->latch.start_spawned(pilfer::detail::run_id(static_cast<unsigned>(self), 0, serial_of(self)));
      run(*work, true);
      return;
    }
  }
  void take_listed() {
    task* found = nullptr;
    {
      const std::lock_guard lock(mutex_);
      for (task*& each : listed_) {
        if (each == nullptr || !each->mark.claim()) continue;
        found = std::exchange(each, nullptr);
        break;
      }
    }
    if (found != nullptr) run(*found, false);
  }
  void get(task& work) {
    if (claim(work)) {
      run(work, false);
    } else {
      while (work.done.load(std::memory_order_acquire) == 0) {
        if (const pilfer::detail::run_id id = work.latch.runner()) {
          require(records_[id.worker()].get() == id.serial(), "the record of the run that the latch names is visible");
        }
        model_sync::pause();
      }
    }
    require(work.result.get() == 1, "the result is visible");
    let_go(work, 1);
  }

  // As task::end.
  void run(task& work, bool entry_too) {
    require(work.call.get() == 1, "what a task is to do is visible");
    ++runs_[work.number];
    work.result.set(1);
    if (work.has_future) work.done.store(1, std::memory_order_release);
    if (entry_too && !work.has_future) {
      destroy(work);
      return;
    }
    work.latch.finish_spawned();
    let_go(work, entry_too ? 2 : 1);
    if constexpr (Fault == claim_fault::touched_after) static_cast<void>(work.mark.is_claimed());
  }
  void let_go(task& work, std::uint32_t uses) {
    if (work.mark.let_go(uses)) destroy(work);
  }
  static void destroy(task& work) {
    work.~task();
    model_sync::deallocate(&work, alignof(task));
  }
  [[nodiscard]] static std::uint64_t serial_of(std::size_t self) { return 2 * self + 1; }

  const verify::run* run_;
  model_sync::mutex mutex_;
  std::array<task*, most> listed_{};
  std::array<named_mail, most> mail_;
  std::array<model_sync::cell<std::uint64_t>, max_threads> records_;
  std::array<task*, most> futures_{};
  std::array<int, most> runs_{};
  std::size_t held_ = 0;
  std::size_t spawned_ = 0;
};

}  // namespace pilfer::model::protocols
