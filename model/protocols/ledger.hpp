// A group whose owner counts and lists its tasks without a lock, while thieves run some of them and others wait for all of them.
//
// Scripts    owner: + spawn a task, - take the newest out of its queue and run it, e run the newest of the ledger, p run what it can as a waiter that
//            owns the group, and wait for the others. Thieves: s take an entry out of the owner's queue if there is one, and run it unless it was
//            claimed, M share the group as a waiter does, and run what is listed until all are done, N the same with a sleep, T share it, and
//            give up at once, S as M, and destroy the group then. A to D and w to z: gates.
// Properties each task runs once, its memory is freed once, and no thread touches it after that; a waiter that finds all done sees what they have
//            written; nobody touches the group after its waiter has destroyed it; no waiter waits for ever.
// The mailboxes stand for a queue, with its edge from push to steal. The list of shared tasks is task_scope's, once more.
#pragma once

#include <array>
#include <mutex>
#include <vector>

#include <pilfer/detail/protocol/owner_ledger.hpp>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class ledger_fault : std::uint8_t {
  none,
  no_light_fence,  // the owner looks whether the ledger is closed before others can see that it is inside
  no_heavy_fence,  // a closer looks whether the owner is inside without a membarrier
  list_uncounted,  // the list is no use of its tasks
  epoch_ignored,   // the owner takes a task that it has listed before the ledger was closed for one of the ledger's
  credits_kept,    // a closer does not take the credits off the count
  touched_after,   // the owner looks at the group once more after it has told of a task's end
};

template <bool Light, bool Heavy>
struct ledger_sync : model_sync {
  static void light_fence() noexcept {
    if constexpr (Light) model_sync::light_fence();
  }
  [[nodiscard]] static bool heavy_fence(const where& site = where::current()) noexcept {
    if constexpr (!Heavy) return true;
    return model_sync::heavy_fence(site);
  }
};

template <ledger_fault Fault = ledger_fault::none>
class ledger_scenario {
  using sync = ledger_sync<Fault != ledger_fault::no_light_fence, Fault != ledger_fault::no_heavy_fence>;

