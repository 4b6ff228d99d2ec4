#include "lab/forkjoin/counted.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/measure/interrupt.hpp"
#include "lab/measure/progress.hpp"
#include "lab/measure/table.hpp"

namespace pilfer::lab::forkjoin {

schedulers::synchronization counted_result::entry::total() const {
  schedulers::synchronization sum;
  for (const schedulers::synchronization& one : of_program) sum += one;
  return sum;
}

const counted_result::entry* counted_result::find(std::string_view name) const {
  const auto found = std::ranges::find(entries, name, &entry::name);
  return found == entries.end() ? nullptr : &*found;
}

counted_result count_synchronization(const std::vector<programs::workload>& what, std::size_t workers) {
  counted_result result{.workers = workers, .programs = what, .entries = {}};
  const auto& counted = schedulers::counted_registry();
  progress shown("counting", counted.size() * what.size());
  for (const schedulers::counted_entry& one : counted) {
    counted_result::entry mine{one.name, {}};
    for (const programs::workload& each : what) {
      throw_if_interrupted();
      shown.step(one.name);
      mine.of_program.push_back(one.count(each, workers));
    }
    result.entries.push_back(std::move(mine));
  }
  return result;
}

std::vector<row> rows_of(const counted_result& result) {
  std::vector<row> rows;
  for (const counted_result::entry& one : result.entries) {
    for (std::size_t i = 0; i < result.programs.size(); ++i) {
      const programs::workload& what = result.programs[i];
      row r{.suite = "fork-join",
            .name = fmt::format("synchronization/{}", programs::name_of(what.what)),
            .impl = one.name,
            .params = {{"size", what.size}, {"workers", result.workers}},
            .unit = "CAS",
            .samples = {static_cast<double>(one.of_program[i].cas)},
            .ratio_to_sequential = {}};
      r.extra["forks"] = programs::forks_of(what);
      r.extra["cas"] = one.of_program[i].cas;
      r.extra["fences"] = one.of_program[i].fences;
      rows.push_back(std::move(r));
    }
  }
  return rows;
}

std::string text_of(const counted_result& result) {
  std::vector<table::column> columns = {{"fences, CAS", align::left}};
  for (const programs::workload& what : result.programs) columns.push_back({std::string(programs::name_of(what.what))});
  columns.push_back({"all"});
  const auto pair = [](const schedulers::synchronization& s) {
    return fmt::format("{}, {}", short_count(s.fences), short_count(s.cas));
  };
  table t(columns);
  for (const counted_result::entry& one : result.entries) {
    std::vector<std::string> cells = {one.name};
    for (const schedulers::synchronization& s : one.of_program) cells.push_back(pair(s));
    cells.push_back(pair(one.total()));
    t.add(std::move(cells));
  }
  return fmt::format("Synchronization, counted, {} workers\n{}", result.workers, t.text());
}

}  // namespace pilfer::lab::forkjoin
