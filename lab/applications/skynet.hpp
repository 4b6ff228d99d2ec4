// Skynet, a benchmark of goroutines and actors: a task starts ten, these ten each, down to a leaf that answers with its
// number; all answers are added. Nothing but tasks.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "lab/applications/application.hpp"

namespace pilfer::lab::applications {

class skynet {
 public:
  static constexpr const char* name = "skynet";

  explicit skynet(effort how) : leaves_(sized<std::int64_t>(how, 1'000, 1'000'000, 10'000'000)) {}
  [[nodiscard]] std::string text() const { return fmt::format("skynet with {} leaves", leaves_); }
  [[nodiscard]] std::int64_t size() const { return leaves_; }
  void reset() { sum_ = -1; }

  void run_serial() { sum_ = serial_sum(0, leaves_); }
  template <class S>
  void run() {
    sum_ = sum<S>(0, leaves_);
  }

  void check(std::string_view who) const {
    const std::int64_t right = leaves_ * (leaves_ - 1) / 2;
    if (sum_ != right) wrong(who, name, fmt::format("{} instead of {}", sum_, right));
  }

 private:
  static constexpr std::int64_t children = 10;

  static std::int64_t serial_sum(std::int64_t first, std::int64_t leaves) noexcept {
    if (leaves == 1) return first;
    std::int64_t all = 0;
    for (std::int64_t i = 0; i < children; ++i) all += serial_sum(first + i * (leaves / children), leaves / children);
    return all;
  }

  template <class S>
  static std::int64_t sum(std::int64_t first, std::int64_t leaves) noexcept {
    if (leaves == 1) return first;
    return sum_of_children<S>(first, leaves / children, children);
  }
  // Of `count` children that lie side by side.
  template <class S>
  static std::int64_t sum_of_children(std::int64_t first, std::int64_t leaves, std::int64_t count) noexcept {
    if (count == 1) return sum<S>(first, leaves);
    const std::int64_t half = count / 2;
    auto [a, b] =
        S::fork_join([=]() noexcept { return sum_of_children<S>(first, leaves, half); },
                     [=]() noexcept { return sum_of_children<S>(first + half * leaves, leaves, count - half); });
    return a + b;
  }

  std::int64_t leaves_;
  std::int64_t sum_ = -1;
};

}  // namespace pilfer::lab::applications
