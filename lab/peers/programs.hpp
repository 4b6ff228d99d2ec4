// The programs that lab/programs has not. Those with forks are templates over S::fork_join, as there; those with tasks over a
// Group: run(f) begins a task, wait() waits for all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "lab/measure/compiler_barrier.hpp"
#include "lab/programs/quicksort.hpp"

namespace pilfer::lab::peers {

inline constexpr std::int64_t skynet_children = 10;

[[nodiscard]] inline std::int64_t serial_skynet(std::int64_t first, std::int64_t leaves) noexcept {
  if (leaves == 1) return first;
  const std::int64_t part = leaves / skynet_children;
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < skynet_children; ++i) sum += serial_skynet(first + i * part, part);
  return sum;
}

// What a task of `spawn` does: it says that it ran.
[[gnu::noinline]] inline void nothing(std::uint8_t& done) noexcept {
  done = 1;
  compiler_barrier();
}

[[nodiscard]] inline std::int64_t serial_spawn(std::int64_t count) {
  std::vector<std::uint8_t> done(static_cast<std::size_t>(count));
  for (std::uint8_t& one : done) nothing(one);
  return std::accumulate(done.begin(), done.end(), std::int64_t{0});
}

[[gnu::noinline]] inline void send(std::int64_t number, std::int64_t& mailbox) noexcept {
  mailbox = number + 1;
  compiler_barrier();
}

[[nodiscard]] inline std::int64_t serial_ping_pong(std::int64_t rounds) noexcept {
  std::int64_t ping = 0;
  std::int64_t pong = 0;
  for (std::int64_t i = 0; i < rounds; ++i) {
    send(ping, pong);
    send(pong, ping);
  }
  return ping;
}

// --- With tasks.

template <class Group>
[[nodiscard]] std::int64_t group_fib(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  Group group;
  group.run([&a, n] { a = group_fib<Group>(n - 1); });
  const std::int64_t b = group_fib<Group>(n - 2);
  group.wait();
  return a + b;
}

template <class Group>
[[nodiscard]] std::int64_t group_skynet(std::int64_t first, std::int64_t leaves) {
  if (leaves == 1) return first;
  const std::int64_t part = leaves / skynet_children;
  std::int64_t sums[skynet_children] = {};  // NOLINT(modernize-avoid-c-arrays): its elements are captured one by one
  Group group;
  for (std::int64_t i = 0; i < skynet_children; ++i) {
    group.run([to = &sums[i], from = first + i * part, part] { *to = group_skynet<Group>(from, part); });
  }
  group.wait();
  return std::accumulate(std::begin(sums), std::end(sums), std::int64_t{0});
}

template <class Group>
[[nodiscard]] std::int64_t group_spawn(std::int64_t count) {
  std::vector<std::uint8_t> done(static_cast<std::size_t>(count));
  Group group;
  for (std::uint8_t& one : done) group.run([&one] { nothing(one); });
  group.wait();
  return std::accumulate(done.begin(), done.end(), std::int64_t{0});
}

// Tasks that cannot be suspended have no channels: a message is a task, which answers by spawning the next one.
template <class Group>
struct rally {
  Group& group;
  std::int64_t left;
  std::int64_t number = 0;

  void stroke() {
    ++number;
    if (--left > 0) group.run([this] { stroke(); });
  }
};

template <class Group>
[[nodiscard]] std::int64_t group_ping_pong(std::int64_t rounds) {
  Group group;
  rally<Group> play{group, 2 * rounds};
  if (rounds > 0) group.run([&play] { play.stroke(); });
  group.wait();
  return play.number;
}

// --- With forks.

// Halves of the ten children, as one writes it with a fork of two.
template <class S>
[[nodiscard]] std::int64_t forked_skynet(std::int64_t first, std::int64_t leaves, std::int64_t children = 1) noexcept {
  if (children == 1) {
    if (leaves == 1) return first;
    leaves /= skynet_children;
    children = skynet_children;
  }
  const std::int64_t half = children / 2;
  auto [a, b] =
      S::fork_join([=]() noexcept { return forked_skynet<S>(first, leaves, half); },
                   [=]() noexcept { return forked_skynet<S>(first + half * leaves, leaves, children - half); });
  return a + b;
}

// Returns the number of pieces that were small enough to be sorted by insertion. `space` is as long as `numbers`.
template <class S>
[[nodiscard]] std::int64_t merge_sort(std::span<std::int64_t> numbers, std::span<std::int64_t> space) noexcept {
  if (std::ssize(numbers) <= programs::quicksort_cutoff) {
    programs::insertion_sort(numbers.data(), numbers.data() + numbers.size());
    return 1;
  }
  const std::size_t middle = numbers.size() / 2;
  const auto left = numbers.first(middle);
  const auto right = numbers.subspan(middle);
  auto [a, b] = S::fork_join([=]() noexcept { return merge_sort<S>(left, space.first(middle)); },
                             [=]() noexcept { return merge_sort<S>(right, space.subspan(middle)); });
  std::ranges::merge(left, right, space.begin());
  std::ranges::copy(space, numbers.begin());
  return a + b;
}

struct matrices {
  // Small whole numbers: every sum is exact.
  explicit matrices(std::size_t rows) : size(rows), a(filled(rows, 1)), b(filled(rows, 5)), product(rows * rows) {}

  std::size_t size;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> product;

 private:
  static std::vector<double> filled(std::size_t rows, std::size_t seed) {
    std::vector<double> numbers(rows * rows);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>((i * 7 + seed) % 11);
    return numbers;
  }
};

inline constexpr std::size_t rows_at_once = 8;

// Rows `first` to `last` of the product; forks over halves. Returns the number of pieces.
template <class S>
std::int64_t multiply(matrices& all, std::size_t first, std::size_t last) noexcept {
  const std::size_t n = all.size;
  if (last - first <= rows_at_once) {
    for (std::size_t row = first; row < last; ++row) {
      double* const to = &all.product[row * n];
      for (std::size_t k = 0; k < n; ++k) {
        const double factor = all.a[row * n + k];
        const double* const from = &all.b[k * n];
        for (std::size_t column = 0; column < n; ++column) to[column] += factor * from[column];
      }
    }
    return 1;
  }
  const std::size_t middle = first + (last - first) / 2;
  auto [a, b] = S::fork_join([&all, first, middle]() noexcept { return multiply<S>(all, first, middle); },
                             [&all, middle, last]() noexcept { return multiply<S>(all, middle, last); });
  return a + b;
}

}  // namespace pilfer::lab::peers
