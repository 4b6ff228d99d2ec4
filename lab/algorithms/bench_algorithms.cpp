#include "lab/algorithms/bench_algorithms.hpp"

#include <fmt/format.h>

#include "lab/algorithms/claims.hpp"
#include "lab/algorithms/library.hpp"
#include "lab/algorithms/measurement.hpp"
#include "lab/measure/registry.hpp"

namespace pilfer::lab::algorithms {
namespace {

constexpr std::string_view footer =
    "ms, us: median of the samples, min: the best. time / serial: median of pairs from the same repetition, with its\n"
    "95 % interval; below 1 is faster than serial code. ns/item: the median over the number of items. Times are on "
    "the\n"
    "clock, from outside the pool; of loop_10k, of one loop among many inside it. Every answer was checked.\n";

std::vector<const library*> chosen(const std::vector<std::string>& names) {
  require_known(names, library_names(), "library");
  std::vector<const library*> list;
  for (const library& one : libraries()) {
    if (one.serial || names.empty() || contains(names, one.name)) list.push_back(&one);
  }
  return list;
}

}  // namespace

std::vector<std::string> library_names() { return names_of(libraries()); }

std::string why_unavailable(std::string_view name) { return lab::why_unavailable(libraries(), name); }

report bench_algorithms(const bench_settings& settings, const std::function<void(std::string_view)>& show) {
  const std::vector<const library*> who = chosen(settings.libraries);
  const std::vector<std::size_t> workers = worker_counts(settings.workers);
  require_known(settings.problems, problem_names(), "problem");
  report result;
  result.on = describe_machine();
  note_versions(result.on, who);
  show(machine_text(result.on) + "\n");

  std::vector<problem_result> results;
  for (const std::string& name : problem_names()) {
    if (!settings.problems.empty() && !contains(settings.problems, name)) continue;
    results.push_back(measure_problem(name, settings.size, who, workers, settings.repetitions));
    show(text_of(results.back()) + "\n");
    result.add(rows_of(results.back()));
  }

  result.claims = algorithm_claims(results);
  show(fmt::format("Figures to reach\n{}\n", claims_text(result.claims)));
  show(fmt::format("{}{}", footer, descriptions(who)));
  return result;
}

}  // namespace pilfer::lab::algorithms
