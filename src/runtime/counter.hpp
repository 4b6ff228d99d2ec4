// Figures for the statistics, read by any thread: `counter` is counted by one thread, `shared_counter` by several.
//
// State        writer     reader   meaning
//   value_     its owner  all      how often so far; of a shared one all write it
//
// Invariants
//   I1  To a counter one thread adds, so a load and a store do: no read-modify-write.
// Edges
//   none: a reader learns a number, and nothing about what was counted.
// Sources
//   folklore.
#pragma once

#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct counter_orders {
  static constexpr auto relaxed = std::memory_order_relaxed;
};

class counter {
  using Orders = counter_orders;

 public:
  void add(std::uint64_t n = 1) noexcept { value_.store(value() + n, Orders::relaxed); }       // own variable
  void set(std::uint64_t to) noexcept { value_.store(to, Orders::relaxed); }                   // own variable
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(Orders::relaxed); }  // own variable, or hint

 private:
  ext::default_sync::atomic<std::uint64_t> value_{0};
};

class shared_counter {
  using Orders = counter_orders;

 public:
  constexpr shared_counter() noexcept = default;
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, Orders::relaxed); }             // a number alone
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(Orders::relaxed); }  // hint

 private:
  ext::default_sync::atomic<std::uint64_t> value_{0};
};

}  // namespace pilfer::detail
