// Races over two channels, A and B: each alternative is claimed under the guard of its channel, before it takes effect.
//
// Scripts    owner: p race: send to A or to B, P send to B or to A, e send to A or receive from A, m send to B, + send to A. Thieves: s
//            race: receive from A or from B, b receive from B or from A, M send to B or to A, S send to A or receive from A, T receive
//            from A, + send to A, - send to B. Those without a race are operations by themselves, which wait in line as well.
//            Capacity: the size less one.
// Properties a race takes effect once, and its coroutine goes on once, when its thread has lined up all alternatives; no value is lost or
//            received twice; none is kept, and no sender waits, beside a receiver that waits, unless both are of one race; what was
//            handed over is visible; nothing touches a race that has gone on.
// The channels are written once more here: theirs are std::mutexes. The claim, the choice of whom to serve and the countdown are what ships.
#pragma once

#include <array>
#include <limits>
#include <mutex>
#include <type_traits>

#include <pilfer/detail/protocol/coro_join.hpp>
#include <pilfer/detail/protocol/race_claim.hpp>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class race_fault : std::uint8_t {
  none,
  late_claim,      // a receive takes the value, and claims then
  one_by_one,      // of two races the other is claimed first, then the own one
  own_word_first,  // the own word is held first, wherever it lies
  no_wake_up,      // who sleeps until a word is not held any more is not woken
  serves_itself,   // a race is served by another alternative of its own
  not_counted,     // whoever decides does not wait until all alternatives are in line
  left_in_line,    // alternatives that have not won stay in line
  control,         // the copy below as it should be
};

// race_claim.hpp once more, for the faults that need another text.
template <race_fault Fault>
class race_claim_copy {
  using enum race_fault;
  using pair_claim = pilfer::detail::pair_claim;

 public:
  [[nodiscard]] bool claim() { return change_from_open(3); }
  [[nodiscard]] bool is_taken() const { return word_.load(std::memory_order_relaxed) == 3; }
  [[nodiscard]] static pair_claim claim_both(race_claim_copy& mine, race_claim_copy& theirs) {
    if constexpr (Fault == one_by_one) {
      if (!theirs.claim()) return pair_claim::theirs_was_taken;
      return mine.claim() ? pair_claim::both : pair_claim::mine_was_taken;
    }
    const bool mine_first = Fault == own_word_first || &mine < &theirs;
    race_claim_copy& first = mine_first ? mine : theirs;
    race_claim_copy& second = mine_first ? theirs : mine;
    if (!first.change_from_open(1)) return lost(first, mine);
    if (!second.claim()) {
      first.settle(0);
      return lost(second, mine);
    }
    first.settle(3);
    return pair_claim::both;
  }

 private:
  [[nodiscard]] static pair_claim lost(const race_claim_copy& which, const race_claim_copy& mine) {
    return &which == &mine ? pair_claim::mine_was_taken : pair_claim::theirs_was_taken;
  }
  [[nodiscard]] bool change_from_open(std::uint32_t to) {
    for (;;) {
      std::uint32_t found = 0;
      if (word_.compare_exchange(found, to, std::memory_order_relaxed, std::memory_order_relaxed)) return true;
      if (found == 3) return false;
      if (found == 1 && !word_.compare_exchange(found, 2, std::memory_order_relaxed, std::memory_order_relaxed)) {
        continue;
      }
      model_sync::futex_wait(word_, 2);
    }
  }
  void settle(std::uint32_t to) {
    if (word_.exchange(to, std::memory_order_relaxed) == 2 && Fault != no_wake_up) {
      model_sync::futex_wake(word_, std::numeric_limits<std::int32_t>::max());
    }
  }

  model_sync::atomic<std::uint32_t> word_{0, "race"};
};

template <race_fault Fault = race_fault::none>
class race_scenario {
  using enum race_fault;
  static constexpr bool is_copy =
      Fault == one_by_one || Fault == own_word_first || Fault == no_wake_up || Fault == control;
  using claim_word = std::conditional_t<is_copy, race_claim_copy<Fault>, pilfer::detail::race_claim<model_sync>>;
  static constexpr std::size_t most = 2 * max_threads;

 public:
  // All frames are made here: then their addresses, which decide which word is held first, are the same in every execution.
  explicit race_scenario(const verify::run& what) : run_(&what) {
    for (channel& each : channels_) each.capacity = what.size - 1;
    for (std::size_t t = 0; t <= what.thieves.size(); ++t) {
      for (std::size_t i = 0; i < script_of(t).size(); ++i) {
        void* const room = model_sync::allocate(sizeof(wait_frame), alignof(wait_frame));
        frames_[t][i] = new (room) wait_frame(&frames_[t][i]);
      }
    }
  }

