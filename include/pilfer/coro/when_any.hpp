// Several tasks at a time, and the first result.
//
//   auto [index, value] = co_await pilfer::when_any(std::move(mirrors));         // a vector of tasks
//   auto first = co_await pilfer::when_any(read_key(), wait_for_signal());       // first.value is a std::variant
//
// Calls     as when_all. As soon as one has ended, by a value or by an exception, the others are asked to stop; the awaiting coroutine goes
//           on when they have ended, too: nothing runs on behind its back. What they return or throw is dropped.
// Throws    what the first one has thrown; std::invalid_argument if there is none at all.
// Stopping  they are asked to stop by who awaits, too.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/when_all.hpp>
#include <pilfer/detail/callable.hpp>

namespace pilfer {

template <class T>
struct when_any_result {
  std::size_t index;  // of the argument that was first
  T value;
};
template <>
struct when_any_result<void> {
  std::size_t index;
};

namespace detail {

class [[nodiscard]] race_awaiter : public parallel_awaiter {
 public:
  using parallel_awaiter::parallel_awaiter;

  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    stop_.emplace(stop_of(parent));
    return start(parent, stop_->token(), &on_end, this);
  }
  // Who was first.
  [[nodiscard]] const coro_promise_base* await_resume() noexcept {
    stop_.reset();                                  // before the parent ends, and its token with it
    return first_.load(coro_join_orders::relaxed);  // carried by last
  }

 private:
  static std::coroutine_handle<> on_end(coro_promise_base& ended) noexcept {
    auto& me = *static_cast<race_awaiter*>(ended.owner());
    coro_promise_base* nobody = nullptr;
    if (me.first_.compare_exchange(nobody, &ended, coro_join_orders::relaxed,  // carried by last
                                   coro_join_orders::relaxed)) {               // failure: another was first
      // NOLINTNEXTLINE(bugprone-unchecked-optional-access): await_suspend makes it before it starts anyone
      me.stop_->request_stop();
    }
    return me.arrive();
  }

  std::optional<linked_stop> stop_;
  ext::default_sync::atomic<coro_promise_base*> first_{nullptr, "first"};
};

template <class Children>
[[nodiscard]] std::size_t index_of(const Children& children, const coro_promise_base* wanted) noexcept {
  std::size_t i = 0;
  while (children[i].promise != wanted) ++i;
  return i;
}

// The value of the one that was first, as the alternative of that index.
template <class... Ts, std::size_t... Is>
[[nodiscard]] std::variant<value_of<Ts>...> take_one(std::tuple<coro_owner<Ts>...>& owners, std::size_t wanted,
                                                     std::index_sequence<Is...> /*all*/) {
  using result = std::variant<value_of<Ts>...>;
  using taker = result (*)(std::tuple<coro_owner<Ts>...>&);
  static constexpr std::array<taker, sizeof...(Ts)> takers{[](std::tuple<coro_owner<Ts>...>& from) {
    return result(std::in_place_index<Is>, std::get<Is>(from).promise().result.take_value());
  }...};
  return takers[wanted](owners);
}

template <class... Ts>
pilfer::task<when_any_result<std::variant<value_of<Ts>...>>> any_of(std::tuple<coro_owner<Ts>...> owners) {
  constexpr std::index_sequence_for<Ts...> all{};
  std::array<child_task, sizeof...(Ts)> children = children_of(owners, all);
  race_awaiter race(children);
  const coro_promise_base* const first = co_await race;
  const std::size_t index = index_of(children, first);
  when_any_result<std::variant<value_of<Ts>...>> result{index, take_one<Ts...>(owners, index, all)};
  co_return result;
}

}  // namespace detail

//   Throws  std::future_error, at the call, if one of them is empty.
template <class... Ts>
  requires(sizeof...(Ts) != 0)
task<when_any_result<std::variant<detail::value_of<Ts>...>>> when_any(task<Ts>... tasks) {
  return detail::any_of<Ts...>(std::tuple<detail::coro_owner<Ts>...>{std::move(tasks).release()...});
}

template <class T>
task<when_any_result<T>> when_any(std::vector<task<T>> tasks) {
  if (tasks.empty()) detail::bad_argument("pilfer: when_any of no tasks would wait for ever");
  std::vector<detail::coro_owner<T>> owners = detail::release_all(std::move(tasks));
  std::vector<detail::child_task> children = detail::children_of(owners);
  detail::race_awaiter race(children);
  const detail::coro_promise_base* const first = co_await race;
  const std::size_t index = detail::index_of(children, first);
  if constexpr (std::is_void_v<T>) {
    owners[index].promise().result.take();
    co_return when_any_result<void>{index};
  } else {
    when_any_result<T> result{index, owners[index].promise().result.take()};
    co_return result;
  }
}

}  // namespace pilfer
