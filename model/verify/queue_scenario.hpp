// A run of one queue as a scenario of the checker, and what must hold of it.
//
// Properties
//   identity    each item that was pushed is taken exactly once, by the owner, a thief or the final drain; nothing else is.
//               Behind each item lies a plain cell that the owner writes and the taker reads: a missing edge is a race.
//   order       LIFO: the owner never gets an item while it has pushed a younger one that it has not taken. FIFO: the owner
//               gets items in the order of pushing. Thieves of a LIFO queue get ever younger items.
//   emptiness   when the owner is told "empty", every item it pushed until then is with somebody.
//   room        FIFO: a push after "empty" succeeds. Bounded Chase-Lev: push says no only with `capacity` items inside.
//   marks       who steals from a mark gets nothing that was pushed before the mark was taken.
//   progress    with one thief stopped for ever, at any point, everybody else finishes.
#pragma once

#include <pilfer/ext/queue_concept.hpp>

#include <array>
#include <span>
#include <string_view>

#include "model/model_sync.hpp"
#include "run.hpp"

namespace pilfer::model::verify {

// What the properties need to know of a queue that its traits do not say.
struct promises {
  bool owner_order = true;
  bool thieves_oldest_first = true;
  bool exact_empty = true;
  bool room_after_empty = false;
  bool exact_full = false;
};

template <class Queue, promises Promised>
class queue_scenario {
 public:
  // `made` is a queue made in place: Queue cannot be moved.
  template <class Make>
  queue_scenario(const run& what, const Make& make) : run_(&what), queue_(make()) {
    for (std::size_t i = 0; i < what.before; ++i) {
      require(queue_.owner().push(1), "a push into an empty queue succeeds");
      require(queue_.owner().take().has_value(), "a take of what was just pushed succeeds");
    }
  }
  queue_scenario(const queue_scenario&) = delete;
  queue_scenario& operator=(const queue_scenario&) = delete;

  void thread(std::size_t number) {
    const std::string_view script = number == 0 ? std::string_view(run_->owner) : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      operation(number, i, script[i]);
    }
    phase(script.size());
  }

  // A signal handler of the owner's thread.
  void interrupt() {
    if constexpr (Queue::traits.split) queue_.owner().expose(1);
  }

  void finish() {
    for (std::size_t n = 0; n <= max_items; ++n) {
      const auto rest = queue_.owner().take();
      if (!rest) break;
      took(drain, *rest);
    }
    auto left = queue_.thief().steal();
    require(!left, "after the owner has drained the queue, a thief finds nothing");
    check_identity();
    if constexpr (Promised.owner_order) check_owner_order();
    if constexpr (Promised.thieves_oldest_first) check_thieves_order();
    if constexpr (Promised.exact_empty) check_emptiness();
  }

 private:
  static constexpr std::size_t max_items = max_script;
  static constexpr std::size_t drain = max_threads;
  using item = typename Queue::item_type;

  void operation(std::size_t number, std::size_t at, char what) {
    if (what >= 'A' && what <= 'D') return announce(static_cast<unsigned>(what - 'A'));
    if (what >= 'w' && what <= 'z') return await(static_cast<unsigned>(what - 'w'));
    if (number == 0) {
      own(at, what);
    } else {
      steal(number, what);
    }
  }

  void own(std::size_t at, char what) {
    auto owner = queue_.owner();
    if (what == '+') {
      const auto fresh = static_cast<unsigned>(++pushed_);
      payload_[fresh].set(fresh);
      const bool room = owner.push(static_cast<item>(fresh));
      note(room ? "push" : "push refused", fresh);
      if (!room) {
        refused_[fresh] = true;
        if constexpr (Promised.room_after_empty) {
          require(!was_empty_, "a push after pop has said \"empty\" succeeds: never empty and full at once");
        }
        if constexpr (Promised.exact_full) require(inside_ >= run_->size, "push says no only to a full deque");
      } else {
        ++inside_;
      }
      log_[at] = static_cast<int>(fresh);
      was_empty_ = false;
      return;
    }
    if constexpr (Queue::traits.split) {
      if (what == 'e') {
        owner.expose(1);
        return;
      }
    }
    if constexpr (Queue::traits.marks) {
      if (what == 'm') {
        marked_ = {.mark = owner.mark(), .pushed = pushed_};
        note("mark", marked_.mark);
        return;
      }
    }
    const auto got = [&] {
      if constexpr (Queue::traits.split) {
        if (what == 'p') return owner.pop();
        if (what == 'P') return owner.pop_public();
      }
      return owner.take();
    }();
    was_empty_ = !got.has_value();
    if (got) {
      took(0, *got);
      --inside_;
      log_[at] = -static_cast<int>(*got);
    } else {
      note("empty", 0);
      log_[at] = what == '-' ? says_empty : 0;
    }
  }

