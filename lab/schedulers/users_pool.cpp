// pilfer::pool and pilfer::fork_join as users have them, in three forms: plain, with a context, with callables that may
// throw. The last two are only fib: that is where the difference shows.
#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>

#include "lab/schedulers/pool_session.hpp"
#include "lab/schedulers/registry.hpp"
#include "lab/schedulers/users_fork.hpp"

namespace pilfer::lab::schedulers {
namespace {

class context_session final : public session {
 public:
  explicit context_session(std::size_t workers) : pool_(workers) {}
  programs::timed_answer run(const workload& what) override {
    const int n = static_cast<int>(what.size);
    return programs::timed([&] { return pool_.run([n](context here) noexcept { return context_fib(here, n); }); });
  }

 private:
  pool pool_;
};

class throwing_session final : public session {
 public:
  explicit throwing_session(std::size_t workers) : pool_(workers) {}
  programs::timed_answer run(const workload& what) override {
    const int n = static_cast<int>(what.size);
    return programs::timed([&] { return pool_.run([n] { return programs::fib_throwing<users_fork>(n); }); });
  }

 private:
  pool pool_;
};

}  // namespace

std::vector<entry> users_pool_entries() {
  return {
      {.name = default_name,
       .description = "pilfer::pool, pilfer::fork_join",
       .of = family::users_pool,
       .make = [](std::size_t workers) { return std::make_unique<pool_session<pool, users_fork>>(workers); }},
      {.name = context_name,
       .description = "the same with a context handed from call to call",
       .of = family::users_pool,
       .only = {program::fib},
       .make = [](std::size_t workers) { return std::make_unique<context_session>(workers); }},
      {.name = throwing_name,
       .description = "default with callables that may throw",
       .of = family::users_pool,
       .only = {program::fib},
       .make = [](std::size_t workers) { return std::make_unique<throwing_session>(workers); }},
  };
}

}  // namespace pilfer::lab::schedulers
