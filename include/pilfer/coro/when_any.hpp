// The first of several.
//
//   auto [index, value] = co_await pilfer::when_any(jobs.receive(), quit.receive());     // value is a std::variant
//   auto first = co_await pilfer::when_any(pilfer::io::accept(listener), pilfer::sleep_for(1s));
//   auto [index, page] = co_await pilfer::when_any(std::move(mirrors));                  // a vector of tasks, or of other awaitables
//
// Takes     whatever can be awaited: operations, futures, tasks, awaitables of the user's. Rvalues are moved in; an lvalue is awaited where
//           it is, and has to live as long.
// Once      of the operations given directly, receive and send of a channel, lock, acquire and hold, sleep_for and sleep_until, and of futures, at
//           most one takes effect: it is claimed for the race before. The others have taken nothing, and are in no line any more.
// Calls     operations first, in the order of the arguments: one that is ready wins at once, and no task is begun. Otherwise all of them
//           wait. Everything else runs as a task: the first at once, on this worker, the others are queued, and may be stolen. As
//           soon as one alternative has ended, by a value or by an exception, the tasks are asked to stop; the awaiting coroutine goes on
//           when they have ended, too: nothing runs on behind its back.
// Others    what they return or throw although another was first is in others(): a connection that was accepted all the same, say.
// Throws    what the first one has thrown: co_await does, if others() would hold nothing; otherwise index() and value() do, so that
//           nothing gets lost. std::invalid_argument, at the call, if there is no alternative at all; std::future_error if a task is empty.
// Stopping  they are asked to stop by who awaits, too. An operation then ends by task_cancelled, at once.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <pilfer/coro/awaitable.hpp>
#include <pilfer/coro/race.hpp>
#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/coro/waiter.hpp>
#include <pilfer/detail/callable.hpp>

namespace pilfer {
namespace detail {

// What is kept of it.
template <class T>
using kept_t =
    std::conditional_t<std::is_reference_v<T>, std::reference_wrapper<std::remove_reference_t<T>>, value_of<T>>;

// That result, unless an exception is kept instead of its value: then it is thrown.
template <class Result>
[[nodiscard]] Result& checked(Result& kept) {
  if (kept.error() != nullptr) std::rethrow_exception(kept.error());
  return kept;
}

}  // namespace detail

// What became of an alternative that was not first: nothing, a value, or an exception. Nothing, too, if it ended by task_cancelled, or
// with a result whose error() is std::errc::operation_canceled.
//   T  std::monostate for void; of a reference, a std::reference_wrapper
template <class T>
class late_result {
 public:
  using value_type = T;

  late_result() noexcept = default;

  [[nodiscard]] bool is_nothing() const noexcept { return !value_ && error_ == nullptr; }
  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
  [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }
  // Null if it has not thrown.
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return error_; }
  //   Throws  error(), if it is there; std::bad_optional_access if it is nothing.
  [[nodiscard]] T& value() & { return detail::checked(*this).value_.value(); }
  [[nodiscard]] const T& value() const& { return detail::checked(*this).value_.value(); }
  [[nodiscard]] T&& value() && { return std::move(detail::checked(*this).value_.value()); }
  // Requires a value.
  [[nodiscard]] T& operator*() & noexcept { return *value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return *value_; }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(*value_); }
  [[nodiscard]] T* operator->() noexcept { return &*value_; }
  [[nodiscard]] const T* operator->() const noexcept { return &*value_; }

  // For when_any.
  void keep(T&& value) { value_.emplace(std::move(value)); }
  void keep_error(std::exception_ptr error) noexcept { error_ = std::move(error); }

 private:
  std::optional<T> value_;
  std::exception_ptr error_;
};

// Which was first, what it gave, and what became of the others.
//   T       of several arguments a std::variant, whose index is index()
//   Others  a std::tuple or a std::vector of late_result, in the order of the arguments; that of the first one is nothing
template <class T, class Others>
class [[nodiscard]] when_any_result {
 public:
  using value_type = T;

  when_any_result(std::size_t index, T value, Others others)
      : index_(index), value_(std::move(value)), others_(std::move(others)) {}
  when_any_result(std::exception_ptr error, Others others) noexcept
      : error_(std::move(error)), others_(std::move(others)) {}

