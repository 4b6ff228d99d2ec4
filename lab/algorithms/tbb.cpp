// oneTBB: its algorithms over blocked_range with the default partitioner, in a task_arena of their own. What it has no
// algorithm for is written with those that its guide recommends, or left out.
#include "lab/algorithms/library.hpp"
#include "lab/schedulers/peers.hpp"

namespace pilfer::lab::algorithms {
namespace {

constexpr const char* tbb_description = "oneTBB, parallel_for and so on, default partitioner";

}  // namespace
}  // namespace pilfer::lab::algorithms

#if defined(PILFER_LAB_HAS_TBB)

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/combinable.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "lab/algorithms/kit_session.hpp"
#include "lab/schedulers/tbb_pool.hpp"

namespace pilfer::lab::algorithms {
namespace {

namespace tbb = oneapi::tbb;
using block = tbb::blocked_range<std::size_t>;

class tbb_kit {
 public:
  static constexpr auto calms_down_in = schedulers::tbb_calms_down_in;
  explicit tbb_kit(std::size_t workers) : pool_(workers) {}

  template <class Call>
  void enter(Call&& call) {
    pool_.run(std::forward<Call>(call));
  }
  template <class T, class F>
  static void loop(std::span<T> values, F f) {
    tbb::parallel_for(block(0, values.size()), [=](const block& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) f(i, values[i]);
    });
  }
  template <class T, class F>
  static void uneven_loop(std::span<T> values, F f) {
    loop(values, f);
  }
  template <class F>
  static void transform(std::span<const double> in, std::span<double> out, F f) {
    loop(out, [=](std::size_t i, double& x) { x = f(in[i]); });
  }
  static double reduce(std::span<const double> values) {
    return tbb::parallel_reduce(
        block(0, values.size()), 0.0,
        [=](const block& part, double sum) {
          const std::span<const double> mine = values.subspan(part.begin(), part.size());
          return std::reduce(mine.begin(), mine.end(), sum);  // several sums at a time: faster than a loop
        },
        std::plus<>{});
  }
  static void scan(std::span<const double> in, std::span<double> out) {
    tbb::parallel_scan(
        block(0, in.size()), 0.0,
        [=](const block& part, double sum, bool is_final) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) {
            sum += in[i];
            if (is_final) out[i] = sum;
          }
          return sum;
        },
        std::plus<>{});
  }
  template <class T>
  static void sort(std::span<T> values) {
    tbb::parallel_sort(values.begin(), values.end());
  }
  template <class T, class Key>
  static std::vector<std::size_t> histogram(std::span<const T> values, std::size_t bins, Key key) {
    tbb::combinable<std::vector<std::size_t>> counts([=] { return std::vector<std::size_t>(bins); });
    tbb::parallel_for(block(0, values.size()), [&](const block& part) {
      std::vector<std::size_t>& mine = counts.local();
      for (std::size_t i = part.begin(); i != part.end(); ++i) ++mine[key(values[i])];
    });
    std::vector<std::size_t> all(bins);
    counts.combine_each(
        [&](const std::vector<std::size_t>& part) { std::ranges::transform(all, part, all.begin(), std::plus<>{}); });
    return all;
  }
  template <class T>
  static std::size_t min_element(std::span<const T> values) {
    const auto smaller = [=](std::size_t a, std::size_t b) { return values[b] < values[a] ? b : a; };
    return tbb::parallel_reduce(
        block(0, values.size()), std::size_t{0},
        [=](const block& part, std::size_t best) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) best = smaller(best, i);
          return best;
        },
        smaller);
  }

 private:
  schedulers::tbb_pool pool_;
};

}  // namespace

std::vector<library> tbb_library() {
  return {kit_library<tbb_kit>(tbb_name, tbb_description, schedulers::tbb_version())};
}

}  // namespace pilfer::lab::algorithms

#else

namespace pilfer::lab::algorithms {

std::vector<library> tbb_library() { return {absent_library(tbb_name, tbb_description, schedulers::why_no_tbb)}; }

}  // namespace pilfer::lab::algorithms

#endif
