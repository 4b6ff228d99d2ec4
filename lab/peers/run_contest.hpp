// Runs and times a contest: the parts that are the same for everybody who is in this process. `enter(f)` calls f inside the
// scheduler and returns what it returned; preparing and checking are not timed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "lab/measure/stopwatch.hpp"
#include "lab/peers/contest.hpp"
#include "lab/peers/json_work.hpp"
#include "lab/peers/programs.hpp"

namespace pilfer::lab::peers {

template <class Call>
[[nodiscard]] outcome timed(Call&& call) {
  std::int64_t answer = 0;
  const double seconds = seconds_taken_by([&] { answer = call(); });
  return {.seconds = seconds, .answer = static_cast<double>(answer)};
}

template <class Group, class Enter>
[[nodiscard]] outcome run_with_tasks(contest what, std::int64_t size, Enter&& enter) {
  const auto run = [&](auto program) { return timed([&] { return enter(program); }); };
  switch (what) {
    case contest::fib_spawn: return run([n = static_cast<int>(size)] { return group_fib<Group>(n); });
    case contest::skynet: return run([size] { return group_skynet<Group>(0, size); });
    case contest::spawn: return run([size] { return group_spawn<Group>(size); });
    case contest::ping_pong:
      if constexpr (requires { Group::waits_for_descendants; }) {
        return run([size] { return group_ping_pong<Group>(size); });
      }
      break;
    case contest::json: {
      const std::vector<std::string> all = json_documents(size);
      return run([&all] {
        std::vector<std::int64_t> sums(all.size());
        Group group;
        for (std::size_t i = 0; i < all.size(); ++i) group.run([&all, &sums, i] { sums[i] = transcoded(all[i]); });
        group.wait();
        return std::accumulate(sums.begin(), sums.end(), std::int64_t{0});
      });
    }
    default: break;
  }
  throw std::logic_error("run_with_tasks: no such contest");
}

template <class S, class Enter>
[[nodiscard]] outcome run_with_forks(contest what, std::int64_t size, Enter&& enter) {
  const auto run = [&](auto program) { return timed([&] { return enter(program); }); };
  switch (what) {
    case contest::skynet: return run([size]() noexcept { return forked_skynet<S>(0, size); });
    case contest::merge_sort: {
      std::vector<std::int64_t> numbers = programs::numbers_to_sort(static_cast<std::size_t>(size));
      std::vector<std::int64_t> space(numbers.size());
      outcome found = run([&]() noexcept { return merge_sort<S>(numbers, space); });
      if (!std::ranges::is_sorted(numbers)) found.answer = -1;  // which nobody expects
      return found;
    }
    case contest::matmul: {
      matrices all(static_cast<std::size_t>(size));
      outcome found = run([&]() noexcept { return multiply<S>(all, 0, all.size); });
      found.answer = std::accumulate(all.product.begin(), all.product.end(), 0.0);
      return found;
    }
    default: throw std::logic_error("run_with_forks: no such contest");
  }
}

}  // namespace pilfer::lab::peers
