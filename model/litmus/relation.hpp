// Relations between up to 32 events, so that the oracle's axioms can be written as in the papers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pilfer::model::litmus {

inline constexpr std::size_t max_events = 32;

using event_set = std::uint32_t;
[[nodiscard]] constexpr event_set only(std::size_t event) noexcept { return event_set{1} << event; }

template <class Function>
constexpr void for_each(event_set events, Function&& function) {
  for (; events != 0; events &= events - 1) function(static_cast<std::size_t>(std::countr_zero(events)));
}

class relation {
 public:
  relation() = default;
  explicit relation(std::size_t size) noexcept : size_(size) {}
  // [events]
  static relation identity(std::size_t size, event_set events) noexcept {
    relation made(size);
    for_each(events, [&](std::size_t i) { made.add(i, i); });
    return made;
  }

  void add(std::size_t from, std::size_t to) noexcept { rows_[from] |= only(to); }
  [[nodiscard]] bool has(std::size_t from, std::size_t to) const noexcept { return (rows_[from] & only(to)) != 0; }
  [[nodiscard]] event_set after(std::size_t from) const noexcept { return rows_[from]; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // Those that begin in `from` and end in `to`.
  [[nodiscard]] relation between(event_set from, event_set to) const noexcept {
    relation made(size_);
    for_each(from, [&](std::size_t i) { made.rows_[i] = rows_[i] & to; });
    return made;
  }
  [[nodiscard]] relation inverse() const noexcept {
    relation made(size_);
    for (std::size_t i = 0; i < size_; ++i) for_each(rows_[i], [&](std::size_t j) { made.add(j, i); });
    return made;
  }
  [[nodiscard]] relation plus() const noexcept {
    relation made = *this;
    for (std::size_t k = 0; k < size_; ++k)
      for (std::size_t i = 0; i < size_; ++i)
        if (made.has(i, k)) made.rows_[i] |= made.rows_[k];
    return made;
  }
  [[nodiscard]] relation maybe() const noexcept {
    relation made = *this;
    for (std::size_t i = 0; i < size_; ++i) made.add(i, i);
    return made;
  }
  [[nodiscard]] bool empty() const noexcept {
    return std::all_of(rows_.begin(), rows_.end(), [](event_set row) { return row == 0; });
  }
  [[nodiscard]] bool irreflexive() const noexcept {
    for (std::size_t i = 0; i < size_; ++i)
      if (has(i, i)) return false;
    return true;
  }
  [[nodiscard]] bool acyclic() const noexcept { return plus().irreflexive(); }

  friend relation operator|(relation a, const relation& b) noexcept {
    for (std::size_t i = 0; i < a.size_; ++i) a.rows_[i] |= b.rows_[i];
    return a;
  }
  friend relation operator&(relation a, const relation& b) noexcept {
    for (std::size_t i = 0; i < a.size_; ++i) a.rows_[i] &= b.rows_[i];
    return a;
  }
  friend relation operator-(relation a, const relation& b) noexcept {
    for (std::size_t i = 0; i < a.size_; ++i) a.rows_[i] &= ~b.rows_[i];
    return a;
  }
  // a;b
  friend relation operator*(const relation& a, const relation& b) noexcept {
    relation made(a.size_);
    for (std::size_t i = 0; i < a.size_; ++i) for_each(a.rows_[i], [&](std::size_t j) { made.rows_[i] |= b.rows_[j]; });
    return made;
  }

 private:
  std::size_t size_ = 0;
  std::array<event_set, max_events> rows_{};
};

}  // namespace pilfer::model::litmus
