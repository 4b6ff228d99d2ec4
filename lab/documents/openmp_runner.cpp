// OpenMP tasks; the runtime is the compiler's. This file alone of the folder is compiled with -fopenmp.
#include "lab/documents/runners.hpp"
#include "lab/schedulers/peers.hpp"

#if defined(_OPENMP)
#include <fmt/format.h>
#include <omp.h>

#include <thread>
#endif

namespace pilfer::lab::documents {
namespace {

constexpr const char* openmp_name = "openmp";

#if defined(_OPENMP)
class runner_of_openmp final : public runner {
 public:
  explicit runner_of_openmp(std::size_t workers) : workers_(static_cast<int>(workers)) {}

  void run(std::size_t count, const std::function<void(std::size_t)>& task) override {
#pragma omp parallel num_threads(workers_) default(none) shared(count, task)
#pragma omp single
    for (std::size_t i = 0; i < count; ++i) {
#pragma omp task default(none) firstprivate(i) shared(task)
      task(i);
    }
  }
  void calm_down() const override { std::this_thread::sleep_for(schedulers::openmp_calms_down_in); }

 private:
  int workers_;
};
#endif

}  // namespace

runner_entry openmp_runner() {
#if defined(_OPENMP)
  return {.name = openmp_name,
          .version = fmt::format("{}", _OPENMP),
          .why_unavailable = {},
          .make = [](std::size_t workers) { return std::make_unique<runner_of_openmp>(workers); }};
#else
  return {.name = openmp_name, .version = {}, .why_unavailable = schedulers::why_no_openmp, .make = {}};
#endif
}

}  // namespace pilfer::lab::documents
