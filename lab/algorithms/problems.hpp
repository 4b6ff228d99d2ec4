// The problems: data, what a library is asked to do with it, and whether it did. A library is a kit, an object with those of
// these functions that the library has (`f` and `pred` and `key` are callables of problem_data.hpp):
//
//   enter(call)                        calls it where the library's workers are
//   loop(span, f)                      f(i, span[i]) for each i, each as much work as any other
//   uneven_loop(span, f)               the same, some much more work than others
//   transform(in, out, f)              out[i] = f(in[i])
//   reduce(span)                       the sum
//   scan(in, out)                      out[i] = in[0] + … + in[i]
//   sort(span)  stable_sort(span, less)  merge(a, b, out)
//   filter(in, out, pred)              how many were copied
//   histogram(span, bins, key)         how many values have which key
//   min_element(span)  find_if(span, pred)   a place
//
// A problem is a class with
//   name, text      what the tables and the documentation call it
//   size, passes    items; how often a run does it all
//   prepare()       before each run, not timed: inputs as they were, outputs cleared
//   run(kit)        timed; there is none for a kit that lacks what it needs
//   is_right()      after a run: what serial code computed is there
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lab/algorithms/problem_data.hpp"
#include "lab/measure/compiler_barrier.hpp"
#include "lab/programs/workload.hpp"

namespace pilfer::lab::algorithms {

using programs::scale;

struct sizes {
  std::size_t tiny, quick, full;
  [[nodiscard]] constexpr std::size_t at(scale how) const noexcept {
    return how == scale::tiny ? tiny : how == scale::quick ? quick : full;
  }
};

class trivial_loop {
 public:
  static constexpr std::string_view name = "loop_10k";
  static constexpr std::string_view text = "loop of {} trivial iterations, uint32";
  static constexpr std::size_t loop_size = 10'000;
  static constexpr sizes of{loop_size, loop_size, loop_size};
  static constexpr sizes pass_counts{20, 2'000, 5'000};

  explicit trivial_loop(scale how);
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] std::size_t passes() const noexcept { return passes_; }
  void prepare() { values_ = original_; }
  template <class Kit>
    requires requires(Kit& kit) { kit.loop(std::span<std::uint32_t>{}, triple_and_one{}); }
  void run(Kit& kit) {
    for (std::size_t pass = 0; pass < passes_; ++pass) {
      kit.loop(std::span(values_), triple_and_one{});
      compiler_barrier();  // serial code, too, does one loop after the other
    }
  }
  [[nodiscard]] bool is_right() const { return values_ == expected_; }

 private:
  std::size_t passes_;
  std::vector<std::uint32_t> original_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> expected_;
};

// Of all others a run is one pass.
struct one_pass {
  [[nodiscard]] static constexpr std::size_t passes() noexcept { return 1; }
};

class skewed_loop : public one_pass {
 public:
  static constexpr std::string_view name = "skew";
  static constexpr std::string_view text = "loop of {} iterations, the first 2 % 100 times heavier";
  static constexpr sizes of{500, 20'000, 100'000};

  explicit skewed_loop(scale how);
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  void prepare() { std::ranges::fill(values_, std::uint64_t{0}); }
  template <class Kit>
    requires requires(Kit& kit) { kit.uneven_loop(std::span<std::uint64_t>{}, skewed_churn{}); }
  void run(Kit& kit) {
    kit.uneven_loop(std::span(values_), skewed_churn{heavy_end()});
  }
  [[nodiscard]] bool is_right() const { return values_ == expected_; }

 private:
  [[nodiscard]] std::size_t heavy_end() const noexcept { return values_.size() / 50; }
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> expected_;
};

// Both sorts and the stable one: a copy of the same unsorted values each time.
template <class T>
class sorting : public one_pass {
 public:
  explicit sorting(std::vector<T> values) : original_(std::move(values)), sorted_(original_) {
    std::ranges::sort(sorted_);
  }
  [[nodiscard]] std::size_t size() const noexcept { return original_.size(); }
  void prepare() { values_ = original_; }
  [[nodiscard]] bool is_right() const { return values_ == sorted_; }

 protected:
  ~sorting() = default;
  sorting(sorting&&) = default;
  sorting& operator=(sorting&&) = default;
  std::vector<T> values_;

 private:
  std::vector<T> original_;
  std::vector<T> sorted_;
};

template <class T>
class plain_sort : public sorting<T> {
 public:
  using sorting<T>::sorting;
  template <class Kit>
    requires requires(Kit& kit) { kit.sort(std::span<T>{}); }
  void run(Kit& kit) {
    kit.sort(std::span(this->values_));
  }
};

