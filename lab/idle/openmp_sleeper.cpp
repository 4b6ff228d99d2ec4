// OpenMP: the threads of a team between two parallel regions, and within one that has nothing for them. This file alone is
// compiled with -fopenmp.
#include "lab/idle/sleeper.hpp"
#include "lab/schedulers/peers.hpp"

#if defined(_OPENMP)

#include <fmt/format.h>
#include <omp.h>

#include <atomic>
#include <thread>

namespace pilfer::lab::idle {
namespace {

class openmp_sleeper final : public sleeper {
 public:
  explicit openmp_sleeper(std::size_t workers) : workers_(static_cast<int>(workers)) {}

  // No submit from outside but the beginning of a region.
  wake_up wake(way how, std::chrono::microseconds after) override {
    meeting met;
    if (how == way::submit) {
      std::this_thread::sleep_for(after);
      met.begin();
#pragma omp parallel num_threads(workers_) default(none) shared(met)
      {
        if (omp_get_thread_num() == 1) met.arrive_alone();
      }
    } else {
#pragma omp parallel num_threads(workers_) default(none) shared(met, after)
#pragma omp single
      {
        std::this_thread::sleep_for(after);
        met.begin();
#pragma omp task default(none) shared(met)
        met.arrive();
        met.arrive();
#pragma omp taskwait
      }
    }
    return awaited(met, openmp_name);
  }

  std::int64_t run_tasks(std::int64_t count) override {
    std::atomic<std::int64_t> ran{0};
#pragma omp parallel num_threads(workers_) default(none) shared(ran, count)
#pragma omp single
    {
      for (std::int64_t i = 0; i < count; ++i) {
#pragma omp task default(none) shared(ran)
        ran.fetch_add(1, std::memory_order_relaxed);  // the region's end orders it
      }
    }
    return ran.load(std::memory_order_relaxed);
  }

 private:
  int workers_;
};

}  // namespace

sleeper_entry openmp_sleeper_entry() {
  return {.name = openmp_name,
          .description = "OpenMP, the compiler's runtime: a parallel region, and a task in one",
          .version = fmt::format("{}", _OPENMP),
          .make = [](std::size_t workers) { return std::make_unique<openmp_sleeper>(workers); },
          .ways = {way::submit, way::spawn},
          .falls_asleep_in = schedulers::openmp_calms_down_in};
}

}  // namespace pilfer::lab::idle

#else

namespace pilfer::lab::idle {

sleeper_entry openmp_sleeper_entry() {
  return {.name = openmp_name, .description = "OpenMP", .why_unavailable = schedulers::why_no_openmp};
}

}  // namespace pilfer::lab::idle

#endif
