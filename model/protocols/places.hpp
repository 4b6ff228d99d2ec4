// Members of a pool that give up their places, and work that comes from outside.
//
// Scripts    owner: a thread from outside. + publish one unit in the first pool and offer its place, P the same in the second pool; m enter the
//            first pool as a caller; then e push a unit into the own queue, p be in a blocking region until all units are run, - leave.
//            Thieves: members of the first pool. s wait, asleep, until all units are run; S the same with no room on the stack for anything
//            else; b the same as a member of both pools; + push a unit into the own queue; - leave; M work as a thread of the pool, spare
//            where it is one too many; B at the beginning: a thread that is not there until it is made. No member: C publish and offer, in the
//            first pool; D from now on threads can be made; A end the wait of a w, which sleeps as s does.
// Size       how many places a pool has. before=2: the first two threads cannot be made; refused: none, before a D.
// Properties every unit is run, and all threads end: a member that sleeps for good beside work is a deadlock. Nobody touches the bed of a wait
//            that has ended. No two are recalled for one place. In the end as many are counted as active as there are.
// A worker that looks for work spins. In a pool it parks, which is parking's matter.
#pragma once

#include <pilfer/detail/protocol/places.hpp>

#include <algorithm>
#include <array>
#include <mutex>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class places_fault : std::uint8_t {
  none,
  looks_first,    // W3 before W1 and W2
  offers_first,   // Q2 before Q1
  not_counted,    // a member that is recalled counts itself as active when it is back
  counted_twice,  // a member that was recalled counts itself once more
  silent_leave,   // a caller leaves and does not offer its place
  unfit_silent,   // a member that has no room for the work it finds sleeps, and does not offer its place
  silent_region,  // the same of a thread that begins to block in a call that is not ours
  late_wake,      // a member is recalled under the mutex, and woken after it
  short_bed,      // a wait's frame ends before its member is back
  one_place,      // a member of two pools gives up the place in one of them
};

template <places_fault Fault = places_fault::none>
class places_scenario {
  using enum places_fault;
  using crew_type = pilfer::detail::places<model_sync>;
  using member = typename crew_type::member;
  using vacated = typename crew_type::vacated;
  using sleeper = typename crew_type::sleeper_type;
  using event = pilfer::detail::completion<model_sync, completion_variable>;
  using frame = typename event::waiter;

