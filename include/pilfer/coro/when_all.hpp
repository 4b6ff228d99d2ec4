// Several coroutines, futures and other awaitables at a time, and all their results.
//
//   auto [user, orders] = co_await pilfer::when_all(find_user(id), pool.submit(find_orders, id));
//   std::vector<page> pages = co_await pilfer::when_all(std::move(downloads));   // a vector of tasks
//   co_await pilfer::when_all({.stop_on_error = true}, write(a), write(b));      // the first exception stops the others
//
// Takes     whatever can be awaited, as when_any does.
// Calls     the first one at once, on this worker; the others are queued, and may be stolen. The awaiting coroutine goes on where the
//           last of them ended.
// Throws    after all have ended: of those that threw, the exception of the first in the order of the arguments. With stop_on_error the
//           others are asked to stop as soon as one has thrown, and its exception, the first in time, is the one that is thrown.
// Results   of void tasks: std::monostate in a tuple; a vector of them gives nothing.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pilfer/coro/awaitable.hpp>
#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/detail/protocol/coro_join.hpp>
#include <pilfer/detail/resume.hpp>

namespace pilfer {
namespace detail {

template <class T>
std::coroutine_handle<> end_or_fail(coro_promise_base& ended) noexcept;

// A task of several, without its type.
struct child_task {
  template <class T>
  explicit child_task(const coro_owner<T>& from) noexcept
      : frame(from.handle()), promise(&from.promise()), on_end(&end_or_fail<T>) {}
  std::coroutine_handle<> frame;
  coro_promise_base* promise;
  coro_promise_base::end_function on_end;  // for a fail_fast_awaiter
  resume_job begin;
};

// Suspends the parent until all have ended.
class [[nodiscard]] parallel_awaiter : immovable {
 public:
  explicit parallel_awaiter(std::vector<child_task>& children) noexcept
      : first_(children.data()), count_(children.size()) {}
  template <std::size_t Count>
  explicit parallel_awaiter(std::array<child_task, Count>& children) noexcept
      : first_(children.data()), count_(Count) {}

  [[nodiscard]] bool await_ready() const noexcept { return count_ == 0; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    return start(parent, stop_of(parent), &on_end, this);
  }
  static void await_resume() noexcept {}

 protected:
  // The first of them begins when the caller has returned: until then, none is the last. Without `on_each_end`, each has its own.
  std::coroutine_handle<> start(std::coroutine_handle<> parent, const std::stop_token& stop,
                                coro_promise_base::end_function on_each_end, void* owner) {
    const resume_place here = place_of_caller();
    parent_ = parent;
    left_.begin(static_cast<std::uint32_t>(count_));
    for (std::size_t i = 0; i < count_; ++i) {
      first_[i].promise->begin(on_each_end != nullptr ? on_each_end : first_[i].on_end, owner, stop);
    }
    for (std::size_t i = count_ - 1; i != 0; --i) {
      first_[i].begin.where = here;
      resume_later(first_[i].begin, first_[i].frame);
    }
    return hand_over(first_[0].frame);
  }
  // One has ended. What is resumed next.
  [[nodiscard]] std::coroutine_handle<> arrive() noexcept {
    const std::coroutine_handle<> parent = parent_;
    return left_.arrive() ? hand_over(parent) : std::noop_coroutine();
  }

 private:
  static std::coroutine_handle<> on_end(coro_promise_base& ended) noexcept {
    return static_cast<parallel_awaiter*>(ended.owner())->arrive();
  }

  child_task* const first_;
  const std::size_t count_;
  std::coroutine_handle<> parent_;
  coro_countdown<ext::default_sync> left_;
};

// The same, but the first that throws stops the others.
class [[nodiscard]] fail_fast_awaiter : public parallel_awaiter {
 public:
  using parallel_awaiter::parallel_awaiter;

  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    stop_.emplace(stop_of(parent));
    return start(parent, stop_->token(), nullptr, this);
  }
  //   Throws  what the first has thrown.
  void await_resume() {
    stop_.reset();  // before the parent ends, and its token with it
    if (first_error_ != nullptr) std::rethrow_exception(first_error_);
  }

  [[nodiscard]] std::coroutine_handle<> end_one(std::exception_ptr error) noexcept {
    std::uint32_t none = 0;
    if (error != nullptr &&
        failed_.compare_exchange(none, 1, coro_join_orders::relaxed,  // the error is carried by last
                                 coro_join_orders::relaxed)) {        // failure: another was first
      first_error_ = std::move(error);
      // NOLINTNEXTLINE(bugprone-unchecked-optional-access): await_suspend makes it before it starts any child
      stop_->request_stop();
    }
    return arrive();
  }

