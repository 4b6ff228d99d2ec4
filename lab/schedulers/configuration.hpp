// One configuration of basic_pool as an entry, and in the counting build.
#pragma once

#include <memory>
#include <utility>

#include "lab/schedulers/pool_session.hpp"
#include "lab/schedulers/registry.hpp"
#include "research/basic_pool.hpp"
#include "research/configurations.hpp"

namespace pilfer::lab::schedulers {

template <class Config>
class configured_pool {
 public:
  explicit configured_pool(std::size_t workers) : pool_(pool_options{.workers = workers}) {}
  template <class F>
  auto run(F&& f) {
    return pool_.run(std::forward<F>(f));
  }
  [[nodiscard]] pool_statistics statistics() const { return pool_.statistics(); }

 private:
  research::basic_pool<Config> pool_;
};

template <class Config>
struct configured_fork {
  template <class F, class G>
  [[gnu::always_inline]] static auto fork_join(F&& f, G&& g) {
    return research::basic_pool<Config>::fork_join(std::forward<F>(f), std::forward<G>(g));
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

template <class Config>
[[nodiscard]] counted_entry counted_configuration() {
  return {Config::name, [](const workload& what, std::size_t workers) {
            using counting = research::counted<Config>;
            research::basic_pool<counting> pool(pool_options{.workers = workers});
            const programs::timed_answer found =
                programs::run_program<configured_fork<counting>>(what, [&](auto program) { return pool.run(program); });
            programs::check_answer(what, found.answer, Config::name);
            const worker_statistics counts = pool.statistics().total();
            return synchronization{.fences = counts.fences,
                                   .cas = counts.cas,
                                   .pushes = counts.pushes,
                                   .pops = counts.pops,
                                   .steals = counts.steals_taken,
                                   .exposed = counts.exposed,
                                   .unstolen = counts.unstolen};
          }};
}

}  // namespace pilfer::lab::schedulers
