// A group whose workers count and list its tasks without a lock, while thieves run some of them and others wait for all of them.
//
// Scripts    owner, which has the first ledger: + spawn a task, - take the newest out of its queue and run it, e run the newest of the ledger,
//            m collect what lies in other ledgers, and run it, p run what lies in its queue, and wait for the others. Thieves: s take an entry
//            out of another's queue if there is one, and run it unless it was claimed, b the same, and the task spawns another one, + spawn a
//            task, - take the newest out of its own queue and run it, M share the group as a waiter does, and run what is listed until all are
//            done, N the same with a sleep, T look at the credits, share it, and give up at once, S as M, and destroy the group then. A to D and
//            w to z: gates. before=1: thieves have open ledgers.
// Properties each task runs once, its memory is freed once, and no thread touches it after that; a waiter that finds all done sees what they have
//            written; nobody touches the group after its waiter has destroyed it; no waiter waits for ever.
// The mailboxes stand for the queues, with their edge from push to steal. The list of other tasks is task_scope's, once more.
#pragma once

#include <array>
#include <mutex>
#include <vector>

#include <pilfer/detail/protocol/group_ledgers.hpp>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class ledger_fault : std::uint8_t {
  none,
  no_light_fence,  // the owner looks whether the ledger is closed before others can see that it is inside
  no_heavy_fence,  // a closer looks whether the owner is inside without a membarrier
  list_uncounted,  // the list is no use of its tasks
  epoch_ignored,   // an owner takes any task that was listed in some ledger for one of its own
  credits_kept,    // a closer does not take the credits off the count
  opened_early,    // an owner opens its ledger while a waiter shares the group
  touched_after,   // an owner looks at the group once more after it has told of a task's end
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
    group_ = new (model_sync::allocate(sizeof(group), alignof(group))) group(owners_[0]);
    for (std::size_t i = 0; i < owners_.size(); ++i) owners_[i].index = static_cast<unsigned>(i);
    if (what.before == 0) return;
    for (std::size_t i = 1; i <= what.thieves.size(); ++i) note_spawn(i);
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      const char what = script[i];
      if (what >= 'A' && what <= 'D') {
        to_see_.store(spawned_[0], std::memory_order_relaxed);  // carried by the gate
        announce(static_cast<unsigned>(what - 'A'));
      } else if (what >= 'w' && what <= 'z') {
        await(static_cast<unsigned>(what - 'w'));
      } else {
        act(number, what);
      }
    }
  }
  void finish() {
    for (std::size_t i = most; i != 0; --i) steal(0, i - 1, false);
    if (group_ != nullptr) {
      wait(0, spawned_[0], false);
      destroy_group();
    }
    for (std::size_t i = 0; i < most; ++i) {
      const int expected = i % of_each < spawned_[i / of_each] ? 1 : 0;
      require(runs_[i] == expected, "each task ran once");
      require(freed_[i] == expected, "each task was freed once");
    }
  }

 private:
  static constexpr std::size_t of_each = 3;  // tasks that one thread spawns
  static constexpr std::size_t threads = 3;
  static constexpr std::size_t most = of_each * threads;
  static constexpr std::size_t none = most;
  struct owner {
    unsigned index = 0;
  };
  struct memory {
    static void* allocate(std::size_t bytes, std::size_t alignment) { return model_sync::allocate(bytes, alignment); }
    static void free(void* where, std::size_t /*bytes*/, std::size_t alignment) {
      model_sync::deallocate(where, alignment);
    }
  };
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
      return Fault == ledger_fault::epoch_ignored ? all.epoch_of_[claimer] : epoch.get();
    }
    void end_listed() { all.let_go(*this, 1); }

    ledger_scenario& all;
    const std::size_t number;
    std::size_t claimer = 0;
    pilfer::detail::claim_mark<model_sync, claim_variable> mark{2};
    model_sync::cell<task*> newer;
    model_sync::cell<task*> older;
    model_sync::cell<bool> in_ledger;
    model_sync::cell<std::uint32_t> epoch;
    model_sync::cell<int> call;
  };
  using count = pilfer::detail::completion<sync, completion_variable>;
  using ledgers_type =
      pilfer::detail::group_ledgers<sync, task, owner, memory, ledger_variable, count, 1, 1, threads - 1>;
  using ledger_type = typename ledgers_type::ledger;
  struct group {
    explicit group(const owner& first) : ledgers(left, &first) {}
    count left;
    ledgers_type ledgers;
    // Under the lock of `left`.
    unsigned sharers = 0;
    std::vector<task*> listed;
  };
  struct named_mail : model_sync::atomic<task*> {
    named_mail() noexcept : model_sync::atomic<task*>(nullptr, "mail") {}
  };

  void act(std::size_t self, char what) {
    switch (what) {
      case '+': spawn(self); break;
      case '-': take_own(self); break;
      case 'e':
        if (task* const found = ledger_of(self)->take_newest()) run_out_of_list(self, *found);
        break;
      case 'p':
        while (take_own(self)) {
        }
        wait(self, spawned_[self], false);
        break;
      case 'm':
        collect(self);
        while (run_listed(self)) {
        }
        break;
      case 's':
      case 'b':
        for (std::size_t i = 0; i < most; ++i) {
          if (i / of_each != self && steal(self, i, what == 'b')) break;
        }
        break;
      case 'T': {
        static_cast<void>(group_->ledgers.credits());
        share(self);
        unshare(self);
        break;
      }
      case 'N': wait(self, to_see_.load(std::memory_order_relaxed), true); break;
      default:
        wait(self, to_see_.load(std::memory_order_relaxed), false);
        if (what == 'S') destroy_group();
        break;
    }
  }

  [[nodiscard]] ledger_type* ledger_of(std::size_t self) { return group_->ledgers.of(owners_[self]); }
  // As launch() and task_scope::admit().
  std::size_t spawn(std::size_t self) {
    const std::size_t number = self * of_each + spawned_[self]++;
    task* const fresh = new (model_sync::allocate(sizeof(task), alignof(task))) task(*this, number);
    fresh->call.set(1);
    ledger_type* const own = ledger_of(self);
    if (own == nullptr || !own->spawn(*fresh)) {
      group_->left.add();
      const std::lock_guard lock(group_->left.mutex());
      group_->listed.push_back(fresh);
      note_spawn(self);
    }
    mail_[number].store(fresh, std::memory_order_release);
    return number;
  }
  void note_spawn(std::size_t self) {
    const bool had = ledger_of(self) != nullptr;
    group_->ledgers.note_spawn(owners_[self], group_->sharers == 0 || Fault == ledger_fault::opened_early);
    if (!had && ledger_of(self) != nullptr) epoch_of_[self] = epochs_++;
  }
  bool take_own(std::size_t self) {
    for (std::size_t i = (self + 1) * of_each; i != self * of_each; --i) {
      if (steal(self, i - 1, false)) return true;
    }
    return false;
  }
  bool steal(std::size_t self, std::size_t i, bool spawns) {
    if (mail_[i].load(std::memory_order_relaxed) == nullptr) return false;
    task* const work = mail_[i].exchange(nullptr, std::memory_order_acquire);
    if (work != nullptr) run_entry(self, *work, spawns);
    return work != nullptr;
  }

  // As task_scope::unlink() and spawned_job::end().
  void run_entry(std::size_t self, task& work, bool spawns) {
    if (!work.mark.claim()) {
      let_go(work, 1);
      return;
    }
    work.claimer = self;
    bool is_alone = !work.in_ledger.get();
    if (is_alone) {
      const std::lock_guard lock(group_->left.mutex());
      std::erase(group_->listed, &work);
    } else if (ledger_type* const own = ledger_of(self)) {
      is_alone = own->unlink(work);
      require(!is_alone || work.number / of_each == self, "a task is unlinked by the worker that has listed it");
    }
    call(work);
    if (spawns) child_of_[work.number] = spawn(self);
    if (is_alone) {
      destroy(work);
    } else {
      let_go(work, 2);
    }
    end(self);
  }
  // Its entry is still in the queue.
  void run_out_of_list(std::size_t self, task& work) {
    call(work);
    let_go(work, 1);
    end(self);
  }
  void call(task& work) {
    require(work.call.get() == 1, "what a task is to do is visible");
    ++runs_[work.number];
    results_[work.number].set(1);
  }
  void end(std::size_t self) {
    group& of = *group_;
    ledger_type* const own = ledger_of(self);
    if (own == nullptr || !own->finish()) of.left.finish();
    if constexpr (Fault == ledger_fault::touched_after) static_cast<void>(of.ledgers.credits());
  }

  // As task_scope's: under the lock.
  [[nodiscard]] std::uint32_t close(std::size_t self) {
    return group_->ledgers.close(&owners_[self], [this](const auto& had) {
      epoch_of_[had.newest->number / of_each] = epochs_++;
      for (task* each = had.newest; each != nullptr; each = each->older.get()) group_->listed.push_back(each);
    });
  }
  void finish_credits(std::uint32_t credits) {
    if (credits != 0 && Fault != ledger_fault::credits_kept) group_->left.finish(credits);
  }
  void collect(std::size_t self) {
    std::uint32_t credits = 0;
    {
      const std::lock_guard lock(group_->left.mutex());
      credits = close(self);
      if (group_->sharers == 0) group_->ledgers.open_own(owners_[self]);
    }
    finish_credits(credits);
  }
  void share(std::size_t self) {
    std::uint32_t credits = 0;
    {
      const std::lock_guard lock(group_->left.mutex());
      ++group_->sharers;
      credits = close(self);
    }
    finish_credits(credits);
  }
  void unshare(std::size_t self) {
    const std::lock_guard lock(group_->left.mutex());
    if (--group_->sharers == 0) group_->ledgers.open_own(owners_[self]);
    if (group_->left.is_done()) drop_claimed();
  }
  void drop_claimed() {
    std::erase_if(group_->listed, [](task* each) {
      if (!each->in_ledger.get() || !each->is_claimed()) return false;
      each->end_listed();
      return true;
    });
  }
  bool run_listed(std::size_t self) {
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
    run_out_of_list(self, *found);
    return true;
  }
  // As wait_room::for_group(). `known`: tasks of the owner that were spawned before.
  void wait(std::size_t self, std::size_t known, bool sleeps) {
    ledger_type* const own = ledger_of(self);
    if (own != nullptr) own->settle();
    if (!group_->left.is_done()) {
      share(self);
      while (!group_->left.is_done()) {
        if (run_listed(self)) continue;
        if (sleeps) {
          group_->left.sleep();
        } else {
          model_sync::pause();
        }
      }
      unshare(self);
    } else if (own != nullptr) {
      own->drop_claimed();
    }
    group_->left.leave();
    for (std::size_t i = 0; i < known; ++i) look(i);
  }
  void look(std::size_t number) {
    require(results_[number].get() == 1, "what a task wrote is visible");
    if (child_of_[number] != none) look(child_of_[number]);
  }
  // As ~task_scope().
  void destroy_group() {
    group_->ledgers.end([this](const auto& had) {
      for (task* each = had.newest; each != nullptr; each = each->older.get()) group_->listed.push_back(each);
    });
    drop_claimed();
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
  std::array<owner, threads> owners_;
  std::array<named_mail, most> mail_;  // in turn, those that the threads have spawned
  std::array<model_sync::cell<int>, most> results_;
  std::array<int, most> runs_{};
  std::array<int, most> freed_{};
  std::array<std::size_t, most> child_of_ = [] {
    std::array<std::size_t, most> all{};
    all.fill(none);
    return all;
  }();
  std::array<std::size_t, threads> spawned_{};
  model_sync::atomic<std::size_t> to_see_{
      0, "to_see"};  // by waiters: what the owner had spawned before the gate that they have passed
  // What ledgers know, for a fault.
  std::array<std::uint32_t, threads> epoch_of_{};
  std::uint32_t epochs_ = 1;
};

}  // namespace pilfer::model::protocols