 public:
  explicit ledger_scenario(const verify::run& what) : run_(&what) {
    group_ = new (model_sync::allocate(sizeof(group), alignof(group))) group;
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      const char what = script[i];
      if (what >= 'A' && what <= 'D') {
        to_see_.store(spawned_, std::memory_order_relaxed);  // carried by the gate
        announce(static_cast<unsigned>(what - 'A'));
      } else if (what >= 'w' && what <= 'z') {
        await(static_cast<unsigned>(what - 'w'));
      } else {
        act(what);
      }
    }
  }
  void finish() {
    for (std::size_t i = spawned_; i != 0; --i) steal(i - 1);
    if (group_ != nullptr) {
      wait(false, spawned_, false);
      destroy_group();
    }
    for (std::size_t i = 0; i < spawned_; ++i) {
      require(runs_[i] == 1, "each task ran once");
      require(freed_[i] == 1, "each task was freed once");
    }
  }

 private:
  static constexpr std::size_t most = 3;
  struct task {
    task(ledger_scenario& a, std::size_t i) : all(a), number(i) {
      in_ledger.set(false);
      epoch.set(0);
    }
    [[nodiscard]] bool is_claimed() const { return mark.is_claimed(); }
    [[nodiscard]] bool try_mark() { return mark.claim(); }
    void begin_listed(std::uint32_t now) {
      in_ledger.set(true);
      epoch.set(now);
      if constexpr (Fault != ledger_fault::list_uncounted) mark.keep_unseen();
    }
    [[nodiscard]] std::uint32_t listed_in() const {
      return Fault == ledger_fault::epoch_ignored ? all.closed_ : epoch.get();
    }
    void end_listed() { all.let_go(*this, 1); }

    ledger_scenario& all;
    const std::size_t number;
    pilfer::detail::claim_mark<model_sync, claim_variable> mark{2};
    model_sync::cell<task*> newer;
    model_sync::cell<task*> older;
    model_sync::cell<bool> in_ledger;
    model_sync::cell<std::uint32_t> epoch;
    model_sync::cell<int> call;
  };
  using count = pilfer::detail::completion<sync, completion_variable>;
  using ledger_type = pilfer::detail::owner_ledger<sync, task, ledger_variable, count, 1>;
  struct group {
    count left;
    ledger_type ledger{left};
    // Under the lock of `left`.
    unsigned sharers = 0;
    std::vector<task*> listed;
  };
  struct named_mail : model_sync::atomic<task*> {
    named_mail() noexcept : model_sync::atomic<task*>(nullptr, "mail") {}
  };

  void act(char what) {
    switch (what) {
      case '+': spawn(); break;
      case '-': take_own(); break;
      case 'e':
        if (task* const found = group_->ledger.take_newest()) run_out_of_list(*found);
        break;
      case 'p':
        while (take_own()) {
        }
        group_->ledger.settle();
        group_->ledger.drop_claimed();
        if (!group_->left.is_done()) wait(true, spawned_, false);
        look(spawned_);
        break;
      case 's':
        for (std::size_t i = 0; i < most; ++i) {
          if (steal(i)) break;
        }
        break;
      case 'T': {
        share(false);
        unshare();
        break;
      }
      case 'N': wait(false, to_see_.load(std::memory_order_relaxed), true); break;
      default:
        wait(false, to_see_.load(std::memory_order_relaxed), false);
        if (what == 'S') destroy_group();
        break;
    }
  }

  // As launch() and task_scope::admit().
  void spawn() {
    const std::size_t number = spawned_++;
    task* const fresh = new (model_sync::allocate(sizeof(task), alignof(task))) task(*this, number);
    fresh->call.set(1);
    if (!group_->ledger.spawn(*fresh)) {
      group_->left.add();
      const std::lock_guard lock(group_->left.mutex());
      group_->listed.push_back(fresh);
    }
    mail_[number].store(fresh, std::memory_order_release);
  }
  bool take_own() {
    for (std::size_t i = spawned_; i != 0; --i) {
      if (mail_[i - 1].load(std::memory_order_relaxed) == nullptr) continue;
      task* const work = mail_[i - 1].exchange(nullptr, std::memory_order_acquire);
      if (work == nullptr) continue;
      run_entry(*work, true);
      return true;
    }
    return false;
  }
  bool steal(std::size_t i) {
    if (mail_[i].load(std::memory_order_relaxed) == nullptr) return false;
    task* const work = mail_[i].exchange(nullptr, std::memory_order_acquire);
    if (work != nullptr) run_entry(*work, false);
    return work != nullptr;
  }

  // As task_scope::unlink() and spawned_job::end().
  void run_entry(task& work, bool by_owner) {
    if (!work.mark.claim()) {
      let_go(work, 1);
      return;
    }
    bool is_alone = !work.in_ledger.get();
    if (is_alone) {
      const std::lock_guard lock(group_->left.mutex());
      std::erase(group_->listed, &work);
    } else if (by_owner) {
      is_alone = group_->ledger.unlink(work);
    }
    call(work);
    if (is_alone) {
      destroy(work);
    } else {
      let_go(work, 2);
    }
    end(by_owner);
  }
  // Its entry is still in the queue.
  void run_out_of_list(task& work) {
    call(work);
    let_go(work, 1);
    end(true);
  }
  void call(task& work) {
    require(work.call.get() == 1, "what a task is to do is visible");
    ++runs_[work.number];
    results_[work.number].set(1);
  }
  void end(bool by_owner) {
    group& of = *group_;
    if (!by_owner || !of.ledger.finish()) of.left.finish();
    if constexpr (Fault == ledger_fault::touched_after) static_cast<void>(of.ledger.credits());
  }

  // As task_scope::sharing.
  void share(bool by_owner) {
    typename ledger_type::contents had;
    {
      const std::lock_guard lock(group_->left.mutex());
      if (group_->sharers++ == 0) {
        had = group_->ledger.close(by_owner);
        ++closed_;
        for (task* each = had.newest; each != nullptr; each = each->older.get()) group_->listed.push_back(each);
      }
    }
    if (had.credits != 0 && Fault != ledger_fault::credits_kept) group_->left.finish(had.credits);
  }
  void unshare() {
    const std::lock_guard lock(group_->left.mutex());
    if (--group_->sharers == 0) group_->ledger.open();
    if (!group_->left.is_done()) return;
    std::erase_if(group_->listed, [](task* each) {
      if (!each->in_ledger.get() || !each->is_claimed()) return false;
      each->end_listed();
      return true;
    });
  }
  bool run_listed() {
    task* found = nullptr;
    {
      const std::lock_guard lock(group_->left.mutex());
      for (std::size_t i = 0; i < group_->listed.size();) {
        task* const each = group_->listed[i];
        const bool is_mine = each->try_mark();
        const bool was_in_ledger = each->in_ledger.get();
        if (is_mine || was_in_ledger) {
          group_->listed.erase(group_->listed.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
        if (was_in_ledger) each->end_listed();
        if (is_mine) {
          found = each;
          break;
        }
      }
    }
    if (found == nullptr) return false;
    call(*found);
    let_go(*found, 1);
    end(false);
    return true;
  }
  // `known`: tasks that were spawned before.
  void wait(bool by_owner, std::size_t known, bool sleeps) {
    share(by_owner);
    while (!group_->left.is_done()) {
      if (run_listed()) continue;
      if (sleeps) {
        group_->left.sleep();
      } else {
        model_sync::pause();
      }
    }
    unshare();
    group_->left.leave();
    look(known);
  }
  void look(std::size_t known) {
    for (std::size_t i = 0; i < known; ++i) require(results_[i].get() == 1, "what a task wrote is visible");
  }
  void destroy_group() {
    group_->~group();
    model_sync::deallocate(group_, alignof(group));
    group_ = nullptr;
  }

  void let_go(task& work, std::uint32_t uses) {
    if (work.mark.let_go(uses)) destroy(work);
  }
  void destroy(task& work) {
    ++freed_[work.number];
    work.~task();
    model_sync::deallocate(&work, alignof(task));
  }

  const verify::run* run_;
  group* group_ = nullptr;
  std::array<named_mail, most> mail_;
  std::array<model_sync::cell<int>, most> results_;
  std::array<int, most> runs_{};
  std::array<int, most> freed_{};
  std::size_t spawned_ = 0;
  model_sync::atomic<std::size_t> to_see_{
      0, "to_see"};  // by waiters: what was spawned before the gate that they have passed
  std::uint32_t closed_ = 0;
};

}  // namespace pilfer::model::protocols
