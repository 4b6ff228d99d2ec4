// One T for each worker of a pool, made when that worker first asks for it: for sums, buffers, random sources.
//
//   pilfer::per_worker<std::size_t> found;
//   pilfer::parallel_for(0, n, [&](int i) { if (is_prime(i)) ++found.local(); });
//   const std::size_t total = found.combine(std::size_t{0}, std::plus{});
//
// No two threads have the same T at a time, so none needs a lock. But a task that forks, spawns or waits may find, when it goes on, that a
// task it has waited for has used the same T on this worker meanwhile: do not keep a reference across that.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/check.hpp>
#include <pilfer/ext/sync.hpp>
#include <pilfer/pool.hpp>

namespace pilfer {

namespace detail {
// Of the calling thread, as a worker of that pool. In src/runtime/.
//   Throws  std::logic_error if it is none.
[[nodiscard]] std::size_t index_in(const runtime& home);
}  // namespace detail

template <class T>
class per_worker : detail::immovable {
  struct alignas(ext::isolation_bytes) place {
    template <class... Args>
    explicit place(Args&&... args) : value(std::forward<Args>(args)...) {}
    T value;
  };
  struct orders {
    static constexpr ext::edge make{};
  };

 public:
  using maker = std::function<T()>;

  // Of the pool of the calling task, or the default one.
  per_worker() : per_worker([] { return T(); }) {}
  explicit per_worker(maker make) : home_(detail::runtime_of_caller()), make_(std::move(make)) {}
  explicit per_worker(
      pool& home, maker make = [] { return T(); })
      : home_(detail::access::of(home)), make_(std::move(make)) {}
  ~per_worker() {
    for (auto& each : places_) delete each.load(orders::make.acq);
  }

  // The calling worker's.
  //   Throws  std::logic_error outside of its pool; what making a T throws.
  [[nodiscard]] T& local() {
    auto& mine = places_[detail::index_in(home_)];
    place* found = mine.load(orders::make.acq);
    if (found == nullptr) {
      found = std::make_unique<place>(make_()).release();
      mine.store(found, orders::make.rel);
    }
    return found->value;
  }

  // All there are, in the order of the workers. Requires that no task uses them meanwhile.
  template <class F>
  void for_each(F&& f) {
    static_assert(detail::algorithm_callable<F&, T&>::is_plain);
    static_assert(std::is_invocable_v<F&, T&>,
                  "pilfer: per_worker::for_each calls f(value) with each worker's, and this f cannot be called so");
    if constexpr (std::is_invocable_v<F&, T&>) {
      for (auto& each : places_) {
        if (place* const found = each.load(orders::make.acq)) static_cast<void>(std::invoke(f, found->value));
      }
    }
  }
  template <class R, class Op>
  [[nodiscard]] R combine(R start, Op&& op) {
    static_assert(detail::algorithm_callable<Op&, R, T&>::is_plain);
    constexpr bool can_combine = detail::can_assign_call<R&, Op&, R, T&>;
    static_assert(
        can_combine || detail::is_coroutine_function<Op&, R, T&>,
        "pilfer: per_worker::combine goes on by start = op(start, value) with each worker's, and this op cannot "
        "be used so");
    if constexpr (can_combine) {
      for_each([&](T& each) { start = std::invoke(op, std::move(start), each); });
    }
    return start;
  }

 private:
  detail::runtime& home_;
  maker make_;
  std::array<ext::default_sync::atomic<place*>, worker_limit> places_;
};

}  // namespace pilfer
