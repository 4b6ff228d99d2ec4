// OpenMP, the compiler's runtime: worksharing loops, reductions and scans as its examples have them. With
// schedulers/openmp.cpp the only file compiled with -fopenmp.
#include "lab/algorithms/library.hpp"
#include "lab/schedulers/peers.hpp"

namespace pilfer::lab::algorithms {
namespace {

constexpr const char* openmp_name = "openmp";
constexpr const char* openmp_description = "OpenMP loops, the compiler's runtime; schedule(static)";
constexpr const char* dynamic_name = "openmp-dynamic";
constexpr const char* dynamic_description = "the same, only uneven loops; schedule(dynamic, 64)";
constexpr const char* guided_name = "openmp-guided";
constexpr const char* guided_description = "the same, only uneven loops; schedule(guided)";

}  // namespace
}  // namespace pilfer::lab::algorithms

#if defined(_OPENMP)

#include <omp.h>

#include "lab/algorithms/kit_session.hpp"

namespace pilfer::lab::algorithms {
namespace {

// g++ 12 suspects its own copies of a scan's sum.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

constexpr int dynamic_chunk = 64;  // one iteration at a time costs an atomic operation for each

// Firstprivate copies of plain pointers: what is shared would be read through one more.
template <omp_sched_t Schedule>
class openmp_uneven_kit {
 public:
  static constexpr auto calms_down_in = schedulers::openmp_calms_down_in;
  explicit openmp_uneven_kit(std::size_t workers) : workers_(static_cast<int>(workers)) {}

  template <class Call>
  static void enter(Call&& call) {
    call();
  }
  template <class T, class F>
  void uneven_loop(std::span<T> values, F f) const {
    omp_set_schedule(Schedule, Schedule == omp_sched_dynamic ? dynamic_chunk : 0);  // 0: as the schedule has it
    T* const first = values.data();
    const std::size_t size = values.size();
#pragma omp parallel for schedule(runtime) num_threads(workers_) default(none) firstprivate(first, size, f)
    for (std::size_t i = 0; i < size; ++i) f(i, first[i]);
  }

 protected:
  [[nodiscard]] int workers() const noexcept { return workers_; }

 private:
  int workers_;
};

class openmp_kit : public openmp_uneven_kit<omp_sched_static> {
 public:
  using openmp_uneven_kit::openmp_uneven_kit;

  template <class T, class F>
  void loop(std::span<T> values, F f) const {
    T* const first = values.data();
    const std::size_t size = values.size();
#pragma omp parallel for schedule(static) num_threads(workers()) default(none) firstprivate(first, size, f)
    for (std::size_t i = 0; i < size; ++i) f(i, first[i]);
  }
  template <class F>
  void transform(std::span<const double> in, std::span<double> out, F f) const {
    loop(out, [first = in.data(), f](std::size_t i, double& x) { x = f(first[i]); });
  }
  [[nodiscard]] double reduce(std::span<const double> values) const {
    const double* const first = values.data();
    const std::size_t size = values.size();
    double sum = 0;
#pragma omp parallel for simd schedule(static) num_threads(workers()) default(none) firstprivate(first, size) \
    reduction(+ : sum)
    for (std::size_t i = 0; i < size; ++i) sum += first[i];
    return sum;
  }
  void scan(std::span<const double> in, std::span<double> out) const {
    const double* const from = in.data();
    double* const to = out.data();
    const std::size_t size = in.size();
    double sum = 0;
#pragma omp parallel for num_threads(workers()) default(none) firstprivate(from, to, size) reduction(inscan, + : sum)
    for (std::size_t i = 0; i < size; ++i) {
      sum += from[i];
#pragma omp scan inclusive(sum)
      to[i] = sum;
    }
  }
  template <class T, class Key>
  std::vector<std::size_t> histogram(std::span<const T> values, std::size_t bins, Key key) const {
    const T* const first = values.data();
    const std::size_t size = values.size();
    std::vector<std::size_t> counts(bins);
    std::size_t* const bin = counts.data();
#pragma omp parallel for schedule(static) num_threads(workers()) default(none) firstprivate(first, size, key) \
    reduction(+ : bin[ : bins])
    for (std::size_t i = 0; i < size; ++i) ++bin[key(first[i])];
    return counts;
  }
  template <class T>
  std::size_t min_element(std::span<const T> values) const {
    const T* const first = values.data();
    const std::size_t size = values.size();
    std::size_t best = 0;
#pragma omp parallel num_threads(workers()) default(none) firstprivate(first, size) shared(best)
    {
      std::size_t mine = 0;
#pragma omp for schedule(static) nowait
      for (std::size_t i = 0; i < size; ++i) mine = first[i] < first[mine] ? i : mine;
#pragma omp critical
      if (first[mine] < first[best] || (first[mine] == first[best] && mine < best)) best = mine;
    }
    return best;
  }
};

}  // namespace

std::vector<library> openmp_libraries() {
  const std::string version = fmt::format("{}", _OPENMP);
  std::vector<library> all = {kit_library<openmp_kit>(openmp_name, openmp_description, version),
                              kit_library<openmp_uneven_kit<omp_sched_dynamic>>(dynamic_name, dynamic_description),
                              kit_library<openmp_uneven_kit<omp_sched_guided>>(guided_name, guided_description)};
  for (std::size_t i = 1; i < all.size(); ++i) all[i].variant = true;
  return all;
}

}  // namespace pilfer::lab::algorithms

#else

namespace pilfer::lab::algorithms {

std::vector<library> openmp_libraries() {
  const char* const why = schedulers::why_no_openmp;
  return {absent_library(openmp_name, openmp_description, why), absent_library(dynamic_name, dynamic_description, why),
          absent_library(guided_name, guided_description, why)};
}

}  // namespace pilfer::lab::algorithms

#endif
