// Programs as people write them for ParlayLib: its four functions and what is built on them, no exceptions, tables indexed by
// worker_id(). Whoever tests another way to get at these functions includes ParlayLib's header first.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <pilfer/parlay.hpp>

namespace pilfer::test::parlay_programs {

// One T for each worker: no lock, because no two threads have the same id.
template <class T>
class worker_table {
  struct alignas(64) place {
    T value{};
    std::atomic<bool> in_use{false};
  };

 public:
  worker_table() : places_(std::make_unique<place[]>(parlay::num_workers())), size_(parlay::num_workers()) {}
  // Fails the test if two threads are here at a time.
  template <class F>
  void use(F&& f) {
    const std::size_t id = parlay::worker_id();
    ASSERT_LT(id, size_);
    place& mine = places_[id];
    ASSERT_FALSE(mine.in_use.exchange(true));
    f(mine.value);
    ASSERT_EQ(parlay::worker_id(), id);
    ASSERT_TRUE(mine.in_use.exchange(false));
  }
  template <class R>
  [[nodiscard]] R sum(R start) const {
    for (std::size_t i = 0; i != size_; ++i) start += places_[i].value;
    return start;
  }

 private:
  std::unique_ptr<place[]> places_;
  std::size_t size_;
};

template <class T>
T reduce(const T* from, std::size_t n) {
  if (n <= 100) return std::accumulate(from, from + n, T{});
  T left{};
  T right{};
  parlay::par_do([&] { left = reduce(from, n / 2); }, [&] { right = reduce(from + n / 2, n - n / 2); });
  return left + right;
}

// Exclusive, in place: sums of blocks, then of what is before each.
template <class T>
T scan(std::vector<T>& values) {
  constexpr std::size_t block = 256;
  std::vector<T> sums((values.size() + block - 1) / block);
  parlay::blocked_for(0, values.size(), block, [&](std::size_t i, std::size_t from, std::size_t to) {
    sums[i] = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from),
                              values.begin() + static_cast<std::ptrdiff_t>(to), T{});
  });
  T total{};
  for (T& each : sums) total += std::exchange(each, total);
  parlay::blocked_for(0, values.size(), block, [&](std::size_t i, std::size_t from, std::size_t to) {
    T before = sums[i];
    for (std::size_t k = from; k != to; ++k) before += std::exchange(values[k], before);
  });
  return total;
}

template <class T>
void merge_sort(T* from, std::size_t n, T* buffer) {
  if (n <= 64) {
    std::sort(from, from + n);
    return;
  }
  const std::size_t half = n / 2;
  parlay::par_do_if(
      n > 128, [&] { merge_sort(from, half, buffer); }, [&] { merge_sort(from + half, n - half, buffer + half); });
  std::merge(from, from + half, from + half, from + n, buffer);
  parlay::parallel_for(0, n, [&](std::size_t i) { from[i] = buffer[i]; }, 1000);
}

// Nodes that each worker keeps a list of, as ParlayLib's allocator does.
class node_allocator {
 public:
  struct node {
    node* left = nullptr;
    node* right = nullptr;
  };
  node* take() {
    node* found = nullptr;
    lists_.use([&](std::vector<std::unique_ptr<node>>& list) {
      if (list.empty()) list.push_back(std::make_unique<node>());
      found = list.back().release();
      list.pop_back();
    });
    return found;
  }
  void give_back(node* old) {
    lists_.use([&](std::vector<std::unique_ptr<node>>& list) { list.emplace_back(old); });
  }

 private:
  worker_table<std::vector<std::unique_ptr<node>>> lists_;
};

inline node_allocator::node* grow(node_allocator& from, int depth) {
  node_allocator::node* const root = from.take();
  *root = {};
  if (depth > 0) {
    parlay::par_do([&] { root->left = grow(from, depth - 1); }, [&] { root->right = grow(from, depth - 1); });
  }
  return root;
}
inline std::size_t fell(node_allocator& to, node_allocator::node* root) {
  if (root == nullptr) return 0;
  std::size_t left = 0;
  std::size_t right = 0;
  parlay::par_do([&] { left = fell(to, root->left); }, [&] { right = fell(to, root->right); }, true);
  to.give_back(root);
  return left + right + 1;
}

inline std::vector<std::uint64_t> some_numbers(std::size_t n) {
  std::vector<std::uint64_t> values(n);
  parlay::parallel_for(0, n, [&](std::size_t i) { values[i] = (i + 1) * 0x9e3779b97f4a7c15U >> 20; });
  return values;
}

// All of it, inside whatever scheduler the caller is in.
inline void run_all() {
  std::vector<std::uint64_t> values = some_numbers(20'000);
  const std::uint64_t sum = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
  EXPECT_EQ(reduce(values.data(), values.size()), sum);

  std::vector<std::uint64_t> expected(values.size());
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), std::uint64_t{0});
  std::vector<std::uint64_t> scanned = values;
  EXPECT_EQ(scan(scanned), sum);
  EXPECT_EQ(scanned, expected);

  expected = values;
  std::ranges::sort(expected);
  std::vector<std::uint64_t> buffer(values.size());
  merge_sort(values.data(), values.size(), buffer.data());
  EXPECT_EQ(values, expected);

  node_allocator nodes;
  for (int round = 0; round < 3; ++round) EXPECT_EQ(fell(nodes, grow(nodes, 9)), (1U << 10U) - 1);

  worker_table<std::size_t> counts;
  parlay::parallel_for(
      0, 100,
      [&](std::size_t i) {
        parlay::parallel_for(0, i, [&](std::size_t) { counts.use([](std::size_t& n) { ++n; }); }, i % 7 == 0 ? 1 : 0);
      },
      1);
  EXPECT_EQ(counts.sum(std::size_t{0}), 100U * 99 / 2);

  int first = 0;
  int second = 0;
  int third = 0;
  parlay::par_do3([&] { first = 1; }, [&] { second = 2; }, [&] { third = 3; });
  parlay::par_do3_if(false, [&] { ++first; }, [&] { ++second; }, [&] { ++third; });
  parlay::parallel_do([&] { ++first; }, [&] { ++second; });
  EXPECT_EQ(first * 100 + second * 10 + third, 344);
}

}  // namespace pilfer::test::parlay_programs
