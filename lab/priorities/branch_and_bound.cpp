#include "lab/priorities/branch_and_bound.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "lab/measure/registry.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/measure/table.hpp"
#include "lab/priorities/measurement.hpp"

namespace pilfer::lab::priorities {
namespace {

struct search_sizes {
  std::size_t items;
  std::size_t knapsacks;
};

struct search_recipe {
  std::string name;
  search_sizes tiny;
  search_sizes quick;
  search_sizes full;
  child_order order;
  const char* how;
};

const std::vector<search_recipe>& search_recipes() {
  static const std::vector<search_recipe> all = {
      {"branch_and_bound",
       {40, 2},
       {300, 5},
       {300, 12},
       child_order::promising_last,
       "the promising child is spawned last, as is best for one deque"},
      {"branch_and_bound_blind",
       {20, 2},
       {60, 3},
       {90, 3},
       child_order::promising_buried,
       "the promising child is spawned first, as is worst for one deque"},
  };
  return all;
}

// Does all of it; the number of nodes.
using searcher = std::function<search_result(const knapsack& what)>;
std::uint64_t search_all(const search_program& what, const std::string& who, const searcher& search_one) {
  std::uint64_t nodes = 0;
  for (std::size_t i = 0; i < what.knapsacks.size(); ++i) {
    const search_result found = search_one(what.knapsacks[i]);
    check_best(found.best, what, i, who);
    nodes += found.nodes;
  }
  return nodes;
}

// Somebody who searches, and the nodes of all his searches.
class search_session {
 public:
  search_session(const search_program& what, std::string who, searcher search_one)
      : what_(what), who_(std::move(who)), search_one_(std::move(search_one)) {}

  double seconds() {
    std::uint64_t nodes = 0;
    const double taken = seconds_taken_by([&] { nodes = search_all(what_, who_, search_one_); });
    nodes_.push_back(static_cast<double>(nodes));
    return taken;
  }
  // Of all runs but the first, which warms up.
  [[nodiscard]] std::vector<double> nodes() const { return {nodes_.begin() + 1, nodes_.end()}; }

 private:
  const search_program& what_;
  std::string who_;
  searcher search_one_;
  std::vector<double> nodes_;
};

const search_figures& search_figures_of(const search_program_result& result, const measurement& one) {
  return result.figures[static_cast<std::size_t>(&one - result.times.entries.data())];
}

double ns_per_node(const search_program_result& result, const measurement& one) {
  return median(one.seconds) * ns_per_second / median(search_figures_of(result, one).nodes);
}

}  // namespace

const std::vector<std::string>& search_names() {
  static const std::vector<std::string> names = names_of(search_recipes());
  return names;
}

search_program make_search(std::string_view name, scale how) {
  const search_recipe* const one = find_by_name(search_recipes(), name);
  if (one == nullptr) throw std::invalid_argument(fmt::format("there is no program '{}'", name));
  const search_sizes& size = how == scale::tiny ? one->tiny : how == scale::quick ? one->quick : one->full;
  search_program made{
      .name = one->name,
      .text = fmt::format("{} knapsacks of {} items, a task per node; {}", size.knapsacks, size.items, one->how),
      .order = one->order,
      .knapsacks = {},
      .answers = {}};
  for (std::size_t i = 0; i < size.knapsacks; ++i) {
    made.knapsacks.push_back(make_knapsack(size.items, i + 1));
    made.answers.push_back(best_by_table(made.knapsacks.back()));
  }
  return made;
}

void check_best(std::int64_t best, const search_program& what, std::size_t number, const std::string& who) {
  if (best == what.answers[number]) return;
  throw std::runtime_error(
      fmt::format("{}: {} found {} instead of {} for knapsack {}", what.name, who, best, what.answers[number], number));
}

search_program_result measure_search(const search_program& what, const std::vector<const design*>& who, unsigned levels,
                                     const std::vector<std::size_t>& workers, std::size_t repetitions) {
  search_program_result result{.name = what.name,
                               .text = what.text,
                               .knapsacks = what.knapsacks.size(),
                               .levels = levels,
                               .times = {},
                               .figures = {}};
  std::vector<std::unique_ptr<arena>> arenas;
  std::vector<std::unique_ptr<search_session>> sessions;
  std::vector<candidate> candidates;
  const auto add = [&](const std::string& name, std::size_t count, searcher search_one) {
    sessions.push_back(std::make_unique<search_session>(what, name, std::move(search_one)));
    candidates.push_back({name, count, [&mine = *sessions.back()] { return mine.seconds(); }});
  };
  add(serial_name, 0, [&](const knapsack& one) { return search_serially(one, what.order); });
  for (const std::size_t count : workers) {
    for (const design* one : who) {
      arenas.push_back(std::make_unique<arena>(*one, count, levels));
      add(one->name, count,
          [&what, &mine = *arenas.back()](const knapsack& each) { return search(each, what.order, mine); });
      candidates.back().steals_so_far = [&mine = *arenas.back()] {
        return mine.inside().statistics().total().steals_taken;
      };
    }
  }
  result.times = compare(candidates, repetitions, what.name);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const measurement& one = result.times.entries[i];
    result.figures.push_back({one.name, one.workers, sessions[i]->nodes()});
  }
  return result;
}

std::vector<row> rows_of(const search_program_result& result) {
  std::vector<row> rows;
  const row_heading heading{.suite = suite_name,
                            .name = result.name,
                            .size = static_cast<std::int64_t>(result.knapsacks),
                            .unit = milliseconds};
  for (const measurement& one : result.times.entries) {
    row r = row_of(heading, result.times, one);
    r.params["levels"] = result.levels;
    r.extra["nodes"] = median(search_figures_of(result, one).nodes);
    r.extra["node_samples"] = search_figures_of(result, one).nodes;
    r.extra["ns_per_node"] = ns_per_node(result, one);
    rows.push_back(std::move(r));
  }
  return rows;
}

std::string text_of(const search_program_result& result) {
  std::vector<table::column> columns = timing_columns("design", milliseconds);
  columns.insert(columns.end(), {{"nodes"}, {"nodes / serial"}, {"ns/node"}});
  table t(std::move(columns));
  const double serial_nodes = median(result.figures.front().nodes);
  std::size_t last = 0;
  for (const measurement& one : result.times.entries) {
    if (std::exchange(last, one.workers) != one.workers) t.add_rule();
    const double nodes = median(search_figures_of(result, one).nodes);
    std::vector<std::string> cells = timing_cells(milliseconds, result.times, one);
    cells.push_back(fmt::format("{:.0f}", nodes));
    cells.push_back(fmt::format("{:.3f}", nodes / serial_nodes));
    cells.push_back(nanoseconds(ns_per_node(result, one)));
    t.add(std::move(cells));
  }
  return fmt::format("{}: {}; {} levels, {} samples each\n{}", result.name, result.text, result.levels,
                     result.times.serial().seconds.size(), t.text());
}

}  // namespace pilfer::lab::priorities