  //   Throws  error(), if it is there.
  [[nodiscard]] std::size_t index() const { return detail::checked(*this).index_; }
  [[nodiscard]] T& value() & { return *detail::checked(*this).value_; }
  [[nodiscard]] const T& value() const& { return *detail::checked(*this).value_; }
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): there is a value unless there is an error
  [[nodiscard]] T&& value() && { return std::move(*detail::checked(*this).value_); }
  // What the first one has thrown; null if it has not. Only if others() has something: co_await throws it otherwise.
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return error_; }

  [[nodiscard]] Others& others() & noexcept { return others_; }
  [[nodiscard]] const Others& others() const& noexcept { return others_; }
  [[nodiscard]] Others&& others() && noexcept { return std::move(others_); }

  // For auto [index, value] = co_await when_any(...).
  template <std::size_t I>
  [[nodiscard]] decltype(auto) get() && {
    return part<I>(std::move(*this));
  }
  template <std::size_t I>
  [[nodiscard]] decltype(auto) get() & {
    return part<I>(*this);
  }
  template <std::size_t I>
  [[nodiscard]] decltype(auto) get() const& {
    return part<I>(*this);
  }

 private:
  template <std::size_t I, class Result>
  [[nodiscard]] static decltype(auto) part(Result&& of) {
    if constexpr (I == 0) {
      return of.index();
    } else {
      return std::forward<Result>(of).value();
    }
  }

  std::size_t index_ = 0;
  std::optional<T> value_;
  std::exception_ptr error_;
  Others others_;
};

namespace detail {

// An alternative that is claimed before it takes effect. Operation: an lvalue reference, or the awaiter itself.
template <class Operation>
class racing_operation {
 public:
  using type = awaited_t<Operation>;

  explicit racing_operation(Operation&& what) noexcept : operation_(std::forward<Operation>(what)) {}

  [[nodiscard]] race::alternative enter() noexcept { return race::alternative(static_cast<waiter&>(operation_)); }
  // Of the first.
  [[nodiscard]] static std::exception_ptr error() noexcept { return nullptr; }
  [[nodiscard]] kept_t<type> take() {
    return call_for_value<type>([this]() -> type { return operation_.await_resume(); });
  }
  // Of another.
  static void take_late(const late_result<kept_t<type>>& /*into*/) noexcept {}

 private:
  Operation operation_;
};

// One that runs, and is asked to stop.
template <class T>
class racing_task {
 public:
  using type = T;

  explicit racing_task(coro_owner<T> work) noexcept : work_(std::move(work)) {}

  [[nodiscard]] race::alternative enter() noexcept { return race::alternative(work_); }
  [[nodiscard]] std::exception_ptr error() const noexcept { return result().error(); }
  [[nodiscard]] kept_t<T> take() { return kept_t<T>(result().take_value()); }
  void take_late(late_result<kept_t<T>>& into) {
    if (std::exception_ptr thrown = error()) {
      if (!is_task_cancelled(thrown)) into.keep_error(std::move(thrown));
    } else if (result().has_value()) {  // otherwise it has not begun
      kept_t<T> value = take();
      if (!says_cancelled(value)) into.keep(std::move(value));
    }
  }

 private:
  [[nodiscard]] kept_result<T>& result() const noexcept { return work_.promise().result; }