class int_sort : public plain_sort<std::int64_t> {
 public:
  static constexpr std::string_view name = "sort_int";
  static constexpr std::string_view text = "sort of {} random int64";
  static constexpr sizes of{5'000, 2'000'000, 10'000'000};
  explicit int_sort(scale how) : plain_sort(numbers_to_sort(of.at(how))) {}
};

class string_sort : public plain_sort<std::string> {
 public:
  static constexpr std::string_view name = "sort_string";
  static constexpr std::string_view text = "sort of {} random strings of 4 to 24 letters";
  static constexpr sizes of{2'000, 200'000, 1'000'000};
  explicit string_sort(scale how) : plain_sort(random_strings(of.at(how))) {}
};

class record_sort : public sorting<record> {
 public:
  static constexpr std::string_view name = "stable_sort";
  static constexpr std::string_view text = "stable sort of {} records of 8 bytes, 65536 different keys";
  static constexpr sizes of{5'000, 1'000'000, 5'000'000};
  explicit record_sort(scale how);
  template <class Kit>
    requires requires(Kit& kit) { kit.stable_sort(std::span<record>{}, by_key{}); }
  void run(Kit& kit) {
    kit.stable_sort(std::span(values_), by_key{});
  }
};

class sum : public one_pass {
 public:
  static constexpr std::string_view name = "reduce";
  static constexpr std::string_view text = "sum of {} doubles";
  static constexpr sizes of{10'000, 20'000'000, 100'000'000};
  explicit sum(scale how)
      : values_(random_doubles(of.at(how))), expected_(std::accumulate(values_.begin(), values_.end(), 0.0)) {}
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  void prepare() { found_ = -1; }
  template <class Kit>
    requires requires(Kit& kit) { kit.reduce(std::span<const double>{}); }
  void run(Kit& kit) {
    found_ = kit.reduce(std::span<const double>(values_));
  }
  [[nodiscard]] bool is_right() const { return found_ == expected_; }

 private:
  std::vector<double> values_;
  double expected_;
  double found_ = -1;
};

// From a range of doubles into another.
class double_to_double : public one_pass {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return in_.size(); }
  void prepare() { std::ranges::fill(out_, -1.0); }

 protected:
  explicit double_to_double(std::size_t count) : in_(random_doubles(count)), out_(count) {}
  [[nodiscard]] std::span<const double> in() const noexcept { return in_; }
  [[nodiscard]] std::span<double> out() noexcept { return out_; }
  [[nodiscard]] std::span<const double> out() const noexcept { return out_; }

