// Ours, as users have it.
#include <chrono>

#include <pilfer/algorithm.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>

#include "lab/algorithms/kit_session.hpp"

namespace pilfer::lab::algorithms {
namespace {

class pilfer_kit {
 public:
  static constexpr std::chrono::milliseconds calms_down_in{1};
  explicit pilfer_kit(std::size_t workers) : pool_(workers) {}
  [[nodiscard]] std::uint64_t steals_so_far() const { return pool_.statistics().total().steals_taken; }

  template <class Call>
  void enter(Call&& call) {
    pool_.run(std::forward<Call>(call));
  }
  template <class T, class F>
  static void loop(std::span<T> values, F f) {
    parallel_for(std::size_t{0}, values.size(), [=](std::size_t i) noexcept { f(i, values[i]); });
  }
  template <class T, class F>
  static void uneven_loop(std::span<T> values, F f) {
    loop(values, f);
  }
  template <class F>
  static void transform(std::span<const double> in, std::span<double> out, F f) {
    parallel_transform(in, out.begin(), f);
  }
  static double reduce(std::span<const double> values) { return parallel_reduce(values, 0.0, std::plus<>{}); }
  static void scan(std::span<const double> in, std::span<double> out) { parallel_inclusive_scan(in, out.begin()); }
  template <class T>
  static void sort(std::span<T> values) {
    parallel_sort(values);
  }
  template <class T, class Less>
  static void stable_sort(std::span<T> values, Less less) {
    parallel_stable_sort(values, less);
  }
  template <class T>
  static void merge(std::span<const T> a, std::span<const T> b, std::span<T> out) {
    parallel_merge(a, b, out.begin());
  }
  template <class T, class Pred>
  static std::size_t filter(std::span<const T> in, std::span<T> out, Pred pred) {
    return place_in(out, parallel_filter(in, out.begin(), pred));
  }
  template <class T, class Key>
  static std::vector<std::size_t> histogram(std::span<const T> values, std::size_t bins, Key key) {
    return pilfer::parallel_histogram(values, bins, key);
  }
  template <class T>
  static std::size_t min_element(std::span<const T> values) {
    return place_in(values, parallel_min_element(values));
  }
  template <class T, class Pred>
  static std::size_t find_if(std::span<const T> values, Pred pred) {
    return place_in(values, parallel_find_if(values, pred));
  }

 private:
  pool pool_;
};

}  // namespace

std::vector<library> pilfer_library() {
  return {kit_library<pilfer_kit>(pilfer_name, "pilfer::parallel_* inside pool.run")};
}

}  // namespace pilfer::lab::algorithms
