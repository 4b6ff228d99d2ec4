// OpenMP tasks; the runtime is the compiler's. This file alone is compiled with -fopenmp.
#include "lab/schedulers/peers.hpp"
#include "lab/schedulers/registry.hpp"

#if defined(_OPENMP)

#include <fmt/format.h>
#include <omp.h>

#include <utility>

#include "lab/schedulers/pool_session.hpp"

namespace pilfer::lab::schedulers {
namespace {

struct openmp_fork {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    decltype(g()) second{};
#pragma omp task default(none) shared(second, g)
    second = g();
    const auto first = f();
#pragma omp taskwait
    return std::pair(first, second);
  }
};

class openmp_pool {
 public:
  explicit openmp_pool(std::size_t workers) : workers_(static_cast<int>(workers)) {}

  template <class F>
  auto run(F f) {
    decltype(f()) answer{};
#pragma omp parallel num_threads(workers_) default(none) shared(answer, f)
#pragma omp single
    answer = f();
    return answer;
  }

 private:
  int workers_;
};

using openmp_session = calming_session<openmp_pool, openmp_fork, openmp_calms_down_in.count()>;

}  // namespace

std::vector<entry> openmp_entries() {
  return {{.name = "openmp",
           .description = "OpenMP tasks, the compiler's runtime",
           .of = family::peer,
           .version = fmt::format("{}", _OPENMP),
           .make = [](std::size_t workers) { return std::make_unique<openmp_session>(workers); }}};
}

}  // namespace pilfer::lab::schedulers

#else

namespace pilfer::lab::schedulers {

std::vector<entry> openmp_entries() {
  return {{.name = "openmp",
           .description = "OpenMP tasks, the compiler's runtime",
           .of = family::peer,
           .why_unavailable = why_no_openmp}};
}

}  // namespace pilfer::lab::schedulers

#endif
