// Looks at half of the workers, different ones at random, and takes the one with most.
//
// 001 measures "best of half, i.e. best of four" with eight queues, and finds it the worst of all in many cases: every look
// disturbs an owner. It says nothing of larger machines; there we stop at most_looks, so that a choice has a bound.
// Sources: 001, 6.2.3, `best_of_many`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <pilfer/ext/victim_policy.hpp>

namespace pilfer::victim {

class best_of_many : public ext::random_policy {
 public:
  static constexpr std::string_view name = "best_of_many";
  static constexpr std::size_t most_looks = 16;  // not measured yet: twice 001's queues

  explicit best_of_many(const victim_setup& setup) : random_policy(setup) { shuffle_from_order(); }

  template <class View>
  [[nodiscard]] std::size_t choose(View&& view) {
    if (places_.empty()) return npos;
    std::size_t best = npos;
    std::size_t most = 0;
    // The front of a shuffle. Any arrangement is a fair one to go on from, so the last choice's is left as it is.
    for (std::size_t i = 0; i < looks(); ++i) {
      std::swap(places_[i], places_[i + random_.below(places_.size() - i)]);
      const std::size_t victim = others_.at(places_[i]);
      const std::size_t size = view.size_hint(victim);
      if (best == npos || size > most) {
        best = victim;
        most = size;
      }
    }
    return best;
  }
  void resize(std::size_t workers) {
    others_.resize(workers);
    shuffle_from_order();
  }

  // How many workers a choice looks at.
  [[nodiscard]] std::size_t looks() const noexcept {
    return std::min({(others_.workers() + 1) / 2, places_.size(), most_looks});
  }

 private:
  void shuffle_from_order() {
    places_.resize(others_.count());
    std::iota(places_.begin(), places_.end(), std::size_t{0});
  }

  std::vector<std::size_t> places_;  // of `others_`, in any order
};

}  // namespace pilfer::victim
