#include "litmus/differential.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "litmus/oracle.hpp"
#include "litmus/random_program.hpp"
#include "litmus/run.hpp"

namespace pilfer::model::litmus {
namespace {

std::string describe(const options& how) {
  std::string text = how.mode == exploration::exhaustive ? "exhaustive" : "interleaving";
  text += how.sc == sc_mode::axiomatic ? ", axiomatic seq_cst" : ", seq_cst in order of execution";
  return how.deduplicate ? text : text + ", no deduplication";
}

std::string differences(const program& what, const options& how, const oracle_result& expected) {
  const run_result found = check_outcomes(what, how);
  std::string text;
  const auto list = [&](const char* title, const outcome_set& of, const outcome_set& without) {
    std::vector<outcome> only_there;
    std::set_difference(of.begin(), of.end(), without.begin(), without.end(), std::back_inserter(only_there));
    for (const outcome& each : only_there) text += std::string("  ") + title + to_text(each, what) + "\n";
  };
  list("missing: ", expected.outcomes, found.outcomes);
  list("extra:   ", found.outcomes, expected.outcomes);
  if (found.search.graphs != expected.graphs) {
    text += "  graphs:  " + std::to_string(found.search.graphs) + ", the oracle has " +
            std::to_string(expected.graphs) + "\n";
  }
  if (!found.search.passed()) text += "  failed:  " + found.search.failed.text + "\n";
  if (!found.search.exhausted) text += "  not exhausted: " + found.search.bound_hit + "\n";
  return text.empty() ? text : to_text(what) + "  (" + describe(how) + ")\n" + text;
}

memory_model model_of(const options& how) {
  return how.sc == sc_mode::axiomatic ? memory_model::rc11 : memory_model::sc_execution;
}

std::size_t size_of(const program& what) {
  std::size_t size = 0;
  for (const auto& thread : what.threads) size += thread.size();
  return size;
}

}  // namespace

std::string compare(const program& what, const options& how) {
  return differences(what, how, run_oracle(what, model_of(how)));
}

differential_result differential(std::uint64_t count, std::uint64_t seed,
                                 const std::function<bool(std::uint64_t)>& progress) {
  differential_result sum;
  std::size_t smallest = 0;
  while (sum.programs < count) {
    const program what = random_program(seed + sum.programs);
    std::string text;
    for (const sc_mode sc : {sc_mode::execution, sc_mode::axiomatic}) {
      options how;
      how.sc = sc;
      const oracle_result expected = run_oracle(what, model_of(how));
      if (sc == sc_mode::axiomatic) sum.graphs += expected.graphs;
      text += differences(what, how, expected);
      if (sum.programs % 8 == 0) {
        how.mode = exploration::interleaving;
        text += differences(what, how, expected);
      }
    }
    ++sum.programs;
    if (!text.empty()) {
      ++sum.mismatches;
      if (sum.mismatches == 1 || size_of(what) < smallest) {
        smallest = size_of(what);
        sum.smallest_mismatch = std::move(text);
      }
    }
    if (progress && !progress(sum.programs)) break;
  }
  return sum;
}

}  // namespace pilfer::model::litmus