 private:
  std::optional<linked_stop> stop_;
  std::exception_ptr first_error_;
  ext::default_sync::atomic<std::uint32_t> failed_{0, "failed"};
};

template <class T>
std::coroutine_handle<> end_or_fail(coro_promise_base& ended) noexcept {
  return static_cast<fail_fast_awaiter*>(ended.owner())->end_one(static_cast<task_promise<T>&>(ended).result.error());
}

template <class T>
[[nodiscard]] std::vector<child_task> children_of(const std::vector<coro_owner<T>>& owners) {
  return std::vector<child_task>(owners.begin(), owners.end());
}

template <class... Ts, std::size_t... Is>
[[nodiscard]] std::array<child_task, sizeof...(Ts)> children_of(const std::tuple<coro_owner<Ts>...>& owners,
                                                                std::index_sequence<Is...> /*all*/) noexcept {
  return {child_task(std::get<Is>(owners))...};
}
// In the order of the arguments: the braces see to that.
template <class... Ts, std::size_t... Is>
[[nodiscard]] std::tuple<value_of<Ts>...> take_all(std::tuple<coro_owner<Ts>...>& owners,
                                                   std::index_sequence<Is...> /*all*/) {
  return std::tuple<value_of<Ts>...>{std::get<Is>(owners).promise().result.take_value()...};
}

// A coroutine of its own for those with parameters that are packs: it has one parameter.
template <class Awaiter, class... Ts>
pilfer::task<std::tuple<value_of<Ts>...>> all_of(std::tuple<coro_owner<Ts>...> owners) {
  constexpr std::index_sequence_for<Ts...> all{};
  std::array<child_task, sizeof...(Ts)> children = children_of(owners, all);
  Awaiter together(children);
  co_await together;
  co_return take_all(owners, all);
}

// Of many: of void tasks nothing.
template <class T>
using many_of = std::conditional_t<std::is_void_v<T>, void, std::vector<value_of<T>>>;
template <class Awaiter, class T>
pilfer::task<many_of<T>> all_of(std::vector<coro_owner<T>> owners) {
  std::vector<child_task> children = children_of(owners);
  Awaiter together(children);
  co_await together;
  if constexpr (std::is_void_v<T>) {
    for (auto& each : owners) each.promise().result.take();
  } else {
    std::vector<T> results;
    results.reserve(owners.size());
    for (auto& each : owners) results.push_back(each.promise().result.take());
    co_return results;
  }
}

}  // namespace detail

struct when_all_options {
  bool stop_on_error = false;
};

//   Throws  std::future_error, at the call, if one of them is empty.
template <class... Awaitables>
  requires(sizeof...(Awaitables) != 0 && (detail::awaitable_type<Awaitables> && ...))
[[nodiscard]] auto when_all(when_all_options how, Awaitables&&... each) {
  std::tuple<detail::coro_owner<detail::awaited_t<Awaitables>>...> owners{
      detail::coroutine_for<Awaitables>(std::forward<Awaitables>(each))...};
  return how.stop_on_error ? detail::all_of<detail::fail_fast_awaiter>(std::move(owners))
                           : detail::all_of<detail::parallel_awaiter>(std::move(owners));
}
template <class... Awaitables>
  requires(sizeof...(Awaitables) != 0 && (detail::awaitable_type<Awaitables> && ...))
[[nodiscard]] auto when_all(Awaitables&&... each) {
  return when_all(when_all_options{}, std::forward<Awaitables>(each)...);
}

template <class Awaitable>
  requires(detail::awaitable_type<Awaitable>)
[[nodiscard]] auto when_all(when_all_options how, std::vector<Awaitable> each) {
  std::vector<detail::coro_owner<detail::awaited_t<Awaitable>>> owners;
  owners.reserve(each.size());
  for (Awaitable& one : each) owners.push_back(detail::coroutine_for<Awaitable>(std::move(one)));
  return how.stop_on_error ? detail::all_of<detail::fail_fast_awaiter>(std::move(owners))
                           : detail::all_of<detail::parallel_awaiter>(std::move(owners));
}
template <class Awaitable>
  requires(detail::awaitable_type<Awaitable>)
[[nodiscard]] auto when_all(std::vector<Awaitable> each) {
  return when_all(when_all_options{}, std::move(each));
}

}  // namespace pilfer
