// The knapsack problem by branch and bound: tasks share the best value so far, and leave a branch that cannot beat it.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

#include <pilfer/pilfer.hpp>

namespace {

struct item {
  int weight, value;
};

class knapsack {
 public:
  explicit knapsack(std::vector<item> items) : items_(std::move(items)) {
    // The best value for its weight first: then the bound below is a tight one.
    std::ranges::sort(items_, [](item a, item b) { return a.value * b.weight > b.value * a.weight; });
  }
  int best(int capacity) {
    branch(0, capacity, 0);
    return best_;
  }

 private:
  void branch(std::size_t next, int room, int value) {
    int seen = best_;
    while (value > seen && !best_.compare_exchange_weak(seen, value)) continue;
    if (next == items_.size() || value + bound(next, room) <= best_) return;
    const item& it = items_[next];
    const auto take = [&] { branch(next + 1, room - it.weight, value + it.value); };
    const auto leave = [&] { branch(next + 1, room, value); };
    if (it.weight > room) return leave();
    pilfer::fork_join(take, leave);
  }
  // As if the rest could be filled with the next item, cut to size.
  [[nodiscard]] int bound(std::size_t next, int room) const {
    return (room * items_[next].value + items_[next].weight - 1) / items_[next].weight;
  }

  std::vector<item> items_;
  std::atomic<int> best_{0};
};

}  // namespace

int main() {
  std::vector<item> items;
  for (int i = 0; i < 40; ++i) items.push_back({10 + i * 37 % 41, 10 + i * 53 % 47});
  constexpr int capacity = 200;
  const int found = knapsack(items).best(capacity);
  int best[capacity + 1] = {};  // the slow and certain way
  for (const item& it : items) {
    for (int r = capacity; r >= it.weight; --r) best[r] = std::max(best[r], best[r - it.weight] + it.value);
  }
  std::printf("the best knapsack is worth %d\n", found);
  return found == best[capacity] ? 0 : 1;
}
