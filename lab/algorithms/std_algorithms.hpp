// The standard's algorithms as a part of a kit: serial without a policy, otherwise with the one that is given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

#include "lab/algorithms/kit_session.hpp"

namespace pilfer::lab::algorithms {

template <const auto&... Policy>
struct std_algorithms {
  template <class F>
  static void transform(std::span<const double> in, std::span<double> out, F f) {
    std::transform(Policy..., in.begin(), in.end(), out.begin(), f);
  }
  static double reduce(std::span<const double> values) { return std::reduce(Policy..., values.begin(), values.end()); }
  static void scan(std::span<const double> in, std::span<double> out) {
    std::inclusive_scan(Policy..., in.begin(), in.end(), out.begin());
  }
  template <class T>
  static void sort(std::span<T> values) {
    std::sort(Policy..., values.begin(), values.end());
  }
  template <class T, class Less>
  static void stable_sort(std::span<T> values, Less less) {
    std::stable_sort(Policy..., values.begin(), values.end(), less);
  }
  template <class T>
  static void merge(std::span<const T> a, std::span<const T> b, std::span<T> out) {
    std::merge(Policy..., a.begin(), a.end(), b.begin(), b.end(), out.begin());
  }
  template <class T, class Pred>
  static std::size_t filter(std::span<const T> in, std::span<T> out, Pred pred) {
    return place_in(out, std::copy_if(Policy..., in.begin(), in.end(), out.begin(), pred));
  }
  template <class T>
  static std::size_t min_element(std::span<const T> values) {
    return place_in(values, std::min_element(Policy..., values.begin(), values.end()));
  }
  template <class T, class Pred>
  static std::size_t find_if(std::span<const T> values, Pred pred) {
    return place_in(values, std::find_if(Policy..., values.begin(), values.end(), pred));
  }
};

}  // namespace pilfer::lab::algorithms
