// A pool whose queue is known at compile time: what the lab and the tests compare. Users take pilfer::pool.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pilfer/detail/configurations.hpp>
#include <pilfer/detail/job.hpp>
#include <pilfer/detail/scheduler.hpp>

namespace pilfer::detail {

// A fork in a basic_pool.
template <class F>
class plain_forked : public job {
 public:
  using result = std::invoke_result_t<F>;
  [[gnu::always_inline]] explicit plain_forked(std::remove_reference_t<F>& f) noexcept : job(&run_stolen), task_(f) {}
  [[nodiscard, gnu::always_inline]] F&& task() noexcept { return task_.get(); }
  [[nodiscard]] outcome<result>& kept() noexcept { return outcome_; }

 private:
  static void run_stolen(job& self) noexcept {
    auto& mine = static_cast<plain_forked&>(self);
    mine.outcome_.keep_result_of(mine.task());
  }
  borrowed<F> task_;
  outcome<result> outcome_;
};

template <class Config>
class basic_pool {
 public:
  using lane_type = lane_for<Config>;

  explicit basic_pool(const pool_options& options = {})
      : scheduler_(options, Config::name, lanes_of<Config>(block_shape::chosen(options.block_entries))) {}

  [[nodiscard]] std::size_t size() const noexcept { return scheduler_.places(); }
  [[nodiscard]] pool_statistics statistics() const { return scheduler_.statistics(); }

  // As pilfer::pool::run.
  template <class F>
  std::invoke_result_t<F> run(F&& f) {
    lane_type* const outer = lane_type::current();
    if (outer != nullptr && &outer->owner().home == &scheduler_) return std::forward<F>(f)();
    {
      const visit inside(scheduler_, outer != nullptr ? visit::place::additional : visit::place::if_free);
      if (inside) return std::forward<F>(f)();
    }
    plain_forked<F> work(f);
    if (scheduler_.run_elsewhere(work)) return static_cast<std::invoke_result_t<F>>(work.kept().take());
    const visit inside(scheduler_, visit::place::at_any_price);
    return std::forward<F>(f)();
  }

  // As pilfer::fork_join, for two callables without a context. Requires a caller inside a pool of this configuration.
  template <class F, class G>
  [[gnu::always_inline]] static auto fork_join(F&& f, G&& g) {
    lane_type* const here = lane_type::current();
    if (here == nullptr) [[unlikely]]
      outside();
    using first_result = std::invoke_result_t<F>;
    using second_result = std::invoke_result_t<G>;
    using results = std::tuple<value_of<first_result>, value_of<second_result>>;
    plain_forked<G> other(g);
    const bool queued = here->fork(other);
    const auto first_part = [&]() -> value_of<first_result> {
#if defined(__cpp_exceptions)
      if constexpr (!std::is_nothrow_invocable_v<F>) {
        try {
          return call_for_value<first_result>(std::forward<F>(f));
        } catch (...) {
          finish_after_throw(*here, queued, other);
          throw;
        }
      }
#endif
      return call_for_value<first_result>(std::forward<F>(f));
    };
    auto&& first = first_part();
    if (!queued || here->join(other)) [[likely]]
      return results{std::forward<decltype(first)>(first), call_for_value<second_result>(other.task())};
    return results{std::forward<decltype(first)>(first), other.kept().take()};
  }

 private:
  [[noreturn, gnu::noinline, gnu::cold]] static void outside() {
#if defined(__cpp_exceptions)
    throw std::logic_error("pilfer: basic_pool::fork_join outside of run()");
#else
    std::abort();
#endif
  }
  template <class G>
  [[gnu::noinline, gnu::cold]] static void finish_after_throw(lane_type& here, bool queued,
                                                              plain_forked<G>& other) noexcept {
    if (!queued || here.join(other)) other.kept().keep_result_of(other.task());
    if (other.kept().discard()) here.owner().counts.suppressed.add();
  }

  scheduler scheduler_;
};

}  // namespace pilfer::detail
