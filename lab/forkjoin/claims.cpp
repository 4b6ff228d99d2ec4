#include "lab/forkjoin/claims.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>

namespace pilfer::lab::forkjoin {
namespace {

using schedulers::context_name;
using schedulers::default_name;
using schedulers::throwing_name;

// Null, and the note says why.
const measurement* measured(claim& of, const std::vector<program_result>& results, program what, const char* who,
                            std::size_t workers) {
  const program_result* const found = find_program(results, what);
  return measured_for(of, found == nullptr ? nullptr : &found->times, programs::name_of(what), who, workers);
}

claim time_over_serial(claim of, const std::vector<program_result>& results, program what, const char* who) {
  if (const measurement* one = measured(of, results, what, who, 1)) of.measured = one->time_ratio;
  return of;
}

claim fib_t1(const std::vector<program_result>& results) {
  claim c = time_over_serial(at_most("fib_t1", "fib, 1 worker: time / serial, callables noexcept", 3.0), results,
                             program::fib, default_name);
  claim ignored;
  const measurement* const throwing = measured(ignored, results, program::fib, throwing_name, 1);
  if (c.measured && throwing != nullptr) {
    c.note = fmt::format("with callables that may throw {:.2f}", throwing->time_ratio.value);
  }
  return c;
}

claim fib_speedup2(const std::vector<program_result>& results) {
  claim c{
      .id = "fib_speedup2", .text = "fib, 1 worker / 2 workers", .paper = {}, .goal = 1.8, .measured = {}, .note = {}};
  const measurement* const one = measured(c, results, program::fib, default_name, 1);
  const measurement* const two = one == nullptr ? nullptr : measured(c, results, program::fib, default_name, 2);
  if (two != nullptr) c.measured = paired_ratio(one->seconds, two->seconds);
  return c;
}

claim late_leaf_ms(const std::vector<program_result>& results) {
  claim c = at_most("late_leaf_ms", "late leaf, 2 workers: milliseconds; 40 is ideal", 44);
  const measurement* const two = measured(c, results, program::late_leaf, default_name, 2);
  if (two == nullptr) return c;
  if (const auto leaf = find_program(results, program::late_leaf)->what;
      leaf != programs::scaled(program::late_leaf, programs::scale::full)) {
    c.note = fmt::format("the leaf took {} ms instead of 40", leaf.size);
    return c;
  }
  c.measured = median_estimate(in_unit(milliseconds, two->seconds));
  return c;
}

claim fib_extra_instructions(const counted_instructions* instructions) {
  claim c = at_most("fib_extra_instructions", "fib(25): instructions per fork beyond serial code's, plain form", 26);
  if (instructions == nullptr) {
    c.note = "instructions were not counted";
  } else if (!instructions->counts) {
    c.note = instructions->why_not;
  } else {
    const instruction_counts& n = *instructions->counts;
    c.measured = estimate{n.plain, n.plain, n.plain};
    c.note =
        fmt::format("serial code needs {:.1f}; beyond that a context takes {:.1f}, callables that may throw {:.1f}",
                    n.serial, n.context, n.throwing);
  }
  return c;
}

// The worst ratio of a variant to one of the two that it is compared with.
claim lcws(claim c, const counted_result* counted,
           const std::function<std::uint64_t(schedulers::synchronization)>& of) {
  constexpr std::array variants = {"lcws-user", "lcws-signal", "lcws-conservative", "lcws-half"};
  constexpr std::array bases = {"ws-chase-lev", "ws-abp"};
  if (counted == nullptr) {
    c.note = "synchronization is counted when no scheduler is chosen";
    return c;
  }
  double worst = -1;
  for (const char* variant : variants) {
    for (const char* base : bases) {
      const auto* mine = counted->find(variant);
      const auto* other = counted->find(base);
      if (mine == nullptr || other == nullptr || of(other->total()) == 0) {
        c.note = fmt::format("nothing was counted of {}", mine == nullptr ? variant : base);
        return c;
      }
      const double ratio = static_cast<double>(of(mine->total())) / static_cast<double>(of(other->total()));
      if (ratio <= worst) continue;
      worst = ratio;
      c.note = fmt::format("the worst is {} / {}: {} / {}", variant, base, of(mine->total()), of(other->total()));
    }
  }
  c.measured = estimate{worst, worst, worst};
  return c;
}

}  // namespace

std::vector<claim> fork_join_claims(const std::vector<program_result>& results,
                                    const counted_instructions* instructions, const counted_result* counted) {
  return {
      fib_t1(results),
      time_over_serial(at_most("fib_t1_context", "fib with a context, 1 worker: time / serial", 2.3), results,
                       program::fib, context_name),
      fib_extra_instructions(instructions),
      fib_speedup2(results),
      time_over_serial(at_most("nqueens_t1", "nqueens, 1 worker: time / serial", 1.03), results, program::nqueens,
                       default_name),
      time_over_serial(at_most("quicksort_t1", "quicksort, 1 worker: time / serial", 1.05), results, program::quicksort,
                       default_name),
      late_leaf_ms(results),
      lcws(at_most("lcws_fences", "fences of LCWS / of Chase-Lev and ABP, 2 workers, the worst", 0.001), counted,
           &schedulers::synchronization::fences),
      lcws(at_most("lcws_cas", "CAS of LCWS / of Chase-Lev and ABP, 2 workers, the worst", 0.40), counted,
           &schedulers::synchronization::cas),
  };
}

}  // namespace pilfer::lab::forkjoin
