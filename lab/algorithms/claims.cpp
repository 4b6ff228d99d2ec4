#include "lab/algorithms/claims.hpp"

#include <fmt/format.h>

namespace pilfer::lab::algorithms {
namespace {

constexpr std::size_t two_workers = 2;

// One problem of a claim, and our time for it with so many workers; null, and the claim's note says why.
struct subject {
  const problem_result* result;
  const measurement* ours;

  subject(claim& of, const std::vector<problem_result>& results, std::string_view name, std::size_t workers)
      : result(find_problem(results, name)), ours(find(of, name, pilfer_name, workers)) {}

  [[nodiscard]] const measurement* find(claim& of, std::string_view name, std::string_view who,
                                        std::size_t workers) const {
    return measured_for(of, result == nullptr ? nullptr : &result->times, name, who, workers);
  }
};

// A figure of smaller data is still a figure, but not the issue's.
claim with_size(claim of, const subject& about) {
  if (of.measured && !about.result->full_size) {
    of.note += fmt::format("{}measured with less: {}", of.note.empty() ? "" : "; ", about.result->text);
  }
  return of;
}

claim time_over_serial(claim of, const std::vector<problem_result>& results, std::string_view name,
                       std::size_t workers) {
  const subject about(of, results, name, workers);
  if (about.ours != nullptr) of.measured = about.ours->time_ratio;
  return with_size(of, about);
}

claim speedup(claim of, const std::vector<problem_result>& results, std::string_view name) {
  const subject about(of, results, name, two_workers);
  if (about.ours != nullptr) of.measured = paired_ratio(about.result->times.serial().seconds, about.ours->seconds);
  return with_size(of, about);
}

claim time_over_tbb(claim of, const std::vector<problem_result>& results, std::string_view name) {
  const subject about(of, results, name, two_workers);
  const measurement* const tbb = about.ours == nullptr ? nullptr : about.find(of, name, tbb_name, two_workers);
  if (tbb != nullptr) of.measured = paired_ratio(about.ours->seconds, tbb->seconds);
  return with_size(of, about);
}

claim time_over_best(claim of, const std::vector<problem_result>& results, std::string_view name) {
  const subject about(of, results, name, two_workers);
  if (about.ours == nullptr) return of;
  const measurement* best = nullptr;
  for (const measurement& one : about.result->times.entries) {
    if (one.name == pilfer_name || one.workers != two_workers) continue;
    if (best == nullptr || median(one.seconds) < median(best->seconds)) best = &one;
  }
  if (best == nullptr) {
    of.note = "no other library was run";
    return of;
  }
  of.measured = paired_ratio(about.ours->seconds, best->seconds);
  of.note = fmt::format("the best of the others is {}", best->name);
  return with_size(of, about);
}

}  // namespace

std::vector<claim> algorithm_claims(const std::vector<problem_result>& results) {
  const auto loop = trivial_loop::name;
  const auto ints = int_sort::name;
  const auto strings = string_sort::name;
  return {
      time_over_serial(at_most("loop_10k_t1", "10 000 trivial iterations, 1 worker: time / serial", 1.2), results, loop,
                       1),
      time_over_serial(at_most("loop_10k_t2", "the same, 2 workers", 1.6), results, loop, two_workers),
      speedup({.id = "skew_speedup2",
               .text = "skewed loop: serial / time with 2 workers",
               .paper = {},
               .goal = 1.9,
               .measured = {},
               .note = {}},
              results, skewed_loop::name),
      time_over_tbb(at_most("sort_int_vs_tbb", "sort of int64, 2 workers: time / oneTBB's", 1.0), results, ints),
      time_over_serial(at_most("sort_int_t1", "sort of int64, 1 worker: time / std::sort", 1.0), results, ints, 1),
      time_over_tbb(at_most("sort_string_vs_tbb", "sort of strings, 2 workers: time / oneTBB's", 1.0), results,
                    strings),
      time_over_serial(at_most("sort_string_t1", "sort of strings, 1 worker: time / std::sort", 1.0), results, strings,
                       1),
      time_over_best(at_most("reduce_vs_best", "sum of doubles, 2 workers: time / the best other library's", 1.05),
                     results, sum::name),
      time_over_best(at_most("scan_vs_best", "scan of doubles, 2 workers: time / the best other library's", 1.05),
                     results, prefix_sums::name),
  };
}

}  // namespace pilfer::lab::algorithms
