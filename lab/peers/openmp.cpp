// OpenMP tasks; the runtime is the compiler's. This file alone is compiled with -fopenmp.
#include "lab/peers/contest.hpp"
#include "lab/schedulers/peers.hpp"

#if defined(_OPENMP)

#include <fmt/format.h>
#include <omp.h>

#include <thread>

#include "lab/peers/classic_session.hpp"
#include "lab/peers/run_contest.hpp"

namespace pilfer::lab::peers {
namespace {

// Waits for its own tasks, not for those that they have begun in their turn: no ping_pong.
struct openmp_group {
  template <class F>
  void run(F f) {
#pragma omp task default(none) firstprivate(f)
    f();
  }
  void wait() {
#pragma omp taskwait
  }
};

class openmp_team final : public team {
 public:
  explicit openmp_team(std::size_t workers) : classics_("openmp", workers), workers_(static_cast<int>(workers)) {}

  outcome run(contest what, std::int64_t size) override {
    if (const auto classic = classic_program(what)) return classics_.run(*classic, size);
    const outcome found = run_with_tasks<openmp_group>(what, size, [this](auto program) {
      decltype(program()) answer{};
#pragma omp parallel num_threads(workers_) default(none) shared(answer, program)
#pragma omp single
      answer = program();
      return answer;
    });
    std::this_thread::sleep_for(schedulers::openmp_calms_down_in);
    return found;
  }

 private:
  classic_session classics_;
  int workers_;
};

}  // namespace

std::vector<entrant> openmp_entrants() {
  return {{.name = "openmp",
           .own_sequential = serial_name,
           .contests = {contest::fib, contest::fib_spawn, contest::skynet, contest::spawn, contest::nqueens,
                        contest::integrate, contest::quicksort, contest::json},
           .version = fmt::format("{}", _OPENMP),
           .make = [](std::size_t workers) { return std::make_unique<openmp_team>(workers); }}};
}

}  // namespace pilfer::lab::peers

#else

namespace pilfer::lab::peers {

std::vector<entrant> openmp_entrants() {
  return {{.name = "openmp",
           .own_sequential = serial_name,
           .contests = {contest::fib},
           .why_missing = schedulers::why_no_openmp}};
}

}  // namespace pilfer::lab::peers

#endif