  void thread(std::size_t number) {
    const std::string& script = script_of(number);
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      wait_frame& mine = *frames_[number][i];
      const auto wait_for = [&](deed does, std::size_t on) { mine.add(does, on, number); };
      switch (script[i]) {
        case 'p':
          wait_for(sends, 0);
          wait_for(sends, 1);
          break;
        case 'P':
        case 'M':
          wait_for(sends, 1);
          wait_for(sends, 0);
          break;
        case 'e':
        case 'S':
          wait_for(sends, 0);
          wait_for(receives, 0);
          break;
        case 's':
          wait_for(receives, 0);
          wait_for(receives, 1);
          break;
        case 'b':
          wait_for(receives, 1);
          wait_for(receives, 0);
          break;
        case '+': wait_for(sends, 0); break;
        case 'm':
        case '-': wait_for(sends, 1); break;
        default: wait_for(receives, 0); break;
      }
      begin(mine);
    }
  }

  void finish() {
    std::array<std::size_t, most> left{};
    for (channel& each : channels_) {
      for (std::size_t i = 0; i < each.kept; ++i) ++left[each.values[i]];
      for (const entry* receiver = each.receivers.oldest; receiver != nullptr; receiver = receiver->newer) {
        if (receiver->of->word.is_taken()) continue;
        require(each.kept == 0, "no value is kept while a receiver waits");
        for (const entry* sender = each.senders.oldest; sender != nullptr; sender = sender->newer) {
          require(sender->of == receiver->of || sender->of->word.is_taken(), "no sender waits beside a receiver");
        }
      }
    }
    for (std::size_t i = 0; i < most; ++i) {
      require(received_[i] + left[i] == sent_[i], "each value that was sent is received once, or kept");
    }
    for (auto& of_thread : frames_) {
      for (wait_frame* const one : of_thread) {
        if (one == nullptr) continue;
        require(!one->word.is_taken(), "a race that is decided goes on");
        destroy(*one);
      }
    }
  }

 private:
  enum deed : std::uint8_t { sends, receives };
  struct wait_frame;
  // An alternative.
  struct entry {
    wait_frame* of = nullptr;
    entry* older = nullptr;
    entry* newer = nullptr;
    std::size_t channel = 0;
    deed does = sends;
    model_sync::cell<bool> in_line;       // under the guard
    model_sync::cell<std::size_t> value;  // to be sent, or received
  };
  struct wait_frame {
    explicit wait_frame(wait_frame** where) : listed(where) {}
    void add(deed does, std::size_t on, std::size_t value) {
      entry& one = all[alternatives++];
      one.of = this;
      one.channel = on;
      one.does = does;
      one.in_line.set(false);
      if (does == sends) one.value.set(value);
    }
    claim_word word;
    pilfer::detail::coro_countdown<model_sync, coro_variable> left;
    model_sync::cell<const entry*> first;
    model_sync::cell<bool> lined_up;
    std::array<entry, 2> all;
    std::size_t alternatives = 0;
    wait_frame** const listed;  // null there when it has gone on
  };
  // Operations by themselves have no race.
  [[nodiscard]] static claim_word* race_of(const entry& one) {
    return one.of->alternatives == 1 ? nullptr : &one.of->word;
  }
  // A line as claim_first wants it.
  struct line {
    entry* oldest = nullptr;
    entry* newest = nullptr;
    [[nodiscard]] entry* front() const { return oldest; }
    [[nodiscard]] static entry* after(const entry& one) { return one.newer; }
    [[nodiscard]] static claim_word* claim_of(const entry& one) {
      require(one.in_line.get(), "what is in line says so");  // the checker sees whether it is still there
      return race_of(one);
    }
    void push(entry& last) {
      last.older = newest;
      last.newer = nullptr;
      (newest == nullptr ? oldest : newest->newer) = &last;
      newest = &last;
      last.in_line.set(true);
    }
    void remove(entry& one) {
      (one.older == nullptr ? oldest : one.older->newer) = one.newer;
      (one.newer == nullptr ? newest : one.newer->older) = one.older;
      one.in_line.set(false);
    }
    void drop(entry& one) { remove(one); }
  };
  struct channel {
    model_sync::mutex guard;
    line senders;
    line receivers;
    std::array<std::size_t, most> values{};
    std::size_t kept = 0;
    std::size_t capacity = 0;
  };

  // As race::begin and race::line_up.
  void begin(wait_frame& mine) {
    mine.left.begin(Fault == not_counted ? 1 : 2);
    const std::size_t count = mine.alternatives;
    for (std::size_t i = 0; i < count; ++i) {
      if (count > 1 && mine.word.is_taken()) break;
      entry& one = mine.all[i];
      channel& on = channels_[one.channel];
      entry* woken = nullptr;
      bool entered = false;
      {
        const std::lock_guard lock(on.guard);
        entered = one.does == sends ? put(on, one, woken) : take(on, one, woken);
        if (!entered) (one.does == sends ? on.senders : on.receivers).push(one);
      }
      if (woken != nullptr) decide(*woken);
      if (!entered) continue;
      mine.first.set(&one);
      if (mine.left.arrive()) {
        go_on(mine);
        return;
      }
      break;
    }
    mine.lined_up.set(true);
    if (Fault != not_counted && mine.left.arrive()) go_on(mine);
  }
  [[nodiscard]] entry* first_of(line& from, claim_word* mine) {
    if constexpr (Fault == serves_itself) {
      entry* const oldest = from.front();
      if (oldest != nullptr && mine != nullptr && line::claim_of(*oldest) == mine && mine->claim()) {
        from.remove(*oldest);
        return oldest;
      }
    }
    return pilfer::detail::claim_first(from, mine);
  }
  // As channel::put and channel::take.
  bool put(channel& to, entry& mine, entry*& woken) {
    claim_word* const word = race_of(mine);
    if (entry* const receiver = first_of(to.receivers, word)) {
      require(receiver->of != mine.of, "a race does not serve itself");
      receiver->value.set(mine.value.get());
      ++sent_[mine.value.get()];
      woken = receiver;
      return true;
    }
    if (to.kept == to.capacity || (word != nullptr && !word->claim())) return false;
    to.values[to.kept++] = mine.value.get();
    ++sent_[mine.value.get()];
    return true;
  }
  bool take(channel& from, entry& mine, entry*& woken) {
    claim_word* const word = race_of(mine);
    if (from.kept != 0) {
      if (Fault != late_claim && word != nullptr && !word->claim()) return false;
      mine.value.set(pop(from));
      if (Fault == late_claim && word != nullptr && !word->claim()) return false;
      if (entry* const sender = first_of(from.senders, nullptr)) {
        ++sent_[sender->value.get()];
        from.values[from.kept++] = sender->value.get();
        woken = sender;
      }
      return true;
    }
    entry* const sender = first_of(from.senders, word);
    if (sender == nullptr) return false;
    require(sender->of != mine.of, "a race does not serve itself");
    ++sent_[sender->value.get()];
    mine.value.set(sender->value.get());
    woken = sender;
    return true;
  }
  static std::size_t pop(channel& from) {
    const std::size_t oldest = from.values[0];
    for (std::size_t i = 1; i < from.kept; ++i) from.values[i - 1] = from.values[i];
    --from.kept;
    return oldest;
  }

  // As wake_ups and race::end_by.
  void decide(entry& first) {
    wait_frame& of = *first.of;
    of.first.set(&first);
    if (of.left.arrive()) go_on(of);
  }
  // As race::end, and what the coroutine does then.
  void go_on(wait_frame& mine) {
    const std::size_t count = mine.alternatives;
    for (std::size_t i = 0; i < count && Fault != left_in_line; ++i) {
      entry& one = mine.all[i];
      channel& on = channels_[one.channel];
      const std::lock_guard lock(on.guard);
      if (one.in_line.get()) (one.does == sends ? on.senders : on.receivers).remove(one);
    }
    if constexpr (Fault != not_counted) require(mine.lined_up.get(), "its thread has lined up all alternatives");
    const entry* const first = mine.first.get();
    if (first->does == receives) ++received_[first->value.get()];
    *mine.listed = nullptr;
    destroy(mine);
  }
  static void destroy(wait_frame& one) {
    one.~wait_frame();
    model_sync::deallocate(&one, alignof(wait_frame));
  }
  [[nodiscard]] const std::string& script_of(std::size_t number) const {
    return number == 0 ? run_->owner : run_->thieves[number - 1];
  }

  const verify::run* run_;
  std::array<channel, 2> channels_;
  std::array<std::array<wait_frame*, 2>, max_threads> frames_{};
  std::array<std::size_t, most> sent_{};
  std::array<std::size_t, most> received_{};
};

}  // namespace pilfer::model::protocols
