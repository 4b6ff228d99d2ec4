// oneTBB: task_group, and parallel_invoke where lab/schedulers has the program.
#include "lab/peers/contest.hpp"
#include "lab/schedulers/peers.hpp"

#if defined(PILFER_LAB_HAS_TBB)

#include <oneapi/tbb/task_group.h>

#include <thread>
#include <utility>

#include "lab/peers/classic_session.hpp"
#include "lab/peers/run_contest.hpp"
#include "lab/schedulers/tbb_pool.hpp"

namespace pilfer::lab::peers {
namespace {

class tbb_group {
 public:
  static constexpr bool waits_for_descendants = true;
  template <class F>
  void run(F f) {
    group_.run(std::move(f));
  }
  void wait() { group_.wait(); }

 private:
  oneapi::tbb::task_group group_;
};

struct tbb_group_fork {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    decltype(g()) second{};
    oneapi::tbb::task_group group;
    group.run([&] { second = g(); });
    const auto first = f();
    group.wait();
    return std::pair(first, second);
  }
};

class tbb_team final : public team {
 public:
  explicit tbb_team(std::size_t workers) : classics_("onetbb", workers), pool_(workers) {}

  outcome run(contest what, std::int64_t size) override {
    if (const auto classic = classic_program(what)) return classics_.run(*classic, size);
    const auto enter = [this](auto program) { return pool_.run(program); };
    const outcome found = what == contest::merge_sort || what == contest::matmul
                              ? run_with_forks<tbb_group_fork>(what, size, enter)
                              : run_with_tasks<tbb_group>(what, size, enter);
    std::this_thread::sleep_for(schedulers::tbb_calms_down_in);
    return found;
  }

 private:
  classic_session classics_;
  schedulers::tbb_pool pool_;
};

}  // namespace

std::vector<entrant> tbb_entrants() {
  return {{.name = "onetbb",
           .own_sequential = serial_name,
           .contests = {contest::fib, contest::fib_spawn, contest::skynet, contest::spawn, contest::ping_pong,
                        contest::nqueens, contest::integrate, contest::quicksort, contest::merge_sort, contest::matmul,
                        contest::json},
           .version = schedulers::tbb_version(),
           .make = [](std::size_t workers) { return std::make_unique<tbb_team>(workers); }}};
}

}  // namespace pilfer::lab::peers

#else

namespace pilfer::lab::peers {

std::vector<entrant> tbb_entrants() {
  return {{.name = "onetbb",
           .own_sequential = serial_name,
           .contests = {contest::fib},
           .why_missing = schedulers::why_no_tbb}};
}

}  // namespace pilfer::lab::peers

#endif