 public:
  explicit places_scenario(const verify::run& what)
      : run_(&what),
        pushes_(what.owner.find('e') != std::string::npos || any_thief('+')),
        units_(count_units()),
        pools_{pool(what.size), pool(what.size)},
        all_(units_),
        other_(any_thief('w') ? 1 : 0) {
    for (std::size_t i = 0; i < what.thieves.size(); ++i) {
      const std::string& script = what.thieves[i];
      if (script[0] == 'B') ++unborn_;
      if (!is_member(script)) continue;
      for (std::size_t p = 0; p < pools_of(script); ++p) enter(pools_[p]);
    }
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      if (number == 0) {
        own(script[i]);
      } else {
        work(number, script[i]);
      }
    }
  }
  void finish() {
    require(ran_.load(std::memory_order_relaxed) == units_, "every unit is run");
    for (const pool& each : pools_) {
      require(each.crew.active() == each.members, "as many are counted as active as there are");
      require(!each.crew.anyone_blocked(), "nobody is counted as blocked");
    }
  }

 private:
  static constexpr std::size_t most_threads = 5;

  // One pool. What is no atomic is guarded by the mutex.
  struct pool {
    explicit pool(std::size_t places) : crew(places) {}
    crew_type crew;
    model_sync::mutex list;  // guards what was injected
    model_sync::atomic<std::uint32_t> injected{0, "injected"};
    model_sync::atomic<std::uint32_t> pushed{0, "pushed"};  // in the queues of members; without the mutex
    model_sync::atomic<std::uint32_t> stopping{0, "stopping"};
    std::ptrdiff_t members = 0;  // that have not left
    unsigned recalled = 0;       // and have not come to their work yet
  };
  // One thread, as a member of each pool.
  struct person {
    std::array<member, 2> in;
    sleeper cradle;
    sleeper decoy;        // only if members are woken late
    frame* at = nullptr;  // where it waits
  };

  [[nodiscard]] static bool is_member(const std::string& script) {
    return script[0] != 'B' && script.find_first_not_of("ACD") != std::string::npos;
  }
  [[nodiscard]] static std::size_t pools_of(const std::string& script) {
    return script.find('b') != std::string::npos ? 2 : 1;
  }
  [[nodiscard]] bool any_thief(char what) const {
    return std::any_of(run_->thieves.begin(), run_->thieves.end(),
                       [&](const std::string& each) { return each.find(what) != std::string::npos; });
  }
  [[nodiscard]] std::uint32_t count_units() const {
    const auto count = [](const std::string& script, std::string_view which) {
      return static_cast<std::uint32_t>(std::count_if(
          script.begin(), script.end(), [&](char each) { return which.find(each) != std::string_view::npos; }));
    };
    std::uint32_t sum = count(run_->owner, "+Pe");
    for (const std::string& each : run_->thieves) sum += count(each, "+C");
    return sum;
  }

  // --- Those who come from outside, and callers.

  void own(char what) {
    switch (what) {
      case '+': submit(pools_[0]); break;
      case 'P': submit(pools_[1]); break;
      case 'm': {
        const std::lock_guard lock(pools_[0].crew.mutex());
        enter(pools_[0]);
        break;
      }
      case 'e': push(); break;
      case 'p': block_elsewhere(people_[0].in[0]); break;
      default: leave(); break;
    }
  }
  void work(std::size_t number, char what) {
    person& self = people_[number];
    switch (what) {
      case 's':
      case 'S': wait(self, 1, all_, what == 'S'); break;
      case 'b': wait(self, 2, all_, false); break;
      case 'w': wait(self, 1, other_, false); break;
      case 'A': other_.finish(); break;
      case 'B': self.cradle.sleep(); break;
      case 'M': live(self.in[0]); break;
      case 'C': submit(pools_[0]); break;
      case 'D': threads_possible_.store(1, std::memory_order_relaxed); break;
      case '+': push(); break;
      default: leave(); break;
    }
  }

  void enter(pool& where) {
    ++where.members;
    where.crew.count_active(1);
  }
  // Q1, Q2.
  void submit(pool& to) {
    if constexpr (Fault == offers_first) offer(to);
    {
      const std::lock_guard lock(to.list);
      to.injected.fetch_add(1, std::memory_order_relaxed);
    }
    if constexpr (Fault != offers_first) offer(to);
  }
  void push() { pools_[0].pushed.fetch_add(1, std::memory_order_release); }
  void leave() {
    pool& from = pools_[0];
    bool may_strand = false;
    {
      const std::lock_guard lock(from.crew.mutex());
      --from.members;
      from.crew.count_active(-1);
      may_strand = from.crew.anyone_blocked() && from.crew.has_vacancy();
    }
    if constexpr (Fault == silent_leave) return;
    if (has_injected(from) || (may_strand && anything_to_do(from))) offer(from);
  }
  void block_elsewhere(member& self) {
    pool& in = pools_[0];
    const vacated how = in.crew.begin_block(self, {}, [&]() noexcept { return start(in); });
    if (Fault != silent_region && how == vacated::alone && anything_to_do(in)) offer(in);
    while (!all_.is_done()) model_sync::pause();
    static_cast<void>(in.crew.end_block(self));
  }

  // Under the mutex. Only the first pool has threads to be made.
  [[nodiscard]] bool start(pool& in) {
    if (in.stopping.load(std::memory_order_relaxed) != 0) return true;
    if (refusals_ < run_->before) {
      ++refusals_;
      return false;
    }
    if (&in != pools_.data() || unborn_ == 0) return false;
    if (run_->membarrier == barriers::refused && threads_possible_.load(std::memory_order_relaxed) == 0) return false;
    std::size_t fresh = 1;
    for (std::size_t nth = 0;; ++fresh) {
      if (run_->thieves[fresh - 1][0] == 'B' && nth++ == born_) break;
    }
    ++born_;
    --unborn_;
    enter(in);
    people_[fresh].cradle.wake();
    return true;
  }
  void offer(pool& in) {
    frame* late = nullptr;
    {
      const std::lock_guard lock(in.crew.mutex());
      if (in.stopping.load(std::memory_order_relaxed) != 0) return;
      bool refused = false;
      const bool filled = in.crew.offer_locked([&]() noexcept {
        refused = !start(in);
        return !refused;
      });
      if (!filled || !refused) return;
      require(in.recalled++ == 0, "no two are recalled for one place");
      if constexpr (Fault == not_counted) in.crew.count_active(-1);
      if constexpr (Fault == late_wake) late = people_[1].at;
    }
    if (late != nullptr) late->bed.wake();
  }

  // --- Members.

  [[nodiscard]] static bool has_injected(const pool& in) { return in.injected.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] bool anything_to_do(const pool& in) const {
    return has_injected(in) || (pushes_ && in.pushed.load(std::memory_order_relaxed) != 0);
  }
  [[nodiscard]] bool run_one(pool& in) {
    if (!take(in)) return false;
    if (ran_.fetch_add(1, std::memory_order_acq_rel) + 1 == units_) stop();
    all_.finish();
    return true;
  }
  [[nodiscard]] bool take(pool& in) {
    if (pushes_) {
      std::uint32_t there = in.pushed.load(std::memory_order_relaxed);
      while (there != 0) {
        if (in.pushed.compare_exchange(there, there - 1, std::memory_order_acquire, std::memory_order_relaxed)) {
          return true;
        }
      }
    }
    if (!has_injected(in)) return false;
    const std::lock_guard lock(in.list);
    if (!has_injected(in)) return false;
    in.injected.fetch_add(0U - 1, std::memory_order_relaxed);
    return true;
  }
  void stop() {
    for (pool& each : pools_) {
      const std::lock_guard lock(each.crew.mutex());
      each.stopping.store(1, std::memory_order_release);
      each.crew.call_spares();
      if (&each != pools_.data()) continue;
      for (std::size_t i = 1, nth = 0; i <= run_->thieves.size(); ++i) {
        if (run_->thieves[i - 1][0] != 'B' || nth++ < born_) continue;
        enter(each);  // only so that it ends as the others do
        people_[i].cradle.wake();
      }
    }
  }

  // As rest_until_done().
  void wait(person& self, std::size_t pools, event& what, bool is_unfit) {
    self.at = new (model_sync::allocate(sizeof(frame), alignof(frame))) frame;
    while (!what.is_done()) rest(self, pools, what, is_unfit);
    end_frame(self);
  }
  void rest(person& self, std::size_t pools, event& what, bool is_unfit) {
    pool* wanted = nullptr;
    if constexpr (Fault == one_place) pools = 1;
    for (std::size_t i = 0; i < pools; ++i) give_up(self, i, is_unfit, wanted);
    if (wanted == nullptr && !what.is_done()) static_cast<void>(what.sleep(std::chrono::nanoseconds{-1}, *self.at));
    if (Fault == short_bed && what.is_done()) end_frame(self);
    for (std::size_t i = 0; i < pools; ++i) {
      if (!pools_[i].crew.end_block(self.in[i])) continue;
      const std::lock_guard lock(pools_[i].crew.mutex());
      --pools_[i].recalled;
      if constexpr (Fault == counted_twice || Fault == not_counted) pools_[i].crew.count_active(1);
      if (wanted == nullptr) wanted = &pools_[i];
    }
    if (wanted != nullptr && !what.is_done()) static_cast<void>(run_one(*wanted));
  }
  // W1 to W3.
  void give_up(person& self, std::size_t which, bool is_unfit, pool*& wanted) {
    pool& in = pools_[which];
    const bool early = Fault == looks_first && anything_to_do(in);
    sleeper* const bed = Fault == late_wake ? &self.decoy : &self.at->bed;
    const vacated how = in.crew.begin_block(self.in[which], {.bed = bed, .depth = is_unfit ? crew_type::unfit : 0},
                                            [&]() noexcept { return start(in); });
    if (how != vacated::alone) return;
    if (Fault == looks_first ? !early : !anything_to_do(in)) return;
    if (is_unfit) {
      if constexpr (Fault != unfit_silent) offer(in);
    } else {
      wanted = &in;
    }
  }
  static void end_frame(person& self) {
    if (self.at == nullptr) return;
    self.at->~frame();
    model_sync::deallocate(self.at, alignof(frame));
    self.at = nullptr;
  }

  // As life_of().
  void live(member& self) {
    pool& in = pools_[0];
    while (in.stopping.load(std::memory_order_acquire) == 0) {
      retire(in, self);
      if (!run_one(in)) model_sync::pause();
    }
  }
  static void retire(pool& in, member& self) {
    if (!in.crew.is_surplus()) return;
    {
      const std::lock_guard lock(in.crew.mutex());
      if (in.stopping.load(std::memory_order_relaxed) != 0 || !in.crew.is_surplus()) return;
      in.crew.retire(self);
    }
    in.crew.sleep_as_spare(self);
  }

  const verify::run* run_;
  const bool pushes_;
  const std::uint32_t units_;
  std::array<pool, 2> pools_;
  std::array<person, most_threads> people_;
  event all_;    // units that are not run
  event other_;  // what no unit brings about
  model_sync::atomic<std::uint32_t> ran_{0, "ran"};
  model_sync::atomic<std::uint32_t> threads_possible_{0, "threads possible"};
  // Guarded by the mutex of the first pool.
  std::size_t refusals_ = 0;
  std::size_t unborn_ = 0;
  std::size_t born_ = 0;
};

}  // namespace pilfer::model::protocols
