// Longer queues more often: another policy selects a victim, one probe of its queue accepts it or not.
//
// A queue of size S and capacity C is accepted with a chance of S / C, so with an even selector and equal capacities a
// victim's chance is proportional to its size. Nobody computes a size: the probe looks at one random place of the queue
// (`sample`), which disturbs the owner least.
//
// 001 selects until a probe accepts. We stop after most_tries and take the last one selected: when all queues are empty the
// thief must come back to find that out, and a queue whose probes err must not be passed over for ever. A refusal is no
// failure, and the selector is not told of it: a short queue has something too.
// Sources: 001, 3.4 and 6.2.3 (best with `numa`).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <pilfer/ext/victim_policy.hpp>

namespace pilfer::victim {

template <ext::static_victim_policy Selector>
class probabilistic {
  static constexpr std::string_view prefix = "probabilistic-";
  static constexpr auto spelled = [] {
    std::array<char, prefix.size() + Selector::name.size()> letters{};
    std::copy(Selector::name.begin(), Selector::name.end(), std::copy(prefix.begin(), prefix.end(), letters.begin()));
    return letters;
  }();

 public:
  static constexpr std::string_view name{spelled.data(), spelled.size()};
  static constexpr std::size_t most_tries = 8;  // not measured yet: as many as 001 has blocks in a queue

  explicit probabilistic(const victim_setup& setup)
      : selector_(setup), random_(setup.seed, ~setup.self) {}  // not the selector's stream: the two must not agree

  template <class View>
  [[nodiscard]] std::size_t choose(View&& view) {
    std::size_t victim = selector_.choose(view);
    for (std::size_t tries = 1; victim != npos; ++tries) {
      if (view.sample(victim, random_()) || tries == most_tries) break;
      victim = selector_.choose(view);
    }
    return victim;
  }
  void stole(std::size_t victim) { selector_.stole(victim); }
  void failed(std::size_t victim) { selector_.failed(victim); }
  void resize(std::size_t workers) { selector_.resize(workers); }

 private:
  Selector selector_;
  ext::random_source random_;
};

}  // namespace pilfer::victim