  coro_owner<T> work_;
};

// As an alternative: of an rvalue, if Awaitable is no reference.
template <class Awaitable>
[[nodiscard]] auto racing(std::type_identity_t<Awaitable>&& what) {
  using awaiter = awaiter_type<Awaitable>;
  static_assert(std::is_lvalue_reference_v<Awaitable> || std::is_move_constructible_v<Awaitable>,
                "pilfer: when_any moves what it is given; give an awaitable that does not move as an lvalue");
  if constexpr (std::is_base_of_v<waiter, std::remove_reference_t<awaiter>>) {
    using operation =
        std::conditional_t<std::is_lvalue_reference_v<awaiter>, awaiter, std::remove_reference_t<awaiter>>;
    return racing_operation<operation>(awaiter_of(std::forward<Awaitable>(what)));
  } else {
    return racing_task<awaited_t<Awaitable>>(coroutine_for<Awaitable>(std::forward<Awaitable>(what)));
  }
}
template <class Awaitable>
using racing_t = decltype(racing<Awaitable>(std::declval<Awaitable>()));

template <class... Alternatives>
using any_of_several = when_any_result<std::variant<kept_t<typename Alternatives::type>...>,
                                       std::tuple<late_result<kept_t<typename Alternatives::type>>...>>;
template <class Alternative>
using any_of_many =
    when_any_result<kept_t<typename Alternative::type>, std::vector<late_result<kept_t<typename Alternative::type>>>>;

// The exception goes with the result only if there is something that would get lost without it.
template <class Result, class Others>
[[nodiscard]] Result failed(std::exception_ptr error, Others&& others, bool has_others) {
  if (!has_others) std::rethrow_exception(std::move(error));
  return Result(std::move(error), std::forward<Others>(others));
}

template <class... Alternatives, std::size_t... Is>
[[nodiscard]] any_of_several<Alternatives...> finish_race(std::tuple<Alternatives...>& all, std::size_t first,
                                                          std::index_sequence<Is...> /*all*/) {
  using result = any_of_several<Alternatives...>;
  using value = typename result::value_type;
  std::tuple<late_result<kept_t<typename Alternatives::type>>...> others;
  ((Is == first ? void() : std::get<Is>(all).take_late(std::get<Is>(others))), ...);
  const bool has_others = (!std::get<Is>(others).is_nothing() || ...);
  std::exception_ptr error = first == race::stopped ? cancelled_error() : nullptr;
  ((Is == first ? void(error = std::get<Is>(all).error()) : void()), ...);
  if (error != nullptr) return failed<result>(std::move(error), std::move(others), has_others);
  using taker = value (*)(std::tuple<Alternatives...>&);
  static constexpr std::array<taker, sizeof...(Is)> takers{
      [](std::tuple<Alternatives...>& from) { return value(std::in_place_index<Is>, std::get<Is>(from).take()); }...};
  return result(first, takers[first](all), std::move(others));
}

template <class... Alternatives, std::size_t... Is>
[[nodiscard]] std::array<race::alternative, sizeof...(Is)> enter_all(std::tuple<Alternatives...>& all,
                                                                     std::index_sequence<Is...> /*all*/) noexcept {
  return {std::get<Is>(all).enter()...};
}

// A coroutine of its own, with one parameter: packs are a trouble to g++ 12.
template <class... Alternatives>
pilfer::task<any_of_several<Alternatives...>> any_of(std::tuple<Alternatives...> all) {
  constexpr std::index_sequence_for<Alternatives...> indices{};
  std::array<race::alternative, sizeof...(Alternatives)> entered = enter_all(all, indices);
  race contest(entered);
  const std::size_t first = co_await contest;
  co_return finish_race(all, first, indices);
}

template <class Alternative>
pilfer::task<any_of_many<Alternative>> any_of(std::vector<Alternative> all) {
  using result = any_of_many<Alternative>;
  std::vector<late_result<kept_t<typename Alternative::type>>> others(all.size());
  std::vector<race::alternative> entered;
  entered.reserve(all.size());
  for (Alternative& each : all) entered.push_back(each.enter());
  race contest(entered);
  const std::size_t first = co_await contest;
  bool has_others = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != first) all[i].take_late(others[i]);
    has_others = has_others || !others[i].is_nothing();
  }
  std::exception_ptr error = first == race::stopped ? cancelled_error() : all[first].error();
  if (error != nullptr) co_return failed<result>(std::move(error), std::move(others), has_others);
  co_return result(first, all[first].take(), std::move(others));
}

}  // namespace detail

// Gives a task of a when_any_result. Its type is deduced: clang 19 would look into it before it asks for the constraint.
template <class... Awaitables>
  requires(sizeof...(Awaitables) != 0 && (detail::awaitable_type<Awaitables> && ...))
[[nodiscard]] auto when_any(Awaitables&&... alternatives) {
  return detail::any_of(std::tuple<detail::racing_t<Awaitables>...>{
      detail::racing<Awaitables>(std::forward<Awaitables>(alternatives))...});
}

template <class Awaitable>
  requires(detail::awaitable_type<Awaitable>)
[[nodiscard]] auto when_any(std::vector<Awaitable> alternatives) {
  if (alternatives.empty()) detail::bad_argument("pilfer: when_any of no alternatives would wait for ever");
  std::vector<detail::racing_t<Awaitable>> all;
  all.reserve(alternatives.size());
  for (Awaitable& each : alternatives) all.push_back(detail::racing<Awaitable>(std::move(each)));
  return detail::any_of(std::move(all));
}

}  // namespace pilfer

template <class T, class Others>
struct std::tuple_size<pilfer::when_any_result<T, Others>> : std::integral_constant<std::size_t, 2> {};
template <class T, class Others>
struct std::tuple_element<0, pilfer::when_any_result<T, Others>> {
  using type = std::size_t;
};
template <class T, class Others>
struct std::tuple_element<1, pilfer::when_any_result<T, Others>> {
  using type = T;
};
