// The folder of a run: results.json, which grows part by part, and report.html.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/experiments/results.hpp"
#include "lab/page/page.hpp"

namespace pilfer::lab::experiments {

class folder {
 public:
  // Makes it if it is not there.
  //   Throws  output_error: it cannot be made or written.
  explicit folder(std::string path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string results_path() const { return path_ + "/results.json"; }
  [[nodiscard]] std::string report_path() const { return path_ + "/report.html"; }

  // None if there is no results.json yet.
  //   Throws  damaged_results.
  [[nodiscard]] std::optional<results> earlier() const;

  // Each file is there whole or not at all.
  //   Throws  output_error.
  void save(const results& all, claims_are how = claims_are::judged) const;
  void save_report(const results& all) const;

 private:
  std::string path_;
};

// Where a run goes when nobody says: lab-results/DATE, to go on there; DATE-2 and so on if all of `wanted` is complete
// there, or what is there does not belong together with `now`.
[[nodiscard]] std::string usual_folder(const std::vector<std::string>& wanted, const results& now);

// The report's content.
[[nodiscard]] page::document document_of(const results& all);

}  // namespace pilfer::lab::experiments
