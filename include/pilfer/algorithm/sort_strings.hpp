// Sorting by strings in their usual order, without comparing strings.
//
// An array holds for each value its position and a key: the next seven bytes of its string, and below them how many bytes there
// are, eight standing for more than seven. Keys compare as integers exactly as those parts of the strings do. Values with equal
// keys and more bytes get their next keys and are sorted among themselves. In the end each value is moved once through a buffer.
// Nothing has been moved when a projection throws.
//
// Sources: Bentley, Sedgewick, "Fast Algorithms for Sorting and Searching Strings", SODA 1997; Ng, Kakehi, "Cache Efficient
// Radix Sort for String Sorting", 2007 (the cached keys).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/sort_buffer.hpp>
#include <pilfer/algorithm/sort_order.hpp>
#include <pilfer/algorithm/sort_pieces.hpp>
#include <pilfer/algorithm/sort_quicksort.hpp>
#include <pilfer/fork_join.hpp>

namespace pilfer::detail {

template <class T>
inline constexpr bool is_byte_string = false;
template <class Allocator>
inline constexpr bool is_byte_string<std::basic_string<char, std::char_traits<char>, Allocator>> = true;
template <>
inline constexpr bool is_byte_string<std::string_view> = true;

// The projection must give a string that stays where it is, not a temporary one.
template <class It, class Comp, class Proj>
inline constexpr bool is_sorted_as_strings = [] {
  using projected = std::invoke_result_t<Proj&, std::iter_reference_t<It>>;
  using string = std::remove_cvref_t<projected>;
  return is_byte_string<string> &&
         (std::is_lvalue_reference_v<projected> || std::is_same_v<projected, std::string_view>) &&
         (is_standard_less<Comp, string> || is_standard_greater<Comp, string>) && is_safely_movable<sort_value<It>>;
}();

struct string_entry {
  std::uint64_t key;
  std::size_t position;
};

template <class It, class Proj, bool Descending, bool Stable>
class string_sorter {
 public:
  string_sorter(It first, Proj& proj, string_entry* entries) : first_(first), proj_(proj), entries_(entries) {}

  // The entries are to be made first, for [0, size).
  void sort(context here, std::ptrdiff_t size) {
    for_pieces(here, 0, size, grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i != end; ++i) {
        const auto position = static_cast<std::size_t>(i);
        std::construct_at(entries_ + i, string_entry{key_of(position, 0), position});
      }
    });
    sort_by_keys(here, 0, size, 0);
  }

 private:
  static constexpr std::ptrdiff_t grain = sort_grain<string_entry>;
  static constexpr std::size_t key_bytes = 7;
  static constexpr std::uint64_t more = key_bytes + 1;  // in the lowest byte of a key
  // Values that are equal so far are probably equal, or very long: comparing them costs less than so many keys.
  static constexpr std::size_t most_key_bytes = 8 * key_bytes;

  [[nodiscard]] std::string_view string_of(std::size_t position) const {
    return std::invoke(proj_, first_[static_cast<sort_distance<It>>(position)]);
  }
  [[nodiscard]] std::uint64_t key_of(std::size_t position, std::size_t depth) const {
    const std::string_view string = string_of(position);
    const std::size_t length = string.size() > depth ? string.size() - depth : 0;
    std::uint64_t key = 0;
    if (length > key_bytes) {
      std::memcpy(&key, string.data() + depth, sizeof(key));
      if constexpr (std::endian::native == std::endian::little) key = __builtin_bswap64(key);
      key = (key & ~std::uint64_t{0xFF}) | more;
    } else {
      for (std::size_t i = 0; i < length; ++i) {
        key |= std::uint64_t{static_cast<unsigned char>(string[depth + i])} << (56 - 8 * i);
      }
      key |= length;
    }
    return Descending ? ~key : key;
  }
  [[nodiscard]] static bool has_more(std::uint64_t key) noexcept { return ((Descending ? ~key : key) & 0xFF) == more; }

  template <class Order>
  void sort_entries(context here, std::ptrdiff_t begin, std::ptrdiff_t end, Order less) {
    quicksort_in_parallel(
        here, unsorted<string_entry*>{entries_ + begin, entries_ + end, quicksort_limit(end - begin), false}, less);
  }

  void sort_by_keys(context here, std::ptrdiff_t begin, std::ptrdiff_t end, std::size_t depth) {
    sort_entries(here, begin, end, [](const string_entry& a, const string_entry& b) { return a.key < b.key; });
    sort_equals(here, begin, end, depth);
  }

  // [begin, end) is sorted by keys: now the values with equal ones. Tasks touch nothing but the entries given to them.
  void sort_equals(context here, std::ptrdiff_t begin, std::ptrdiff_t end, std::size_t depth) {
    const auto key_less = [](const string_entry& a, const string_entry& b) { return a.key < b.key; };
    while (end - begin > grain) {
      const auto [low, high] =
          std::equal_range(entries_ + begin, entries_ + end, entries_[begin + (end - begin) / 2], key_less);
      const std::ptrdiff_t from = low - entries_;
      const std::ptrdiff_t to = high - entries_;
      if (from == begin && to == end) return sort_group(here, begin, end, depth);
      return fork_join(
          here, [&](context x) { sort_equals(x, begin, from, depth); },
          [&](context x) { sort_group(x, from, to, depth); }, [&](context x) { sort_equals(x, to, end, depth); });
    }
    while (begin < end) {
      std::ptrdiff_t next = begin + 1;
      while (next != end && entries_[next].key == entries_[begin].key) ++next;
      sort_group(here, begin, next, depth);
      begin = next;
    }
  }

  // All of one key.
  void sort_group(context here, std::ptrdiff_t begin, std::ptrdiff_t end, std::size_t depth) {
    if (end - begin < 2) return;
    const auto position_less = [](const string_entry& a, const string_entry& b) { return a.position < b.position; };
    if (!has_more(entries_[begin].key)) {
      if constexpr (Stable) sort_entries(here, begin, end, position_less);
      return;
    }
    depth += key_bytes;
    if (depth >= most_key_bytes || end - begin < 4) {
      return sort_entries(here, begin, end, [this, depth, position_less](const string_entry& a, const string_entry& b) {
        const int order = string_of(a.position).substr(depth).compare(string_of(b.position).substr(depth));
        if (Stable && order == 0) return position_less(a, b);
        return Descending ? order > 0 : order < 0;
      });
    }
    for_pieces(here, begin, end, grain, [&](std::ptrdiff_t from, std::ptrdiff_t to) {
      for (std::ptrdiff_t i = from; i != to; ++i) entries_[i].key = key_of(entries_[i].position, depth);
    });
    sort_by_keys(here, begin, end, depth);
  }

  It first_;
  Proj& proj_;
  string_entry* entries_;
};

