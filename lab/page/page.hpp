// The report of `pilfer lab`: one HTML file that opens from the disk, asks the network for nothing, and shows its charts
// and tables without scripts, too. Everything that comes from data is escaped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/measure/machine.hpp"
#include "lab/measure/report.hpp"
#include "lab/page/chart.hpp"

namespace pilfer::lab::page {

// An experiment and what came of it.
struct section {
  std::string name;     // "queues-alone"; also its address in the page
  std::string title;    // "Queues: the owner alone"
  std::string source;   // "001 Fig. 10 and 11 at 0 %"
  std::string summary;  // two or three sentences
  std::vector<std::string> notes;
  double seconds = 0;               // that it took; 0: not known
  std::optional<double> disturbed;  // the share of its time that others used the processors, within [0, 1]
  bool complete = true;             // false: interrupted, or parts of it failed; the notes say which
  std::vector<chart> charts;
  std::vector<row> rows;
  std::vector<claim> claims;
};

struct document {
  std::string title = "pilfer lab";
  machine on;
  std::string effort;                 // "quick", "full"; empty: not said
  std::string command;                // that makes such a report; empty: not said
  bool complete = true;               // false: interrupted, the sections are what there is
  std::vector<std::string> warnings;  // said at the top: "another process used 40 % of the processors"
  std::vector<section> sections;      // in the order of the registry
  std::vector<std::string> papers;    // what the numbers in `source` stand for
  std::string data;                   // results.json as it was written; empty: made from the sections
};

[[nodiscard]] std::string html_of(const document& all);

}  // namespace pilfer::lab::page
