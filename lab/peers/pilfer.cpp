// pilfer: a task_group where the others have tasks, fork_join where they have a join.
#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "lab/peers/classic_session.hpp"
#include "lab/peers/run_contest.hpp"
#include "lab/schedulers/users_fork.hpp"

namespace pilfer::lab::peers {
namespace {

class pilfer_group {
 public:
  static constexpr bool waits_for_descendants = true;
  template <class F>
  void run(F f) {
    group_.spawn(std::move(f));
  }
  void wait() { group_.wait(); }

 private:
  task_group group_;
};

enum class style : unsigned char { tasks, forks };

class pilfer_team final : public team {
 public:
  pilfer_team(const pool_options& options, style how) : pool_(options), how_(how) {}

  outcome run(contest what, std::int64_t size) override {
    const auto enter = [this](auto program) { return pool_.run(program); };
    const bool forks = how_ == style::forks || what == contest::merge_sort || what == contest::matmul;
    return forks ? run_with_forks<schedulers::users_fork>(what, size, enter)
                 : run_with_tasks<pilfer_group>(what, size, enter);
  }
  [[nodiscard]] std::optional<std::uint64_t> steals_so_far() const override {
    return pool_.statistics().total().steals_taken;
  }

 private:
  pool pool_;
  style how_;
};

// The default pool's: fork-join's programs in their own session, as in `pilfer bench fork-join`.
class default_team final : public team {
 public:
  explicit default_team(std::size_t workers)
      : classics_(schedulers::default_name, workers), others_(pool_options{.workers = workers}, style::tasks) {}

  outcome run(contest what, std::int64_t size) override {
    if (const auto classic = classic_program(what)) return classics_.run(*classic, size);
    return others_.run(what, size);
  }
  [[nodiscard]] std::optional<std::uint64_t> steals_so_far() const override {
    return classics_.steals_so_far().value_or(0) + others_.steals_so_far().value_or(0);
  }

 private:
  classic_session classics_;
  pilfer_team others_;
};

}  // namespace

std::vector<entrant> pilfer_entrants() {
  return {
      {.name = pilfer_name,
       .own_sequential = serial_name,
       .contests = {contest::fib, contest::fib_spawn, contest::skynet, contest::spawn, contest::ping_pong,
                    contest::nqueens, contest::integrate, contest::quicksort, contest::merge_sort, contest::matmul,
                    contest::json},
       .make = [](std::size_t workers) { return std::make_unique<default_team>(workers); }},
      {.name = fork_join_name,
       .own_sequential = serial_name,
       .contests = {contest::skynet},
       .make =
           [](std::size_t workers) {
             return std::make_unique<pilfer_team>(pool_options{.workers = workers}, style::forks);
           }},
      // Tokio and Go begin with the oldest task: so does this one.
      {.name = fifo_name,
       .own_sequential = serial_name,
       .contests = {contest::fib_spawn, contest::skynet, contest::spawn, contest::ping_pong, contest::json},
       .make =
           [](std::size_t workers) {
             return std::make_unique<pilfer_team>(pool_options{.workers = workers, .scheduler = "bwos-fifo"},
                                                  style::tasks);
           }},
  };
}

}  // namespace pilfer::lab::peers
