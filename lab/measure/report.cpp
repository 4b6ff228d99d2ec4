#include "lab/measure/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "lab/measure/table.hpp"

namespace pilfer::lab {
namespace {

json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

json number(const std::optional<double>& value) { return value ? number(*value) : json(nullptr); }

template <class Part>
json part(const std::optional<estimate>& value, Part member) {
  return value ? number((*value).*member) : json(nullptr);
}

std::string lines(const json& array) {
  std::string text = "[";
  const char* separator = "\n    ";
  for (const json& element : array) {
    text += separator + element.dump();
    separator = ",\n    ";
  }
  return text + (array.empty() ? "]" : "\n  ]");
}

std::string cell(const std::optional<double>& value) { return value ? fmt::format("{:.3f}", *value) : "-"; }

}  // namespace

std::optional<bool> claim::met() const {
  if (!goal || !measured) return std::nullopt;
  return measured->value >= *goal;
}

json to_json(const row& r) {
  json j = {
      {"suite", r.suite},
      {"name", r.name},
      {"impl", r.impl},
      {"params", r.params},
      {"unit", r.unit},
      {"median", number(median(r.samples))},
      {"min", number(minimum(r.samples))},
      {"samples", json::array()},
      {"ratio_to_sequential", part(r.ratio_to_sequential, &estimate::value)},
      {"ratio_ci_low", part(r.ratio_to_sequential, &estimate::low)},
      {"ratio_ci_high", part(r.ratio_to_sequential, &estimate::high)},
  };
  for (const double s : r.samples) j["samples"].push_back(number(s));
  for (const auto& [key, value] : r.extra.items()) {
    if (j.contains(key)) throw std::logic_error("report: row has the key \"" + key + "\" twice");
    j[key] = value.is_number_float() ? number(value.get<double>()) : value;
  }
  return j;
}

json to_json(const claim& c) {
  const std::optional<bool> met = c.met();
  json j = {
      {"id", c.id},
      {"text", c.text},
      {"paper", number(c.paper)},
      {"goal", number(c.goal)},
      {"measured", part(c.measured, &estimate::value)},
      {"ci_low", part(c.measured, &estimate::low)},
      {"ci_high", part(c.measured, &estimate::high)},
      {"met", met ? json(*met) : json(nullptr)},
  };
  if (!c.note.empty()) j["note"] = c.note;
  return j;
}

json to_json(const machine& m) {
  return {
      {"cpu", m.cpu},
      {"cores", m.cores},
      {"cores_allowed", m.cores_allowed},
      {"kernel", m.kernel},
      {"virtualization", m.virtualization},
      {"compiler", m.compiler},
      {"build", m.build},
      {"commit", m.commit},
      {"pilfer", m.pilfer},
      {"versions", json(m.versions)},
      {"date", m.date},
      {"load_average", number(m.load_average)},
  };
}

json to_json(const report& r) {
  json j = {{"schema", bench_schema}, {"machine", to_json(r.on)}, {"rows", json::array()}, {"claims", json::array()}};
  for (const row& one : r.rows) j["rows"].push_back(to_json(one));
  for (const claim& one : r.claims) j["claims"].push_back(to_json(one));
  return j;
}

std::string json_text(const report& r) {
  const json j = to_json(r);
  return fmt::format("{{\n  \"schema\": {},\n  \"machine\": {},\n  \"rows\": {},\n  \"claims\": {}\n}}\n",
                     j["schema"].dump(), j["machine"].dump(), lines(j["rows"]), lines(j["claims"]));
}

std::string claims_text(const std::vector<claim>& claims) {
  table t({{"claim", align::left},
           {"paper"},
           {"goal"},
           {"measured [95 % interval]"},
           {"", align::left},
           {"what", align::left}});
  std::string notes;
  for (const claim& c : claims) {
    const std::optional<bool> met = c.met();
    std::string verdict;
    if (met) verdict = *met ? "met" : "MISSED";
    t.add({c.id, cell(c.paper), cell(c.goal), c.measured ? ratio_with_interval(*c.measured) : "not measured", verdict,
           c.text});
    if (!c.note.empty()) notes += fmt::format("{}: {}\n", c.id, c.note);
  }
  return t.text() + notes;
}

}  // namespace pilfer::lab
