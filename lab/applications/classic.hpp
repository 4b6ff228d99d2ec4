// The fork-join programs of lab/programs as applications.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/programs/fib.hpp"
#include "lab/programs/integrate.hpp"
#include "lab/programs/nqueens.hpp"
#include "lab/programs/quicksort.hpp"
#include "lab/programs/uts.hpp"
#include "lab/programs/workload.hpp"

namespace pilfer::lab::applications {

template <programs::program What>
class classic {
 public:
  explicit classic(effort how) : what_(sized_program(how)) {}
  [[nodiscard]] std::string text() const { return programs::text_of(what_); }
  [[nodiscard]] std::int64_t size() const { return what_.size; }
  void reset() { answer_ = std::nan(""); }

  void run_serial() { answer_ = programs::run_serially(what_).answer; }
  template <class S>
  void run() {
    const int n = static_cast<int>(what_.size);
    if constexpr (What == programs::program::fib) {
      answer_ = static_cast<double>(programs::fib<S>(n));
    } else if constexpr (What == programs::program::nqueens) {
      answer_ = static_cast<double>(programs::nqueens<S>(n));
    } else if constexpr (What == programs::program::integrate) {
      answer_ = static_cast<double>(programs::integrate<S>(what_.size));
    } else {
      static_assert(What == programs::program::uts_t1 || What == programs::program::uts_t3);
      const auto shape =
          What == programs::program::uts_t1 ? programs::uts_kind::geometric : programs::uts_kind::binomial;
      answer_ = static_cast<double>(programs::uts<S>({shape, n}));
    }
  }

  void check(std::string_view who) const {
    if (!std::isfinite(answer_)) wrong(who, programs::name_of(What), "no answer");
    programs::check_answer(what_, answer_, who);
  }

 private:
  // A quick run is shorter than that of the fork-join suite: here more of them fit into a minute.
  static programs::workload sized_program(effort how) {
    using programs::program;
    if (how != effort::quick) {
      return programs::scaled(What, how == effort::tiny ? programs::scale::tiny : programs::scale::full);
    }
    switch (What) {
      case program::fib: return {What, 28};
      case program::nqueens: return {What, 10};
      case program::integrate: return {What, 70};
      case program::uts_t1: return {What, 6};
      default: return programs::scaled(What, programs::scale::quick);
    }
  }

  programs::workload what_;
  double answer_ = 0;
};

struct fib : classic<programs::program::fib> {
  static constexpr const char* name = "fib";
  using classic::classic;
};
struct integrate : classic<programs::program::integrate> {
  static constexpr const char* name = "integrate";
  using classic::classic;
};
struct nqueens : classic<programs::program::nqueens> {
  static constexpr const char* name = "nqueens";
  using classic::classic;
};
struct uts_t1 : classic<programs::program::uts_t1> {
  static constexpr const char* name = "uts-t1";
  using classic::classic;
};
struct uts_t3 : classic<programs::program::uts_t3> {
  static constexpr const char* name = "uts-t3";
  using classic::classic;
};

class quicksort {
 public:
  static constexpr const char* name = "quicksort";

  explicit quicksort(effort how) : quicksort(sized<std::size_t>(how, 10'000, 150'000, 10'000'000)) {}
  explicit quicksort(std::size_t count) : given_(programs::numbers_to_sort(count)), right_(given_) {
    std::sort(right_.begin(), right_.end());
  }
  [[nodiscard]] std::string text() const { return programs::text_of({programs::program::quicksort, size()}); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(given_.size()); }
  void reset() { numbers_ = given_; }

  void run_serial() { static_cast<void>(programs::serial_quicksort(begin(), end())); }
  template <class S>
  void run() {
    static_cast<void>(programs::quicksort<S>(begin(), end()));
  }
  template <class Policy>
  void run_std(const Policy& policy) {
    std::sort(policy, numbers_.begin(), numbers_.end());
  }

  void check(std::string_view who) const {
    if (numbers_ != right_) wrong(who, name, "not what std::sort gives");
  }

 private:
  [[nodiscard]] std::int64_t* begin() noexcept { return numbers_.data(); }
  [[nodiscard]] std::int64_t* end() noexcept { return numbers_.data() + numbers_.size(); }

  std::vector<std::int64_t> given_;
  std::vector<std::int64_t> right_;
  std::vector<std::int64_t> numbers_;
};

}  // namespace pilfer::lab::applications
