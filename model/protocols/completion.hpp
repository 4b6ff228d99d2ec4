// A count of unfinished tasks that its waiter destroys as soon as none is left.
//
// Scripts    owner: e sleep, m sleep with a time-out, p spin and leave; P sleep in a bed that a b may wake, again and again until all
//            is done, - once, with a time-out; c ask to be called; + add a task for a T; at the end of its script it
//            destroys the object, if the last wait said `done`; the call destroys it, too. Thieves: s finish one of the tasks that are there from the
//            start, T finish one that the owner has added, + add one and - finish it, M sleep, N sleep with a time-out, S spin,
//            b wake the owner's bed, if it is in a P or -.
//            A to D and w to z: gates, for waiters and strangers, whom the owner must outlast by other means.
// Properties who was told `done` sees what the tasks have written, those added by a task that was unfinished too; nobody
//            touches the object after its end, nor a sleeper's bed; nobody sleeps for ever.
#pragma once

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

// Time is always out: since others may run at any point, that is a time-out at any point.
struct impatient_sync : model_sync {
  static bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::chrono::nanoseconds timeout = std::chrono::nanoseconds{-1},
                         const where& site = where::current()) noexcept {
    return timeout.count() < 0 && model_sync::futex_wait(word, expected, timeout, site);
  }
};

enum class completion_fault : std::uint8_t {
  none,
  leaves_unlocked,   // a waiter that spins does not take the lock before it goes
  subtracted_first,  // the last one gives its count back, then wakes
  short_bed,         // a sleeper that is awake goes as soon as it sees that all is done
  not_withdrawn,     // whose time is out leaves its bed in the list
  looked_before,     // a sleeper looks whether all is done, and then takes the lock and raises the flag
  woken_is_done,     // a sleeper whose bed was woken for another reason takes that for the end
  bed_unguarded,     // who wakes a bed for another reason does not keep it from ending meanwhile
  control,           // the copy below as it should be
};

// completion.hpp once more, for the faults that need another text.
template <class Sync, completion_fault Fault>
class completion_copy {
  using enum completion_fault;

 public:
  explicit completion_copy(std::uint32_t unfinished) : word_(2 * unfinished, "word") { flagged_.set(false); }
  void add() { word_.fetch_add(2, std::memory_order_relaxed); }
  void finish() {
    std::uint32_t now = word_.load(std::memory_order_relaxed);
    do {
      if (now != 3) continue;
      if constexpr (Fault == subtracted_first) word_.fetch_add(0U - 3, std::memory_order_release);
      const std::lock_guard lock(mutex_);
      flagged_.set(false);  // first: the checker sees whether this is still there
      for (bed* each = std::exchange(sleepers_, nullptr); each != nullptr;) std::exchange(each, each->next)->wake();
      if constexpr (Fault != subtracted_first) word_.fetch_add(0U - 3, std::memory_order_release);
      return;
    } while (!word_.compare_exchange(now, now - 2, std::memory_order_release, std::memory_order_relaxed));
  }
  struct caller {
    void (*call)(caller&) noexcept;
  };
  [[nodiscard]] bool call_when_done(caller& /*me*/) { return false; }  // not copied
  [[nodiscard]] bool is_done() const { return word_.load(std::memory_order_acquire) == 0; }
  void leave() { const std::lock_guard lock(mutex_); }
  bool sleep(std::chrono::nanoseconds limit = std::chrono::nanoseconds{-1}) {
    // In memory that is not used again: some faults leave it in the list.
    bed* const me = new (Sync::allocate(sizeof(bed), alignof(bed))) bed;
    std::optional<bool> end;
    while (!end) {
      end = sleep_in(*me, limit);
      if (Fault == short_bed && !end && is_done()) end = true;
    }
    me->~bed();
    Sync::deallocate(me, alignof(bed));
    return *end;
  }

 private:
  struct bed : pilfer::detail::sleeper<Sync> {
    bed* next = nullptr;
  };
  // Nothing: woken.
  std::optional<bool> sleep_in(bed& me, std::chrono::nanoseconds limit) {
    const bool over = Fault == looked_before && is_done();
    {
      const std::lock_guard lock(mutex_);
      for (;;) {
        std::uint32_t now = word_.load(std::memory_order_acquire);
        if (Fault == looked_before ? over : now == 0) return true;
        if (flagged_.get()) break;
        flagged_.set(word_.compare_exchange(now, now + 1, std::memory_order_relaxed, std::memory_order_relaxed));
      }
      me.next = std::exchange(sleepers_, &me);
    }
    while (!me.sleep_once(limit)) {
      if (limit.count() < 0) continue;
      const std::lock_guard lock(mutex_);
      bed** at = &sleepers_;
      while (*at != nullptr && *at != &me) at = &(*at)->next;
      if (*at == nullptr) {
        me.sleep();
      } else if constexpr (Fault != not_withdrawn) {
        *at = me.next;
      }
      return is_done();
    }
    return std::nullopt;
  }

  typename Sync::template atomic<std::uint32_t> word_;
  typename Sync::mutex mutex_;
  bed* sleepers_ = nullptr;
  typename Sync::template cell<bool> flagged_;
};

template <completion_fault Fault = completion_fault::none>
class completion_scenario {
  using enum completion_fault;
  static constexpr bool is_shipped =
      Fault == none || Fault == leaves_unlocked || Fault == woken_is_done || Fault == bed_unguarded;
  using counted = std::conditional_t<is_shipped, pilfer::detail::completion<impatient_sync, completion_variable>,
                                     completion_copy<impatient_sync, Fault>>;

