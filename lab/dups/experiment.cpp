#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "lab/dups/dups.hpp"
#include "lab/dups/measurement.hpp"
#include "lab/dups/names.hpp"
#include "lab/dups/report.hpp"

namespace pilfer::lab::experiments {
namespace {

std::vector<part> parts_of(const settings& given, const std::vector<std::string>& tool) {
  const auto bench = std::make_shared<dups::workbench>();
  std::vector<part> parts;
  for (const bool with_load : {false, true}) {
    parts.push_back({with_load ? "queues with load" : "queues",
                     [=] { return dups::measure_queues(*bench, tool, with_load, given); }});
  }
  for (const char* corpus : dups::corpora)
    parts.push_back({corpus, [=] { return dups::measure_rivals(*bench, tool, corpus, given); }});
  // The run may go on with other experiments for hours.
  parts.back().run = [bench, last = std::move(parts.back().run)] {
    struct cleared {
      dups::workbench& what;
      ~cleared() { what.clear(); }
    } const at_the_end{*bench};
    return last();
  };
  return parts;
}

}  // namespace

std::vector<std::string> usual_dups_tool() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || self.filename() != dups::own_name) return {};
  return {self.string()};
}

experiment dups_experiment(std::vector<std::string> tool) {
  return {
      .name = dups::suite_name,
      .title = "Finding duplicate files",
      .source = "000, section 5.3.2: Fig. 5.12 and Table 5.5",
      .summary =
          "`pilfer dups`, as a process of its own, with every queue on a folder like 000's, and against jdupes, "
          "fdupes, "
          "rdfind and rmlint on three kinds of folders, with files in memory and on the disk. What all of them find is "
          "compared with what was put there before anything is timed. In 000 LIFO BWoS takes 1.5 times as long as a "
          "queue "
          "with a mutex.",
      .parts = [tool = std::move(tool)](const settings& given) { return parts_of(given, tool); },
      .claims = [](const std::vector<row>& rows, const settings&) { return dups::claims_of(rows); },
      .charts = dups::charts_of,
      .quick_seconds = 40};
}

}  // namespace pilfer::lab::experiments
