// A pool whose queue is known when it is compiled: what the lab and the tests compare. Users take pilfer::pool.
#pragma once

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>

#include "research/configurations.hpp"
#include "src/runtime/runtime.hpp"

namespace pilfer::research {

// pilfer::fork_join's way to a queue that is called: a fork that finds no room is the caller's to run.
template <class Lane>
class lane_path {
 public:
  [[gnu::always_inline]] explicit lane_path(Lane& lane) noexcept : lane_(lane) {}
  [[nodiscard, gnu::always_inline]] bool fork(forked_job& work) const noexcept { return lane_.fork(work); }
  [[nodiscard, gnu::always_inline]] bool join(forked_job& work) const noexcept { return lane_.join(work); }
  [[nodiscard]] static bool join_slowly(forked_job& /*work*/) noexcept { return false; }
  [[nodiscard]] static void* inner() noexcept { return nullptr; }
  [[nodiscard]] static void* outer() noexcept { return nullptr; }
  void count_suppressed() const noexcept { lane_.owner().counts.suppressed.add(); }

  class kept;
  [[nodiscard]] kept fork_slowly(forked_job& /*work*/) const noexcept { return kept(lane_); }
  class kept {
   public:
    explicit kept(Lane& lane) noexcept : lane_(lane) {}
    [[nodiscard]] static bool join(forked_job& /*work*/) noexcept { return true; }
    [[nodiscard]] static bool join_slowly(forked_job& /*work*/) noexcept { return true; }
    [[nodiscard]] static void* inner() noexcept { return nullptr; }
    [[nodiscard]] static void* outer() noexcept { return nullptr; }
    void count_suppressed() const noexcept { lane_.owner().counts.suppressed.add(); }

   private:
    Lane& lane_;
  };

 private:
  Lane& lane_;
};

template <class Config>
class basic_pool {
 public:
  using lane_type = lane_for<Config>;

  explicit basic_pool(const pool_options& options = {})
      : runtime_(options, Config::name,
                 {.of_forks = lane_maker_of<Config, lane_type>(detail::chosen_shape(options.block_entries)),
                  .of_tasks = {}}) {}

  [[nodiscard]] std::size_t size() const noexcept { return runtime_.crew.places(); }
  [[nodiscard]] pool_statistics statistics() const { return runtime_.statistics(); }

  // As pilfer::pool::run.
  template <class F>
  std::invoke_result_t<F> run(F&& f) {
    using result = std::invoke_result_t<F>;
    lane_type* const outer = lane_type::current();
    if (outer != nullptr && &outer->owner().home == &runtime_) return std::forward<F>(f)();
    using detail::visit;
    {
      const visit inside(runtime_, outer != nullptr ? visit::place::additional : visit::place::if_free);
      if (inside) return std::forward<F>(f)();
    }
    detail::forked<F> work(f);
    if (runtime_.visitors.run_elsewhere(work)) return static_cast<result>(work.kept().take());
    const visit inside(runtime_, visit::place::at_any_price);
    return std::forward<F>(f)();
  }

  // As pilfer::fork_join, for two callables without a context. Requires a caller inside a pool of this configuration.
  template <class F, class G>
  [[gnu::always_inline]] static auto fork_join(F&& f, G&& g) {
    lane_type* const here = lane_type::current();
    if (here == nullptr) [[unlikely]]
      outside();
    return detail::fork_two(lane_path<lane_type>(*here), std::forward<F>(f), std::forward<G>(g));
  }

 private:
  [[noreturn, gnu::noinline, gnu::cold]] static void outside() {
#if defined(__cpp_exceptions)
    throw std::logic_error("pilfer: basic_pool::fork_join outside of run()");
#else
    std::abort();
#endif
  }

  detail::runtime runtime_;
};

}  // namespace pilfer::research