  void steal(std::size_t number, char what) {
    auto thief = queue_.thief();
    if constexpr (Queue::traits.batch) {
      if (what == 'b') {
        std::array<item, 2> both{};
        const auto got = thief.steal_batch(both);
        for (std::size_t i = 0; i < got.count; ++i) took(number, both[i]);
        return;
      }
    }
    if constexpr (requires { queue_.seize(); }) {
      if (what == 'S') {
        note("seized", queue_.seize());
        return;
      }
    }
    const bool marked = what == 'M' || what == 'N';
    const marked_place from = marked_;
    const auto got = [&] {
      if constexpr (Queue::traits.marks) {
        if (marked) return thief.steal_from(from.mark);
      }
      return thief.steal();
    }();
    if (got) {
      took(number, *got);
      require(!marked || *got > from.pushed, "a thief that steals from a mark gets nothing older");
      return;
    }
    note(ext::to_string(got.status()), number);
    require(what != 'T' && what != 'N', "a thief to which the items are visible gets one");
    if constexpr (Queue::traits.requests) {
      if (got.status() == ext::steal_status::private_work) thief.request();
    }
  }

  void took(std::size_t who, item x) {
    note(who == drain ? "drained" : who == 0 ? "owner took" : "thief took", static_cast<std::uint64_t>(x));
    require(x >= 1 && static_cast<std::size_t>(x) <= max_items, "an item was taken that nobody pushed");
    const auto number = static_cast<std::size_t>(x);
    require(payload_[number].get() == x, "the payload behind an item is the owner's");
    require(counts_[who] < max_items, "more was taken than there was");
    taken_[who][counts_[who]++] = number;
  }

  void check_identity() {
    std::array<unsigned, max_items + 1> times{};
    for (std::size_t who = 0; who <= drain; ++who) {
      for (std::size_t i = 0; i < counts_[who]; ++i) {
        const std::size_t x = taken_[who][i];
        require(x <= pushed_ && !refused_[x], "an item was taken that was not pushed");
        require(times[x] == 0, "an item was taken twice");
        ++times[x];
        if (who != 0 && who != drain) stolen_[x] = true;
      }
    }
    std::size_t lost = 0;
    for (std::size_t x = 1; x <= pushed_; ++x) {
      if (times[x] == 0 && !refused_[x]) {
        ++lost;
        stolen_[x] = true;  // if anybody has it, the stopped thief
      }
    }
    // A thief that is stopped may have claimed what one of its steals can claim.
    std::size_t may_lack = 0;
    if (run_->killed > 0) {
      may_lack = run_->thieves[static_cast<std::size_t>(run_->killed) - 1].find('b') == std::string::npos ? 1 : 2;
    }
    require(lost <= may_lack, "an item was lost");
  }

  void check_owner_order() {
    std::array<std::size_t, max_items + 1> mine{};  // pushed and not taken by the owner, oldest first
    std::size_t count = 0;
    std::size_t last = 0;
    for (std::size_t at = 0; at < run_->owner.size(); ++at) {
      const int what = log_[at];
      if (what == says_empty || what == 0) continue;
      if (what > 0) {
        if (!refused_[static_cast<std::size_t>(what)]) mine[count++] = static_cast<std::size_t>(what);
        continue;
      }
      const auto x = static_cast<std::size_t>(-what);
      if constexpr (Queue::traits.order == ext::queue_order::fifo) {
        require(x > last, "the owner of a FIFO queue gets its items in the order of pushing");
        last = x;
      } else {
        require(count > 0 && mine[count - 1] == x, "the owner of a LIFO queue gets its youngest item");
        --count;
      }
    }
  }

  void check_thieves_order() {
    for (std::size_t who = 1; who < drain; ++who) {
      for (std::size_t i = 1; i < counts_[who]; ++i) {
        require(taken_[who][i - 1] < taken_[who][i], "a thief gets ever younger items");
      }
    }
  }

  void check_emptiness() {
    std::size_t seen = 0;
    for (std::size_t at = 0; at < run_->owner.size(); ++at) {
      if (log_[at] > 0) seen = static_cast<std::size_t>(log_[at]);
      if (log_[at] != says_empty) continue;
      for (std::size_t x = 1; x <= seen; ++x) {
        if (refused_[x] || stolen_[x]) continue;
        bool before = false;
        for (std::size_t i = 0; i < at; ++i) before = before || log_[i] == -static_cast<int>(x);
        require(before, "the owner is told \"empty\" although an item is there");
      }
    }
  }

  static constexpr int says_empty = -1000;
  struct marked_place {
    std::uint64_t mark = 0;
    std::size_t pushed = 0;  // until then
  };

  const run* run_;
  Queue queue_;
  std::array<model_sync::cell<item>, max_items + 1> payload_;
  std::size_t pushed_ = 0;
  std::size_t inside_ = 0;  // as the owner knows it: pushed and not taken by itself
  bool was_empty_ = false;
  marked_place marked_;
  std::array<int, max_script> log_{};  // the owner's: > 0 pushed, < 0 took
  std::array<bool, max_items + 1> refused_{};
  std::array<bool, max_items + 1> stolen_{};
  std::array<std::array<std::size_t, max_items + 1>, max_threads + 1> taken_{};
  std::array<std::size_t, max_threads + 1> counts_{};
};

}  // namespace pilfer::model::verify
