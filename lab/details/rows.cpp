#include "lab/details/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/measure/mapped.hpp"

namespace pilfer::lab::details {

std::vector<const row*> rows_of_suite(const std::vector<row>& rows, std::string_view suite) {
  std::vector<const row*> own;
  for (const row& one : rows) {
    if (one.suite == suite && !one.samples.empty()) own.push_back(&one);
  }
  return own;
}

std::string text_param(const row& of, const char* key) {
  const auto found = of.params.find(key);
  return found != of.params.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_param(const row& of, const char* key) {
  const auto found = of.params.find(key);
  if (found == of.params.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string why_missing(std::string_view what, const experiments::settings& given, std::size_t processors) {
  if (given.processors < processors) return cannot_be_shown(fmt::format("it needs {} processors", processors));
  return cannot_be_shown(fmt::format("{} was not measured", what));
}

std::optional<estimate> throughput_ratio(const row* fast, const row* slow) {
  if (fast == nullptr || slow == nullptr) return std::nullopt;
  if (fast->samples.empty() || fast->samples.size() != slow->samples.size()) return std::nullopt;
  return paired_ratio(slow->samples, fast->samples);
}

std::optional<estimate> throughput_loss(const row* disturbed, const row* undisturbed) {
  const auto ratio = throughput_ratio(disturbed, undisturbed);
  if (!ratio) return std::nullopt;
  return estimate{1 - ratio->value, 1 - ratio->high, 1 - ratio->low};
}

estimate megaops(const row& of) {
  return median_estimate(mapped(of.samples, [](double ns) { return 1e3 / ns; }));
}

page::point bar(std::string category, const row& of) {
  return experiments::point_for(std::move(category), megaops(of));
}

page::point line_point(double x, const row& of) { return line_point(x, megaops(of)); }

experiments::part nothing_measured(std::string why) {
  return {"nothing", [why = std::move(why)] {
            experiments::findings found;
            found.notes.push_back(why);
            return found;
          }};
}

}  // namespace pilfer::lab::details
