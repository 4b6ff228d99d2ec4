// std::execution::par as libstdc++ has it: PSTL on oneTBB, in a task_arena of its own.
#include "lab/algorithms/library.hpp"
#include "lab/schedulers/peers.hpp"

namespace pilfer::lab::algorithms {
namespace {

constexpr const char* std_par_name = "std-par";
constexpr const char* std_par_description = "std::execution::par, libstdc++'s on oneTBB";

}  // namespace
}  // namespace pilfer::lab::algorithms

#if defined(PILFER_LAB_HAS_TBB)

#include <algorithm>
#include <execution>

#include "lab/algorithms/kit_session.hpp"
#include "lab/algorithms/std_algorithms.hpp"
#include "lab/schedulers/tbb_pool.hpp"

namespace pilfer::lab::algorithms {
namespace {

class std_par_kit : public std_algorithms<std::execution::par> {
 public:
  static constexpr auto calms_down_in = schedulers::tbb_calms_down_in;
  explicit std_par_kit(std::size_t workers) : pool_(workers) {}

  template <class Call>
  void enter(Call&& call) {
    pool_.run(std::forward<Call>(call));
  }
  template <class T, class F>
  static void loop(std::span<T> values, F f) {
    std::for_each(std::execution::par, values.begin(), values.end(),
                  [first = values.data(), f](T& x) { f(static_cast<std::size_t>(&x - first), x); });
  }
  template <class T, class F>
  static void uneven_loop(std::span<T> values, F f) {
    loop(values, f);
  }

 private:
  schedulers::tbb_pool pool_;
};

}  // namespace

std::vector<library> std_par_library() {
  return {kit_library<std_par_kit>(std_par_name, std_par_description, schedulers::tbb_version())};
}

}  // namespace pilfer::lab::algorithms

#else

namespace pilfer::lab::algorithms {

std::vector<library> std_par_library() {
  return {absent_library(std_par_name, std_par_description, schedulers::why_no_tbb)};
}

}  // namespace pilfer::lab::algorithms

#endif
