// Which alternative of a race takes effect: at most one.
//
// The alternatives of a race wait in several lines at the same time, each under the guard of its line. A thread that is about to serve
// one of them claims the race first, while it holds that guard, and serves it only if the claim succeeds. Where two alternatives of
// different races meet, a send and a receive, both races are claimed, or neither.
//
// State        writer            reader   meaning
//   word_      all threads       same     open -> taken, or through held, on the way to taken or back to open
//
// Invariants
//   I1  At most one claim of a race succeeds; `taken` never changes.
//   I2  Only the thread that has made a word `held` changes it, except from held to contended (a thread sleeps until it changes).
//   I3  A thread that holds one word waits only for a word at a higher address: no two threads wait for one another.
//   I4  The race of a word that a thread looks at exists: the thread holds the guard of a line that one of the race's alternatives is
//       in, or the race waits for that thread.
//
// Edges
//   none: a word carries no data. What the alternative was given is visible through the guard of its line, and to the coroutine by the
//   `last` edge of the countdown in coro_join.hpp.
//
// Sources    claims of both partners of a rendezvous: J. Reppy, C. Russo, Y. Xiao, Parallel Concurrent ML (ICFP 2009), where a thread
//            that finds its partner's word held gives its own back and tries again; the fixed order and the sleep are ours.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include <pilfer/ext/immovable.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct race_orders {
  static constexpr auto relaxed = std::memory_order_relaxed;
};

enum class pair_claim : std::uint8_t { both, mine_was_taken, theirs_was_taken };

template <class Sync, class Orders = race_orders>
class race_claim : ext::immovable {
 public:
  // True if the caller decides the race.
  [[nodiscard]] bool claim() noexcept { return change_from_open(taken); }
  // Hint; true stays true.
  [[nodiscard]] bool is_taken() const noexcept { return word_.load(Orders::relaxed) == taken; }  // hint
  // Claims two different races, or neither.
  [[nodiscard]] static pair_claim claim_both(race_claim& mine, race_claim& theirs) noexcept {
    const bool mine_first = std::less<>()(&mine, &theirs);
    race_claim& first = mine_first ? mine : theirs;
    race_claim& second = mine_first ? theirs : mine;
    if (!first.change_from_open(held)) return lost(first, mine);
    if (!second.claim()) {
      first.settle(open);
      return lost(second, mine);
    }
    first.settle(taken);
    return pair_claim::both;
  }

 private:
  using word = std::uint32_t;
  static constexpr word open = 0;
  static constexpr word held = 1;
  static constexpr word contended = 2;
  static constexpr word taken = 3;

  [[nodiscard]] static pair_claim lost(const race_claim& which, const race_claim& mine) noexcept {
    return &which == &mine ? pair_claim::mine_was_taken : pair_claim::theirs_was_taken;
  }
  // False if it is taken.
  [[nodiscard]] bool change_from_open(word to) noexcept {
    for (;;) {
      word found = open;
      if (word_.compare_exchange(found, to, Orders::relaxed, Orders::relaxed)) return true;  // one word alone decides
      if (found == taken) return false;
      wait_while_held(found);
    }
  }
  void wait_while_held(word found) noexcept {
    if (found == held &&
        !word_.compare_exchange(found, contended, Orders::relaxed, Orders::relaxed)) {  // one word alone decides
      return;
    }
    Sync::futex_wait(word_, contended);
  }
  void settle(word to) noexcept {
    if (word_.exchange(to, Orders::relaxed) == contended) {  // one word alone decides
      Sync::futex_wake(word_, std::numeric_limits<std::int32_t>::max());
    }
  }

  typename Sync::template atomic<word> word_{open, "race"};
};

// Takes the oldest entry out of a line that can be served together with the race `mine`, which may be null, and claims both. Entries
// whose race is taken leave the line on the way; entries of `mine` itself are passed over. Null if there is none, or if `mine` was taken.
// With the line's guard held. A line has front(), after(entry), claim_of(entry), remove(entry) and drop(entry).
template <class Line, class Claim>
[[nodiscard]] auto* claim_first(Line& line, Claim* mine) noexcept {
  auto* each = line.front();
  while (each != nullptr) {
    auto* const next = line.after(*each);
    Claim* const theirs = line.claim_of(*each);
    if (theirs == nullptr) {
      if (mine != nullptr && !mine->claim()) return static_cast<decltype(each)>(nullptr);
      line.remove(*each);
      return each;
    }
    if (theirs != mine) {
      pair_claim got = pair_claim::both;
      if (mine != nullptr) {
        got = Claim::claim_both(*mine, *theirs);
      } else if (!theirs->claim()) {
        got = pair_claim::theirs_was_taken;
      }
      if (got == pair_claim::mine_was_taken) return static_cast<decltype(each)>(nullptr);
      if (got == pair_claim::both) {
        line.remove(*each);
        return each;
      }
      line.drop(*each);
    }
    each = next;
  }
  return each;
}

}  // namespace pilfer::detail