// Moves the value at entries[i].position to position i, for all i.
template <class It>
void move_to_places(context here, It first, std::ptrdiff_t size, string_entry* entries) noexcept {
  using value = sort_value<It>;
  const auto source = [&](std::ptrdiff_t i) { return first + static_cast<sort_distance<It>>(entries[i].position); };
  const sort_buffer<value> buffer(static_cast<std::size_t>(size));
  if (buffer) {
    for_pieces(here, 0, size, 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i != end; ++i) std::construct_at(buffer.data() + i, std::move(*source(i)));
    });
    for_pieces(here, 0, size, 4096, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::move(buffer.data() + begin, buffer.data() + end, first + begin);
      std::destroy(buffer.data() + begin, buffer.data() + end);
    });
    return;
  }
  // Cycle by cycle.
  for (std::ptrdiff_t i = 0; i != size; ++i) {
    if (entries[i].position == static_cast<std::size_t>(i)) continue;
    held_value<It> taken(first + i);
    for (std::ptrdiff_t at = i;;) {
      const std::size_t from = std::exchange(entries[at].position, static_cast<std::size_t>(at));
      if (from == static_cast<std::size_t>(i)) break;
      at = static_cast<std::ptrdiff_t>(from);
      taken.fill_from(first + at);
    }
  }
}

// False: there was no memory, and nothing was done.
template <bool Stable, class It, class Comp, class Proj>
[[nodiscard]] bool sort_strings(context here, It first, It last, Comp& comp, Proj& proj) {
  using string = std::remove_cvref_t<std::invoke_result_t<Proj&, std::iter_reference_t<It>>>;
  const std::ptrdiff_t size = last - first;
  const sort_order<Comp, Proj> less(comp, proj);
  if (is_one_run(first, last, less)) return true;
  const sort_buffer<string_entry> entries(static_cast<std::size_t>(size));
  if (!entries) return false;
  string_sorter<It, Proj, is_standard_greater<Comp, string>, Stable>(first, proj, entries.data()).sort(here, size);
  move_to_places(here, first, size, entries.data());
  return true;
}

}  // namespace pilfer::detail
