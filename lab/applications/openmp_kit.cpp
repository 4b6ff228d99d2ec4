// OpenMP tasks and taskloops; the runtime is the compiler's. Compiled with -fopenmp, alone in this folder.
#include "lab/applications/application.hpp"
#include "lab/schedulers/peers.hpp"

#if defined(_OPENMP)

#include <fmt/format.h>
#include <omp.h>

#include <type_traits>
#include <utility>

#include "lab/applications/kit_session.hpp"

namespace pilfer::lab::applications {
namespace {

struct openmp_kit {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    if constexpr (std::is_void_v<decltype(g())>) {
#pragma omp task default(none) shared(g)
      g();
      f();
#pragma omp taskwait
    } else {
      decltype(g()) second{};
#pragma omp task default(none) shared(second, g)
      second = g();
      auto first = f();
#pragma omp taskwait
      return std::pair(std::move(first), std::move(second));
    }
  }
  template <class F>
  static void parallel_for(std::size_t first, std::size_t last, std::size_t grain, F f) {
#pragma omp taskloop grainsize(grain) default(none) firstprivate(first, last, f)
    for (std::size_t i = first; i < last; ++i) f(i);
  }
};

class openmp_pool {
 public:
  explicit openmp_pool(std::size_t workers) : workers_(static_cast<int>(workers)) {}

  template <class F>
  void run(F f) {
#pragma omp parallel num_threads(workers_) default(none) shared(f)
#pragma omp single
    f();
  }

 private:
  int workers_;
};

using openmp_session = kit_session<openmp_kit, openmp_pool>;

}  // namespace

kit_entry openmp_kit_entry() {
  return {.name = openmp_name, .version = fmt::format("{}", _OPENMP), .make = [](std::size_t workers, const variant&) {
            return std::make_unique<openmp_session>(openmp_name, schedulers::openmp_calms_down_in, workers, workers);
          }};
}

}  // namespace pilfer::lab::applications

#else

namespace pilfer::lab::applications {

kit_entry openmp_kit_entry() { return {.name = openmp_name, .why_unavailable = schedulers::why_no_openmp}; }

}  // namespace pilfer::lab::applications

#endif
