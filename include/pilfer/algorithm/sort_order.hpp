// What the sorting algorithms have in common: the order of two elements, and values that are taken out of a range for a while.
//
// Whatever a comparison throws, and whenever: no value is lost or doubled. A value that is not in its range is in an object
// whose destructor puts it back, and no comparison runs while a value is in two places. This requires moves that do not throw.
// Where they may, an exception of a move comes out too and leaves moved-from values behind, as in the standard's algorithms; one
// that is thrown while another is on its way ends the program.
#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

namespace pilfer::detail {

template <class It>
using sort_value = std::iter_value_t<It>;
template <class It>
using sort_distance = std::iter_difference_t<It>;

// comp(proj(a), proj(b)) as one function object, cheap to copy. One comparator and one projection are shared by all tasks.
template <class Comp, class Proj>
class sort_order {
 public:
  sort_order(Comp& comp, Proj& proj) noexcept : comp_(std::addressof(comp)), proj_(std::addressof(proj)) {}

  template <class A, class B>
  [[nodiscard, gnu::always_inline]] bool operator()(A&& a, B&& b) const {
    return static_cast<bool>(
        std::invoke(*comp_, std::invoke(*proj_, std::forward<A>(a)), std::invoke(*proj_, std::forward<B>(b))));
  }

 private:
  Comp* comp_;
  Proj* proj_;
};

template <class Comp, class T>
inline constexpr bool is_standard_less =
    std::is_same_v<Comp, std::less<>> || std::is_same_v<Comp, std::less<T>> || std::is_same_v<Comp, std::ranges::less>;
template <class Comp, class T>
inline constexpr bool is_standard_greater =
    std::is_same_v<Comp, std::greater<>> || std::is_same_v<Comp, std::greater<T>> ||
    std::is_same_v<Comp, std::ranges::greater>;

// Small values that a copy is as good as: worth moving once too often if that saves a branch nobody can predict.
template <class T>
inline constexpr bool is_plain_value = std::is_trivially_copyable_v<T> && std::is_trivially_copy_constructible_v<T> &&
                                       std::is_trivially_copy_assignable_v<T> && sizeof(T) <= 32;

// Values that can be moved through a buffer without a risk.
template <class T>
inline constexpr bool is_safely_movable =
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;

// A value taken out of a range; goes to `hole` in the end.
template <class It>
class held_value {
 public:
  explicit held_value(It at) : hole(at), value(std::move(*at)) {}
  held_value(const held_value&) = delete;
  held_value& operator=(const held_value&) = delete;
  ~held_value() noexcept(std::is_nothrow_move_assignable_v<sort_value<It>>) { *hole = std::move(value); }

  It hole;
  sort_value<It> value;

  // The hole is filled from `from`, which is the hole now.
  [[gnu::always_inline]] void fill_from(It from) {
    *hole = std::move(*from);
    hole = from;
  }
};

// What algorithms that change a range ask of it: lvalues and views, so that the result is not lost; objects, not proxies; that they can be moved.
template <class R>
inline constexpr bool is_kept = std::is_lvalue_reference_v<R> || std::ranges::view<std::remove_cvref_t<R>>;
template <class It>
inline constexpr bool has_objects = std::is_lvalue_reference_v<std::iter_reference_t<It>>;
template <class It>
inline constexpr bool can_move = std::permutable<It>;

// Pointers where they do, so that one type of element has one instantiation.
template <std::random_access_iterator It>
[[nodiscard]] auto plain_iterator(It it) {
  if constexpr (std::contiguous_iterator<It>) {
    return std::to_address(it);
  } else {
    return it;
  }
}

}  // namespace pilfer::detail