 public:
  explicit completion_scenario(const verify::run& what) : run_(&what) {
    std::uint32_t tasks = 0;
    for (const std::string& each : what.thieves) {
      tasks += static_cast<std::uint32_t>(std::count(each.begin(), each.end(), 's'));
    }
    group_ = new (model_sync::allocate(sizeof(counted), alignof(counted))) counted(tasks);
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      const char what = script[i];
      if (what >= 'A' && what <= 'D') {
        announce(static_cast<unsigned>(what - 'A'));
      } else if (what >= 'w' && what <= 'z') {
        await(static_cast<unsigned>(what - 'w'));
      } else if (number == 0) {
        own(what);
      } else {
        work(what, results_[number - 1][i]);
      }
    }
    if (number == 0 && told_) end();
  }
  void finish() {
    if (group_ == nullptr) return;
    require(group_->is_done(), "all are done in the end");
    end();
  }

 private:
  static constexpr std::size_t most_steps = 4;
  static constexpr std::size_t most_thieves = 4;
  static constexpr std::chrono::nanoseconds no_time{0};

  void own(char what) {
    if (what == '+') {
      told_ = false;
      group_->add();
      posted_.store(++posts_, std::memory_order_release);  // stands for the queue's edge
      return;
    }
    if (what == 'c') {
      told_ = !ask_for_call();
    } else if (what == 'P' || what == '-') {
      told_ = sleep_in_known_bed(what == '-');
    } else if (what == 'p') {
      while (!group_->is_done()) model_sync::pause();
      if constexpr (Fault != completion_fault::leaves_unlocked) group_->leave();
      told_ = true;
    } else {
      told_ = what == 'm' ? group_->sleep(no_time) : group_->sleep();
    }
    if (told_) look_at_all();
  }
  void look_at_all() {
    look();
    for (std::uint32_t i = 0; i < posts_; ++i) require(posted_results_[i].get() == 1, "what a task wrote is visible");
  }

  bool sleep_in_known_bed(bool limited) {
    if constexpr (is_shipped) {
      using waiter = typename counted::waiter;
      auto* const me = new (model_sync::allocate(sizeof(waiter), alignof(waiter))) waiter;
      show_bed(&me->bed);
      bool is_over = false;
      do {
        is_over = group_->sleep(limited ? no_time : std::chrono::nanoseconds{-1}, *me) || Fault == woken_is_done;
      } while (!is_over && !limited);
      show_bed(nullptr);
      me->~waiter();
      model_sync::deallocate(me, alignof(waiter));
      return is_over;
    }
    return false;
  }
  struct called : counted::caller {
    explicit called(completion_scenario& a) : counted::caller{&be_called}, all(&a) {}
    static void be_called(typename counted::caller& self) noexcept {
      auto& me = static_cast<called&>(self);
      me.all->look_at_all();
      me.all->end();
      me.~called();
      model_sync::deallocate(&me, alignof(called));
    }
    completion_scenario* all;
  };
  // Returns false if all are done: there will be no call.
  bool ask_for_call() {
    auto* const me = new (model_sync::allocate(sizeof(called), alignof(called))) called(*this);
    if (group_->call_when_done(*me)) return true;
    me->~called();
    model_sync::deallocate(me, alignof(called));
    return false;
  }
  void show_bed(pilfer::detail::sleeper<impatient_sync>* bed) {
    const std::lock_guard lock(beds_);
    bed_ = bed;
  }
  void wake_bed() {
    beds_.lock();
    pilfer::detail::sleeper<impatient_sync>* const bed = bed_;
    if constexpr (Fault == bed_unguarded) beds_.unlock();
    if (bed != nullptr) bed->wake();
    if constexpr (Fault != bed_unguarded) beds_.unlock();
  }

  void work(char what, model_sync::cell<int>& result) {
    switch (what) {
      case 'b': wake_bed(); break;
      case 's':
      case '-':
        result.set(1);
        group_->finish();
        break;
      case '+': group_->add(); break;
      case 'T': {
        const std::uint32_t mine = taken_.fetch_add(1, std::memory_order_relaxed);
        while (posted_.load(std::memory_order_acquire) <= mine) model_sync::pause();
        posted_results_[mine].set(1);
        group_->finish();
        break;
      }
      case 'S':
        while (!group_->is_done()) model_sync::pause();
        look();
        break;
      default:
        if (what == 'M' ? group_->sleep() : group_->sleep(no_time)) look();
        break;
    }
  }

  // Who was told `done`: of the tasks from the start, and of those that such a task added before its end.
  void look() {
    for (std::size_t t = 0; t < run_->thieves.size(); ++t) {
      const std::string& script = run_->thieves[t];
      for (std::size_t i = 0; i < script.size(); ++i) {
        const bool by_task = script[i] == '-' && script.find('s', script.find('+')) != std::string::npos;
        if (script[i] == 's' || by_task) require(results_[t][i].get() == 1, "what a task wrote is visible");
      }
    }
  }
  void end() {
    group_->~counted();
    model_sync::deallocate(group_, alignof(counted));
    group_ = nullptr;
  }

  const verify::run* run_;
  counted* group_ = nullptr;
  model_sync::mutex beds_;
  pilfer::detail::sleeper<impatient_sync>* bed_ = nullptr;  // of the owner, while it may be woken
  model_sync::atomic<std::uint32_t> posted_{0, "posted"};
  model_sync::atomic<std::uint32_t> taken_{0, "taken"};
  std::array<std::array<model_sync::cell<int>, most_steps>, most_thieves> results_;
  std::array<model_sync::cell<int>, most_steps> posted_results_;
  std::uint32_t posts_ = 0;
  bool told_ = false;
};

}  // namespace pilfer::model::protocols
