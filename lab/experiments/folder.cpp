#include "lab/experiments/folder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "lab/experiments/runner.hpp"
#include "lab/measure/disturbance.hpp"
#include "lab/measure/output.hpp"
#include "lab/measure/registry.hpp"
#include "lab/measure/table.hpp"

namespace pilfer::lab::experiments {
namespace {

page::section section_of(const experiment_record& one, const settings& given) {
  page::section shown;
  shown.name = one.name;
  shown.title = one.name;
  shown.notes = one.notes();
  shown.seconds = one.seconds();
  shown.complete = one.complete();
  shown.rows = one.rows();
  shown.claims = claims_of(one, given);
  double disturbed = 0;
  for (const part_record& each : one.parts) disturbed += each.disturbed * each.seconds;
  if (shown.seconds > 0) shown.disturbed = disturbed / shown.seconds;
  if (!shown.complete)
    shown.notes.push_back(fmt::format("{} of {} parts were measured.", one.parts.size(), one.planned));
  const experiment* const known = find_by_name(registry(), one.name);
  if (known == nullptr) {
    shown.notes.emplace_back("This version of pilfer has no such experiment: it can show no charts of it.");
    return shown;
  }
  shown.title = known->title;
  shown.source = known->source;
  shown.summary = known->summary;
  if (known->charts) shown.charts = known->charts(shown.rows);
  return shown;
}

bool is_taken(const std::string& path, const std::vector<std::string>& wanted, const results& now) {
  if (!std::filesystem::exists(path + "/results.json")) return false;
  try {
    const results there = read_results(path + "/results.json");
    if (!why_not_together(there, now).empty()) return true;
    return std::ranges::all_of(wanted, [&](const std::string& name) {
      const experiment_record* const found = there.find(name);
      return found != nullptr && found->complete();
    });
  } catch (const damaged_results&) {
    return true;
  }
}

}  // namespace

folder::folder(std::string path) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) throw output_error(fmt::format("cannot make the folder {}: {}", path_, error.message()));
  const output_file trial(results_path());  // whether it can be written is known before anything is measured
}

std::optional<results> folder::earlier() const {
  if (!std::filesystem::exists(results_path())) return std::nullopt;
  return read_results(results_path());
}

void folder::save(const results& all, claims_are how) const { output_file(results_path()).write(json_text(all, how)); }

void folder::save_report(const results& all) const { output_file(report_path()).write(html_of(document_of(all))); }

std::string usual_folder(const std::vector<std::string>& wanted, const results& now) {
  const std::string date = fmt::format("lab-results/{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)));
  std::string path = date;
  for (int number = 2; is_taken(path, wanted, now); ++number) path = fmt::format("{}-{}", date, number);
  return path;
}

page::document document_of(const results& all) {
  page::document shown;
  shown.on = all.on;
  shown.effort = name_of(all.given.how);
  shown.command = fmt::format("pilfer lab run --{}", shown.effort);
  shown.complete = all.complete();
  if (const double share = all.disturbed(); share >= busy_share) {
    shown.warnings.push_back(
        fmt::format("The machine was busy: others used {} of its processors' time while this was measured. Ratios of "
                    "neighbouring samples suffer less from that than times do.",
                    percent(share)));
  }
  for (const experiment_record& one : all.experiments) shown.sections.push_back(section_of(one, all.given));
  shown.papers = papers();
  shown.data = json_text(all);
  return shown;
}

}  // namespace pilfer::lab::experiments
