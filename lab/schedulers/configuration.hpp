// One configuration of basic_pool as an entry, and in the counting build.
#pragma once

#include <memory>
#include <utility>

#include <pilfer/detail/basic_pool.hpp>
#include <pilfer/detail/configurations.hpp>

#include "lab/schedulers/pool_session.hpp"
#include "lab/schedulers/registry.hpp"
#include "lab/schedulers/thread_tally.hpp"

namespace pilfer::lab::schedulers {

template <class Config>
class configured_pool {
 public:
  explicit configured_pool(std::size_t workers) : pool_(pool_options{.workers = workers}) {}
  template <class F>
  auto run(F&& f) {
    return pool_.run(std::forward<F>(f));
  }

 private:
  detail::basic_pool<Config> pool_;
};

template <class Config>
struct configured_fork {
  template <class F, class G>
  [[gnu::always_inline]] static auto fork_join(F&& f, G&& g) {
    return detail::basic_pool<Config>::fork_join(std::forward<F>(f), std::forward<G>(g));
  }
};

template <class Config>
[[nodiscard]] entry configuration_entry() {
  return {.name = Config::name,
          .description = Config::summary,
          .of = family::configuration,
          .make = [](std::size_t workers) {
            return std::make_unique<pool_session<configured_pool<Config>, configured_fork<Config>>>(workers);
          }};
}

// Counts belong to threads; whoever forks or runs what was forked makes itself known, so that its counts are not lost when
// it ends.
template <class Config>
struct counted_fork {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    thread_tally::know_this_thread();
    return detail::basic_pool<detail::counted<Config>>::fork_join(std::forward<F>(f), [&g]() noexcept {
      thread_tally::know_this_thread();
      return g();
    });
  }
};

template <class Config>
[[nodiscard]] counted_entry counted_configuration() {
  return {Config::name, [](const workload& what, std::size_t workers) {
            return thread_tally::of([&] {
              pool_session<configured_pool<detail::counted<Config>>, counted_fork<Config>> pool(workers);
              pool.set_name(Config::name);
              (void)pool.seconds_of(what);
            });
          }};
}

}  // namespace pilfer::lab::schedulers