 private:
  std::vector<double> in_;
  std::vector<double> out_;
};

class prefix_sums : public double_to_double {
 public:
  static constexpr std::string_view name = "scan";
  static constexpr std::string_view text = "inclusive scan of {} doubles";
  static constexpr sizes of = sum::of;
  explicit prefix_sums(scale how) : double_to_double(of.at(how)) {}
  template <class Kit>
    requires requires(Kit& kit) { kit.scan(std::span<const double>{}, std::span<double>{}); }
  void run(Kit& kit) {
    kit.scan(in(), out());
  }
  [[nodiscard]] bool is_right() const;
};

class mapping : public double_to_double {
 public:
  static constexpr std::string_view name = "transform";
  static constexpr std::string_view text = "transform of {} doubles, a polynomial";
  static constexpr sizes of{10'000, 10'000'000, 40'000'000};
  explicit mapping(scale how) : double_to_double(of.at(how)) {}
  template <class Kit>
    requires requires(Kit& kit) { kit.transform(std::span<const double>{}, std::span<double>{}, polynomial{}); }
  void run(Kit& kit) {
    kit.transform(in(), out(), polynomial{});
  }
  [[nodiscard]] bool is_right() const {
    return std::ranges::equal(in(), out(), {}, polynomial{});  // whole numbers: no rounding
  }
};

class selection : public one_pass {
 public:
  static constexpr std::string_view name = "filter";
  static constexpr std::string_view text = "filter of {} int64, half of them kept";
  static constexpr sizes of{10'000, 5'000'000, 20'000'000};
  explicit selection(scale how);
  [[nodiscard]] std::size_t size() const noexcept { return in_.size(); }
  void prepare();
  template <class Kit>
    requires requires(Kit& kit) { kit.filter(std::span<const std::int64_t>{}, std::span<std::int64_t>{}, is_odd{}); }
  void run(Kit& kit) {
    kept_ = kit.filter(std::span<const std::int64_t>(in_), std::span(out_), is_odd{});
  }
  [[nodiscard]] bool is_right() const;

 private:
  std::vector<std::int64_t> in_;
  std::vector<std::int64_t> out_;
  std::vector<std::int64_t> expected_;
  std::size_t kept_ = 0;
};

class byte_counts : public one_pass {
 public:
  static constexpr std::string_view name = "histogram";
  static constexpr std::string_view text = "histogram of {} uint32, 256 bins";
  static constexpr sizes of{10'000, 10'000'000, 40'000'000};
  static constexpr std::size_t bins = 256;
  explicit byte_counts(scale how);
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  void prepare() { found_.clear(); }
  template <class Kit>
    requires requires(Kit& kit) { kit.histogram(std::span<const std::uint32_t>{}, bins, low_byte{}); }
  void run(Kit& kit) {
    found_ = kit.histogram(std::span<const std::uint32_t>(values_), bins, low_byte{});
  }
  [[nodiscard]] bool is_right() const { return found_ == expected_; }

 private:
  std::vector<std::uint32_t> values_;
  std::vector<std::size_t> expected_;
  std::vector<std::size_t> found_;
};

class smallest : public one_pass {
 public:
  static constexpr std::string_view name = "min_element";
  static constexpr std::string_view text = "smallest of {} int64";
  static constexpr sizes of{10'000, 10'000'000, 40'000'000};
  explicit smallest(scale how) : values_(numbers_to_sort(of.at(how))) {}
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  void prepare() { found_ = values_.size(); }
  template <class Kit>
    requires requires(Kit& kit) { kit.min_element(std::span<const std::int64_t>{}); }
  void run(Kit& kit) {
    found_ = kit.min_element(std::span<const std::int64_t>(values_));
  }
  [[nodiscard]] bool is_right() const {
    return found_ == static_cast<std::size_t>(std::ranges::min_element(values_) - values_.begin());
  }

 private:
  std::vector<std::int64_t> values_;
  std::size_t found_ = 0;
};

class needle_search : public one_pass {
 public:
  static constexpr std::string_view name = "find_if";
  static constexpr std::string_view text = "find_if in {} int32, found after three quarters";
  static constexpr sizes of{10'000, 20'000'000, 80'000'000};
  explicit needle_search(scale how);
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  void prepare() { found_ = values_.size(); }
  template <class Kit>
    requires requires(Kit& kit) { kit.find_if(std::span<const std::int32_t>{}, is_needle{}); }
  void run(Kit& kit) {
    found_ = kit.find_if(std::span<const std::int32_t>(values_), is_needle{});
  }
  [[nodiscard]] bool is_right() const { return found_ == needle_place(); }

 private:
  [[nodiscard]] std::size_t needle_place() const noexcept { return values_.size() / 4 * 3; }
  std::vector<std::int32_t> values_;
  std::size_t found_ = 0;
};

class two_halves : public one_pass {
 public:
  static constexpr std::string_view name = "merge";
  static constexpr std::string_view text = "merge of two sorted ranges, {} int64 in all";
  static constexpr sizes of{10'000, 4'000'000, 20'000'000};
  explicit two_halves(scale how);
  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }
  void prepare() { std::ranges::fill(out_, std::int64_t{0}); }
  template <class Kit>
    requires requires(Kit& kit, std::span<const std::int64_t> in) { kit.merge(in, in, std::span<std::int64_t>{}); }
  void run(Kit& kit) {
    kit.merge(std::span<const std::int64_t>(first_), std::span<const std::int64_t>(second_), std::span(out_));
  }
  [[nodiscard]] bool is_right() const { return out_ == expected_; }

 private:
  std::vector<std::int64_t> first_;
  std::vector<std::int64_t> second_;
  std::vector<std::int64_t> out_;
  std::vector<std::int64_t> expected_;
};

// In the order of the tables.
using problem = std::variant<trivial_loop, skewed_loop, int_sort, string_sort, sum, prefix_sums, mapping, selection,
                             byte_counts, smallest, needle_search, record_sort, two_halves>;

[[nodiscard]] const std::vector<std::string>& problem_names();
// Makes the data and finds out what is right.
//   Throws  std::invalid_argument if there is no problem of that name.
[[nodiscard]] problem make_problem(std::string_view name, scale how);

[[nodiscard]] std::string_view name_of(const problem& what);
// "sum of 100000000 doubles"
[[nodiscard]] std::string text_of(const problem& what);
[[nodiscard]] std::size_t size_of(const problem& what);
// The issue's.
[[nodiscard]] bool has_full_size(const problem& what);

}  // namespace pilfer::lab::algorithms
