#include "clients.hpp"

#include <algorithm>
#include <stdexcept>

namespace pilfer::model::verify {
namespace {

using thieves = std::vector<std::string>;

// All scripts of `length` pushes and takes that begin with a push.
[[nodiscard]] std::vector<std::string> scripts(std::size_t length) {
  std::vector<std::string> all;
  for (std::size_t bits = 0; bits < (std::size_t{1} << (length - 1)); ++bits) {
    std::string script = "+";
    for (std::size_t i = 0; i + 1 < length; ++i) script += (bits >> i & 1) != 0 ? '-' : '+';
    all.push_back(script);
  }
  return all;
}

struct shape {
  std::size_t blocks;
  std::size_t size;
};
[[nodiscard]] std::vector<shape> shapes(const subject& s) {
  if (s.blocks) return {{2, 1}, {2, 2}, {4, 1}};
  if (s.seizes) return {{0, 1}, {0, 2}};
  return {{0, 1}, {0, 2}, {0, 4}};
}

[[nodiscard]] run made(std::string owner, thieves others, shape size) {
  run r;
  r.owner = std::move(owner);
  r.thieves = std::move(others);
  r.blocks = size.blocks;
  r.size = size.size;
  return r;
}

[[nodiscard]] std::vector<run> all_of(const subject& s, std::size_t length, const std::vector<thieves>& others) {
  std::vector<run> runs;
  for (const std::string& script : scripts(length)) {
    for (const thieves& t : others) {
      for (const shape size : shapes(s)) runs.push_back(made(script, t, size));
    }
  }
  if (s.signals) {
    for (run& r : runs) r.interrupts = 1;
  }
  return runs;
}

// How long a script may be for the search to end within seconds: what thieves and owner share differs a lot.
[[nodiscard]] std::size_t fitting(const subject& s, std::size_t length) {
  if (s.asymmetric) return length - 2;  // a barrier may come between any two operations of the owner
  if (s.traits.requests || s.traits.name == std::string("bwos-lifo")) return length - 1;  // requests are shared words
  return length;
}

[[nodiscard]] std::vector<run> small(const subject& s) {
  return all_of(s, s.seizes ? 3 : s.asymmetric ? 4 : 5, {{"ss"}});
}
[[nodiscard]] std::vector<run> two_thieves(const subject& s) {
  if (s.seizes) return {made("+", {"s", "s"}, {0, 2}), made("+-", {"s", "s"}, {0, 2})};
  return all_of(s, fitting(s, 4), {{"s", "s"}});
}
[[nodiscard]] std::vector<run> two_by_two(const subject& s) {
  if (s.seizes) return {};  // minutes
  if (s.asymmetric) return all_of(s, 2, {{"s", "ss"}});
  if (s.traits.requests) return all_of(s, 2, {{"s", "ss"}});
  std::vector<run> runs = all_of(s, fitting(s, 3), {{"ss", "ss"}});
  // Four blocks and four steals: minutes, and nothing that two blocks do not have.
  std::erase_if(runs, [](const run& r) { return r.blocks == 4; });
  return runs;
}
[[nodiscard]] std::vector<run> long_scripts(const subject& s) { return all_of(s, 5, {{"s", "s"}, {"ss", "ss"}}); }

// The thief whose barrier still worked meets the owner that has just resigned itself to fences.
[[nodiscard]] std::vector<run> resigning(const subject& s) {
  if (!s.asymmetric || s.seizes) return {};
  run r = made("++--", {"ss", "s"}, {0, 2});
  r.membarrier = barriers::refused_later;
  return {r};
}

[[nodiscard]] std::vector<run> batches(const subject& s) {
  if (!s.traits.batch) return {};
  return all_of(s, 4, {{"bs"}, {"b", "b"}});
}

// Just before indices or tags wrap.
[[nodiscard]] std::vector<run> narrow(const subject& s) {
  std::vector<run> runs;
  if (!s.narrow) return runs;
  const std::size_t most = s.asymmetric ? 1 : 2;  // what index_math allows of 3 bits
  const auto others = s.asymmetric ? std::vector<thieves>{{"ss"}} : std::vector<thieves>{{"ss"}, {"s", "s"}};
  for (run r : all_of(s, fitting(s, s.asymmetric ? 5 : 4), others)) {
    if (!s.blocks && r.size > most) continue;
    r.narrow = true;
    for (const std::size_t before : {std::size_t{6}, std::size_t{7}}) {
      r.before = before;
      runs.push_back(r);
    }
  }
  return runs;
}

[[nodiscard]] std::vector<run> stopped_thief(const subject& s) {
  std::vector<run> runs;
  if (s.locks) return runs;  // who is stopped while it holds the lock blocks everybody, and nobody claims otherwise
  for (run r : all_of(s, s.asymmetric ? 3 : 5, {{"ss"}})) {
    r.killed = 1;
    runs.push_back(r);
  }
  for (run r : all_of(s, fitting(s, 3), {{"s", "s"}})) {
    r.killed = 1;
    runs.push_back(r);
  }
  return runs;
}

// A thief that begins after the pushes happened, and nobody else takes: it must get something.
[[nodiscard]] std::vector<run> late_thief(const subject& s) {
  std::vector<run> runs;
  for (const shape size : shapes(s)) {
    if (s.seizes && size.size == 1) continue;  // bounded: two items do not fit
    if (s.traits.split) {
      runs.push_back(made("++eA", {"wT"}, size));
      runs.push_back(made("++ee-A", {"wT"}, size));
      runs.push_back(made("+++eeA", {"wTT"}, size));
    } else if (s.traits.name == std::string("bwos-lifo")) {
      // What lies in a block that the owner has left.
      const std::string block(size.size, '+');
      runs.push_back(made(block + "+A", {"wT"}, size));
      runs.push_back(made(block + "+-A", {size.size == 1 ? "wT" : "w"}, size));
      runs.push_back(made(block + "+--" + block + "+A", {"wT"}, size));
      // A block that was emptied and used again before the thief saw that it was exhausted.
      if (size.blocks == 2 && size.size == 1) runs.push_back(made("++Ax+C", {"wsByT"}, size));
    } else if (s.blocks) {  // FIFO: what the owner has not begun to take from
      runs.push_back(made("+A", {"wT"}, size));
      runs.push_back(made("+-" + std::string(size.size, '+') + "A", {"wT"}, size));
    } else {
      runs.push_back(made("+A", {"wT"}, size));
      runs.push_back(made("+-+A", {"wT"}, size));
      if (size.size > 1 || s.growing) runs.push_back(made("++-A", {"wT"}, size));
    }
  }
  return runs;
}

// A thief that found only private work gets some after the owner's next push or pop.
[[nodiscard]] std::vector<run> early_grant(const subject& s) {
  std::vector<run> runs;
  const bool lifo = s.traits.name == std::string("bwos-lifo");
  if (!lifo && !s.traits.requests) return runs;
  const std::vector<shape> sizes = lifo ? std::vector<shape>{{2, 3}, {2, 4}} : std::vector<shape>{{0, 2}, {0, 4}};
  for (const shape size : sizes) {
    for (const char* owner : {"+Aw+B", "++Aw+B", "+++Aw-B", "++++Aw-B"}) {
      if (lifo && std::string(owner).find("++++") == 0 && size.size < 4) continue;
      // Gates: A the owner has pushed, w (A') the thief has asked, B the owner's next operation is done.
      run r = made(owner, {"wsBxT"}, size);
      r.owner = owner;
      std::replace(r.owner.begin(), r.owner.end(), 'w', 'x');
      std::replace(r.owner.begin(), r.owner.end(), 'B', 'C');
      r.thieves = {"wsByT"};
      runs.push_back(r);
    }
  }
  return runs;
}

// FIFO: thieves may stop anywhere, and the queue is never empty and full at once.
[[nodiscard]] std::vector<run> empty_and_full(const subject& s) {
  std::vector<run> runs;
  if (s.traits.name != std::string("bwos-fifo")) return runs;
  for (const int killed : {-1, 1}) {
    for (run r :
         {made("++-+--+", {"s"}, {2, 1}), made("++-+--+-+", {"ss"}, {2, 1}), made("++++--++-----+", {"b"}, {2, 2}),
          made("++-+--+", {"s", "s"}, {2, 1}), made("++-+--++--+", {"b"}, {4, 1})}) {
      r.killed = killed;
      runs.push_back(r);
    }
  }
  return runs;
}

[[nodiscard]] std::vector<run> interrupts(const subject& s) {
  std::vector<run> runs;
  if (!s.signals) return runs;
  for (run r : all_of(s, 4, {{"s"}})) {
    r.interrupts = 2;
    runs.push_back(r);
  }
  return runs;
}

// Several public items, which owner and thieves race for.
[[nodiscard]] std::vector<run> exposed(const subject& s) {
  std::vector<run> runs;
  if (!s.traits.split) return runs;
  for (const char* owner : {"++ee-", "++ee--", "+++eee--", "+++ee---", "++eeP+eP", "++ee-+e-", "+e-+e-"}) {
    for (const thieves& t : {thieves{"ss"}, thieves{"s", "s"}}) {
      if (s.seizes && (t.size() > 1 || std::string_view(owner).size() > 5)) continue;  // minutes
      if (s.traits.requests && t.size() > 1 && std::string_view(owner).size() > 5)
        continue;  // minutes: requests are shared
      for (const shape size : shapes(s)) runs.push_back(made(owner, t, size));
    }
  }
  return runs;
}

[[nodiscard]] std::vector<run> refused(const subject& s) {
  std::vector<run> runs;
  if (!s.asymmetric) return runs;
  if (s.seizes) {  // and in `seizing`
    for (run r : all_of(s, 3, {{"ss"}})) {
      r.membarrier = barriers::refused;
      runs.push_back(r);
    }
    return runs;
  }
  for (const barriers how : {barriers::refused, barriers::refused_later}) {
    for (run r : all_of(s, how == barriers::refused ? 5 : 3, {{"ss"}})) {
      r.membarrier = how;
      runs.push_back(r);
    }
  }
  for (run r : all_of(s, 3, {{"s", "s"}})) {  // one barrier works, the other does not
    r.membarrier = barriers::refused_later;
    runs.push_back(r);
  }
  return runs;
}

[[nodiscard]] std::vector<run> half(const subject& s) {
  std::vector<run> runs;
  if (!s.traits.requests || s.seizes) return runs;
  for (run r : all_of(s, 5, {{"ss"}})) {
    r.half = true;
    runs.push_back(r);
  }
  return runs;
}

// Lace's rule: owner and thieves race for a public part of which half comes back.
[[nodiscard]] run with_lace(const char* owner, thieves others, std::size_t size) {
  run r = made(owner, std::move(others), {0, size});
  r.lace = true;
  return r;
}
[[nodiscard]] std::vector<run> take_back(const subject& s) {
  std::vector<run> runs;
  if (!s.traits.requests || s.seizes) return runs;
  for (const char* owner : {"++ee-", "++ee--"}) {
    runs.push_back(with_lace(owner, {"ss"}, 1));
    for (const std::size_t before : {std::size_t{5}, std::size_t{6}, std::size_t{7}}) {
      runs.push_back(with_lace(owner, {"ss"}, 2));
      runs.back().narrow = true;
      runs.back().before = before;
    }
  }
  runs.push_back(with_lace("++ee-", {"s", "s"}, 4));
  for (const char* owner : {"+++eee-", "+++eeeP+", "++++eeee-"}) {
    for (const std::size_t size : {std::size_t{2}, std::size_t{4}}) runs.push_back(with_lace(owner, {"ss"}, size));
  }
  for (const char* owner : {"+++eee--", "+++eee---", "+++eee-+-"}) runs.push_back(with_lace(owner, {"ss"}, 4));
  for (const char* owner : {"+++eee--", "++++eeee-"}) {
    runs.push_back(with_lace(owner, {"ss"}, 4));
    runs.back().killed = 1;
  }
  for (run r : all_of(s, 5, {{"ss"}})) {
    r.lace = true;
    runs.push_back(r);
  }
  return runs;
}
[[nodiscard]] std::vector<run> take_back_long(const subject& s) {
  std::vector<run> runs;
  if (!s.traits.requests || s.seizes) return runs;
  for (const char* owner : {"+++eee-", "+++eee--", "++++eeee-"}) runs.push_back(with_lace(owner, {"s", "s"}, 4));
  for (const char* owner : {"+++eee--", "+++eee---", "++++eeee-", "+++eee-+-"}) {
    runs.push_back(with_lace(owner, {"ss"}, 1));
  }
  return runs;
}

// One thief takes anything, the other only what is younger than the mark that the owner took behind an old item.
[[nodiscard]] std::vector<run> marks(const subject& s) {
  std::vector<run> runs;
  if (!s.traits.marks) return runs;
  std::vector<std::string> owners{"+mA+-", "+mA++-", "+mA+--", "+mA++--", "+mA+--+", "++-mA+"};
  if (s.traits.split) owners = {"+emA+e-", "+mA+ee-", "+emA++ee-", "+emA+ep", "+emA+e--", "++ee-mA+e", "+emA-+e"};
  std::vector<thieves> others{{"s", "wM"}, {"wMM"}};
  if (!s.traits.requests && !s.asymmetric && !s.blocks && !s.signals) others.push_back({"s", "wMM"});
  const bool slow = s.asymmetric || s.signals;  // a barrier or a signal may come between any two operations
  for (const std::string& owner : owners) {
    for (const thieves& t : others) {
      if (slow && t.size() > 1 && owner.size() > (s.signals ? 7 : 5)) continue;
      for (const shape size : shapes(s)) {
        if (size.size == 4 && t.size() > 1) continue;  // as with 2
        run r = made(owner, t, size);
        if (s.signals) r.interrupts = 1;
        runs.push_back(r);
        if (!s.narrow || size.blocks == 4 || (!s.blocks && size.size > (s.asymmetric ? 1U : 2U))) continue;
        r.narrow = true;
        r.before = 7;
        if (t.size() == 1) runs.push_back(r);
      }
    }
  }
  // Once the old item is gone, the younger ones can be had.
  const shape roomy = s.blocks ? shape{4, 1} : shape{0, 2};
  runs.push_back(made(s.traits.split ? "+emA+eB" : s.blocks ? "+mA++B" : "+mA+B", {"xTC", "yN"}, roomy));
  // ABP numbers its slots anew when it has been empty.
  if (s.traits.name == std::string("abp")) runs.push_back(made("+m-+A", {"wN"}, roomy));
  return runs;
}

// A thief that exposes by itself: while the owner does nothing, while it pops, and while it has no room. (Long leaf: A.)
[[nodiscard]] std::vector<run> parsed(const std::vector<const char*>& texts) {
  std::vector<run> runs;
  for (const char* text : texts) runs.push_back(run::parse(text));
  return runs;
}
[[nodiscard]] std::vector<run> seizing(const subject& s) {
  if (!s.seizes) return {};
  return parsed({"+/Ss/2", "++/Ss/1", "++/Ss/2", "+-/Ss/1", "++-/Ss/2", "++--/Ss/2", "+-+/Ss/2", "+e+-/Ss/2",
                 "+eP+/Ss/2", "+/SsSs/2", "+/S,s/2", "++A/wST/2", "+++A/wSTT/4", "+mA++B/xsSsSs,wM/4", "+/Ss/2/refused",
                 "++-/Ss/2/refused", "+-+/Ss/2/refused", "+-/Ss/2/refused-later", "++-/Ss/2/refused-later"});
}
// With two thieves, and with a push that is refused meanwhile.
[[nodiscard]] std::vector<run> seizing_large(const subject& s) {
  if (!s.seizes) return {};
  return parsed({"+A+/SsSs/1", "++-/SsSs/1", "+/s,Ss/2", "++/s,Ss/2", "++/S,Ss/2", "+-/s,Ss/2", "+-/S,Ss/2",
                 "++--/s,Ss/2", "+-/s,Ss/2/refused", "+A+/SsSs/1/refused", "+eP+e/s,s/2", "+eP+eP/s,s/2",
                 "++eePP+e/s,s/2", "+eP+eP+e/s,s/2"});
}
// A stolen item's slot is used again while a thief still holds what it read of the age before.
[[nodiscard]] std::vector<run> stolen_joins(const subject& s) {
  if (!s.seizes) return {};
  return parsed({"+eP+e/ss/2", "+eP+e/ss/1"});
}

// A protocol brings its own runs.
[[nodiscard]] std::vector<run> protocol(const subject& /*s*/) { return {}; }

constexpr const char* figure_9 = "+++--++++---+++++----";
[[nodiscard]] run of_figure_9(const subject& s, thieves others) {
  run r = made(figure_9, std::move(others), s.blocks ? shape{2, 2} : shape{0, 4});
  if (s.signals) r.interrupts = 2;
  return r;
}
[[nodiscard]] std::vector<run> fig9(const subject& s) { return {of_figure_9(s, {"s", "ss"})}; }
[[nodiscard]] std::vector<run> fig9_three(const subject& s) { return {of_figure_9(s, {"s", "s", "s"})}; }

}  // namespace

const std::vector<client>& clients() {
  static const std::vector<client> all{
      {"small",
       "owner: all scripts of 5 pushes and takes; one thief, two steals; capacities 1, 2, 4, blocks of 1 and 2", false,
       -1, 0, small},
      {"two-thieves", "owner: all scripts of 4 (2 or 3 where more is shared); two thieves, a steal each", false, -1, 0,
       two_thieves},
      {"two-by-two", "owner: all scripts of 3 (2 where more is shared); two thieves, two steals each", false, -1, 0,
       two_by_two},
      {"batch", "owner: all scripts of 4; thieves take batches of two", false, -1, 0, batches},
      {"narrow", "3-bit indices and tags just before they wrap; scripts of 4", false, -1, 0, narrow},
      {"stopped-thief", "a thief stops for ever, at each point in turn: the others finish", false, -1, 0,
       stopped_thief},
      {"late-thief", "items that happened before a steal, and that nobody else takes, are found", false, -1, 0,
       late_thief},
      {"early-grant", "who found only private work gets some after the owner's next operation", false, -1, 0,
       early_grant},
      {"empty-and-full", "FIFO: a push after \"empty\" succeeds, whatever thieves do", false, -1, 0, empty_and_full},
      {"interrupts", "exposure from a signal handler, twice, between any two operations", false, -1, 0, interrupts},
      {"exposed", "split deques: several public items that owner and thieves race for", false, -1, 0, exposed},
      {"refused", "membarrier refused, from the start or later", false, -1, 0, refused},
      {"half", "a request exposes half", false, -1, 0, half},
      {"take-back", "Lace's rule: half of the public part comes back when the private one is empty", false, -1, 0,
       take_back},
      {"marks", "a thief that steals from a mark gets nothing that was pushed before it", false, -1, 0, marks},
      {"seizing", "a thief exposes by itself, after a membarrier", false, -1, 0, seizing},
      {"seizing-random", "the same with two thieves, at random", false, -1, 10000, seizing_large},
      {"seizing-full", "the same with two thieves", true, -1, 0, seizing_large, 120},
      {"stolen-join", "the slot of a stolen item is used again before a late thief's claim", false, -1, 0,
       stolen_joins},
      {protocol_name, "parts of the runtime: forks and joins, sleep and waking, tickets", false, -1, 0, protocol},
      {protocol_random, "the same with more threads, at random", false, -1, 20000, protocol},
      {protocol_full, "the same, exhaustively", true, -1, 0, protocol, 120},
      {"fig9-random", "001's Fig. 9: 3 push 2 take 4 push 3 take 5 push 4 take; thieves of 1 and 2 steals; random",
       false, -1, 30000, fig9},
      {"take-back-long", "the same with two thieves, and growth from a capacity of 1", true, -1, 0, take_back_long},
      {"resigning", "asymmetric: membarrier works for one thief and is refused to the other", true, -1, 0, resigning},
      {"long", "owner: all scripts of 5; two thieves of one and of two steals each; hours, and only if named", true, -1,
       0, long_scripts, 60, true},
      {"fig9", "001's Fig. 9 within a preemption bound of 3, and 10^7 random executions", true, 3, 10'000'000, fig9,
       200},
      {"fig9-three", "the same owner, three thieves", true, 3, 10'000'000, fig9_three, 120},
  };
  return all;
}

std::vector<run> client::runs(const subject& s) const {
  if (s.protocol == nullptr) return made_for(s);
  if (name == std::string_view(protocol_name)) return s.protocol();
  if (name == std::string_view(protocol_random) || name == std::string_view(protocol_full)) return s.large();
  return {};
}

const client& client_called(const std::string& name) {
  for (const client& c : clients()) {
    if (name == c.name) return c;
  }
  throw std::invalid_argument("there is no client '" + name + "'");
}

const std::vector<subject>& subjects() {
  static const std::vector<subject> all = [] {
    std::vector<subject> list;
    add_classic(list);
    add_blocks(list);
    add_light(list);
    add_fork(list);
    add_protocols(list);
    return list;
  }();
  return all;
}

const subject& subject_called(const std::string& name) {
  for (const subject& s : subjects()) {
    if (name == s.name) return s;
  }
  throw std::invalid_argument("there is no queue '" + name + "'");
}

}  // namespace pilfer::model::verify
