// A kit (see problems.hpp) as a library. It also has
//   Kit(workers)
//   calms_down_in     how long its threads go on after their work
#pragma once

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "lab/algorithms/library.hpp"
#include "lab/measure/stopwatch.hpp"

namespace pilfer::lab::algorithms {

// For kits: an iterator of a span as a place in it.
template <class T, class Iterator>
[[nodiscard]] std::size_t place_in(std::span<T> values, Iterator at) {
  return static_cast<std::size_t>(at - values.begin());
}

template <class Kit, class Problem>
concept has_algorithm_for = requires(Kit& kit, Problem& what) { what.run(kit); };

template <class Kit>
class kit_session final : public session {
 public:
  kit_session(std::string name, std::size_t workers) : name_(std::move(name)), kit_(workers) {}

  double seconds_of(problem& what) override {
    return std::visit([this](auto& one) { return this->timed(one); }, what);
  }
  [[nodiscard]] std::optional<std::uint64_t> steals_so_far() const override {
    if constexpr (requires { kit_.steals_so_far(); }) {
      return kit_.steals_so_far();
    } else {
      return std::nullopt;
    }
  }

 private:
  template <class Problem>
  double timed(Problem& one) {
    if constexpr (has_algorithm_for<Kit, Problem>) {
      one.prepare();
      const double seconds = seconds_taken_by([&] { kit_.enter([&] { one.run(kit_); }); });
      std::this_thread::sleep_for(Kit::calms_down_in);
      if (!one.is_right()) throw std::runtime_error(fmt::format("{}: a wrong answer of {}", Problem::name, name_));
      return seconds / static_cast<double>(one.passes());
    } else {
      throw std::logic_error(fmt::format("{} has no {}", name_, Problem::name));
    }
  }

  std::string name_;
  Kit kit_;
};

template <class Kit>
[[nodiscard]] library kit_library(const char* name, const char* description, const std::string& version = {}) {
  return {.name = name,
          .description = description,
          .version = version,
          .has =
              [](const problem& what) {
                return std::visit([]<class P>(const P&) { return has_algorithm_for<Kit, P>; }, what);
              },
          .make = [name](std::size_t workers) { return std::make_unique<kit_session<Kit>>(name, workers); }};
}

}  // namespace pilfer::lab::algorithms
