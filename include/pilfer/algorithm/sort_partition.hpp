// Partition of a large range by several threads: every chunk by itself, then the values on the wrong side change places.
//
// Chunks that are partitioned look like [L R][L R][L R]. With all the lefts in front, m of them, exactly as many rights stand
// before position m as lefts stand behind it; the i-th of those is exchanged with the i-th of these.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <pilfer/algorithm/sort_order.hpp>
#include <pilfer/algorithm/sort_pieces.hpp>
#include <pilfer/algorithm/sort_serial.hpp>
#include <pilfer/fork_join.hpp>

namespace pilfer::detail {

// Ranges of positions one after another, as one sequence.
template <std::size_t Capacity>
class position_list {
 public:
  void add(std::ptrdiff_t begin, std::ptrdiff_t end) {
    if (begin >= end) return;
    begins_[count_] = begin;
    before_[count_] = size_;
    size_ += end - begin;
    ++count_;
  }
  [[nodiscard]] std::ptrdiff_t size() const noexcept { return size_; }

  // The i-th position, and how many follow it without a gap, itself included.
  struct place {
    std::ptrdiff_t position;
    std::ptrdiff_t length;
  };
  [[nodiscard]] place at(std::ptrdiff_t i) const {
    const auto end = before_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto after = std::upper_bound(before_.begin(), end, i);
    const auto k = static_cast<std::size_t>(after - before_.begin()) - 1;
    return {begins_[k] + (i - before_[k]), (after == end ? size_ : *after) - i};
  }

 private:
  std::array<std::ptrdiff_t, Capacity> begins_;
  std::array<std::ptrdiff_t, Capacity> before_;
  std::ptrdiff_t size_ = 0;
  std::size_t count_ = 0;
};

inline constexpr std::size_t most_chunks = 64;
inline constexpr std::ptrdiff_t least_chunk = std::ptrdiff_t{4} * 1024;

// Such that there are not more than most_chunks of them.
[[nodiscard]] constexpr std::ptrdiff_t chunk_size(std::ptrdiff_t size) noexcept {
  constexpr auto most = static_cast<std::ptrdiff_t>(most_chunks);
  return std::max(least_chunk, (size + most - 1) / most);
}

// As partition_serially.
template <class It, class GoesLeft>
[[nodiscard]] It partition_in_parallel(context here, It first, It last, GoesLeft goes_left) {
  const std::ptrdiff_t size = last - first;
  const std::ptrdiff_t chunk = chunk_size(size);
  if (size <= chunk) return partition_serially(first, last, goes_left);

  std::array<std::ptrdiff_t, most_chunks> ends_of_left;
  for_pieces(here, 0, size, chunk, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    ends_of_left[static_cast<std::size_t>(begin / chunk)] =
        partition_serially(first + begin, first + end, goes_left) - first;
  });

  std::ptrdiff_t middle = 0;
  for (std::ptrdiff_t begin = 0; begin < size; begin += chunk) {
    middle += ends_of_left[static_cast<std::size_t>(begin / chunk)] - begin;
  }
  position_list<most_chunks> rights;  // before the middle
  position_list<most_chunks> lefts;   // behind it
  for (std::ptrdiff_t begin = 0; begin < size; begin += chunk) {
    const std::ptrdiff_t end_of_left = ends_of_left[static_cast<std::size_t>(begin / chunk)];
    rights.add(end_of_left, std::min(begin + chunk, middle));
    lefts.add(std::max(begin, middle), end_of_left);
  }
  for_pieces(here, 0, rights.size(), least_chunk, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    while (begin != end) {
      const auto right = rights.at(begin);
      const auto left = lefts.at(begin);
      const std::ptrdiff_t length = std::min({right.length, left.length, end - begin});
      std::swap_ranges(first + right.position, first + right.position + length, first + left.position);
      begin += length;
    }
  });
  return first + middle;
}

}  // namespace pilfer::detail
