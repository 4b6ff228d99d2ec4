// A figure for the statistics that several threads count.
//
// State      writer   reader   meaning
//   value_   all      all      how often so far
// Edges
//   none: a reader learns a number, and nothing about what was counted.
#pragma once

#include <cstdint>

#include <pilfer/ext/sync.hpp>

#include "../runtime/counter.hpp"

namespace pilfer::io::detail {

class shared_counter {
  using Orders = pilfer::detail::counter_orders;

 public:
  constexpr shared_counter() noexcept = default;
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, Orders::relaxed); }             // a number alone
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(Orders::relaxed); }  // hint

 private:
  ext::default_sync::atomic<std::uint64_t> value_{0};
};

}  // namespace pilfer::io::detail
