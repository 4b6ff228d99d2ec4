// A stable merge sort over a kit S: halves are sorted and merged in parallel.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pilfer::lab::applications {

template <class S, class T, class Less>
class merge_sorter {
 public:
  explicit merge_sorter(Less less) : less_(less) {}

  // Sorts [values, values + size); `room` has as much room.
  void sort(T* values, T* room, std::size_t size) const { sort_to(values, room, size, false); }

 private:
  static constexpr std::size_t most_inserted = 24;
  static constexpr std::size_t serial_below = 2048;  // some ten microseconds

  void insert_all(T* values, std::size_t size) const {
    for (std::size_t next = 1; next < size; ++next) {
      const T value = values[next];
      std::size_t hole = next;
      for (; hole > 0 && less_(value, values[hole - 1]); --hole) values[hole] = values[hole - 1];
      values[hole] = value;
    }
  }

  // Sorted in `room` or where they were. Each half is sorted to the other place, and merged from there.
  void sort_to(T* values, T* room, std::size_t size, bool in_room) const {
    if (size <= most_inserted) {
      insert_all(values, size);
      if (in_room) std::copy(values, values + size, room);
      return;
    }
    const std::size_t half = size / 2;
    if (size < serial_below) {
      sort_to(values, room, half, !in_room);
      sort_to(values + half, room + half, size - half, !in_room);
    } else {
      S::fork_join([=, this] { sort_to(values, room, half, !in_room); },
                   [=, this] { sort_to(values + half, room + half, size - half, !in_room); });
    }
    const T* const from = in_room ? values : room;
    merge(from, half, from + half, size - half, in_room ? room : values);
  }

  // Of equal ones those of `a` come first.
  void merge(const T* a, std::size_t a_size, const T* b, std::size_t b_size, T* out) const {
    if (a_size + b_size < serial_below) {
      std::merge(a, a + a_size, b, b + b_size, out, less_);
      return;
    }
    std::size_t a_half = a_size / 2;
    std::size_t b_half = b_size / 2;
    if (a_size >= b_size) {
      b_half = static_cast<std::size_t>(std::lower_bound(b, b + b_size, a[a_half], less_) - b);
    } else {
      a_half = static_cast<std::size_t>(std::upper_bound(a, a + a_size, b[b_half], less_) - a);
    }
    S::fork_join([=, this] { merge(a, a_half, b, b_half, out); },
                 [=, this] { merge(a + a_half, a_size - a_half, b + b_half, b_size - b_half, out + a_half + b_half); });
  }

  Less less_;
};

// Sorts [values, values + size), equal ones stay in order; `room` has as much room.
template <class S, class T, class Less>
void merge_sort_with(T* values, T* room, std::size_t size, Less less) {
  merge_sorter<S, T, Less>(less).sort(values, room, size);
}

}  // namespace pilfer::lab::applications
