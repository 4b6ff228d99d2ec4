// An experiment of the lab: what `pilfer lab run NAME` measures, what it claims, and how it is shown.
//
// It is cut into parts. The rows of a part are kept when it ends, so that an interrupted run loses one part at most. Claims
// and charts are made from rows alone, whether they were just measured or come from a file.
//
// To add one: a function that returns an `experiment`, declared and listed in registry.cpp.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/page/chart.hpp"

namespace pilfer::lab::experiments {

enum class effort : unsigned char {
  tiny,  // for tests: everything happens, nothing is measured well; each experiment within some seconds even under TSan
  quick,  // all experiments together within five minutes
  full,   // as in the papers
};

struct settings {
  effort how = effort::quick;
  std::size_t processors = 1;  // that this process may use
};

// One of three by effort: repetitions, sizes.
template <class T>
[[nodiscard]] constexpr T by_effort(const settings& given, const T& tiny, const T& quick, const T& full) {
  return given.how == effort::tiny ? tiny : given.how == effort::quick ? quick : full;
}

struct findings {
  std::vector<row> rows{};           // `suite` is the experiment's name; `extra` says what else is known
  std::vector<claim> claims{};       // only from suites that judge while they measure; others: experiment::claims
  std::vector<std::string> notes{};  // what was left out, and why: "onetbb: not installed"
  std::map<std::string, std::string> versions{};  // of what was compared with
};

struct part {
  std::string name;
  std::function<findings()> run;  // interleaved within; throws `interrupted`, or std::runtime_error for a wrong result
};

struct experiment {
  std::string name;     // "queues-alone"
  std::string title;    // "Queues: the owner alone"
  std::string source;   // "001 Fig. 10 and 11 at 0 %; 000 Fig. 5.2"
  std::string summary;  // what is done, and what the paper saw; two or three sentences for the report
  std::function<std::vector<part>(const settings&)> parts;
  // Always all of the experiment's claims. One that cannot be judged has no `measured`, and its note says why.
  std::function<std::vector<claim>(const std::vector<row>& rows, const settings& given)> claims{};
  // Of suites that judge while they measure, instead of `claims`: all of their claims when nothing was measured, so that none is missing
  // from the report if a part fails.
  std::function<std::vector<claim>()> unmeasured{};
  // None of an empty chart: what was not measured has no chart.
  std::function<std::vector<page::chart>(const std::vector<row>& rows)> charts{};
  double quick_seconds = 10;  // about how long it takes with effort::quick: what a progress bar goes by
};

// What the numbers in `source` stand for, a line each.
[[nodiscard]] std::vector<std::string> papers();

// All of them, in the order of the report.
[[nodiscard]] const std::vector<experiment>& registry();

}  // namespace pilfer::lab::experiments
