#include "lab/measure/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
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

std::optional<double> number_from(const json& j, const char* key) {
  const json& value = j.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

std::optional<estimate> estimate_from(const json& j, const char* value, const char* low, const char* high) {
  const std::optional<double> middle = number_from(j, value);
  if (!middle) return std::nullopt;
  return estimate{*middle, number_from(j, low).value_or(*middle), number_from(j, high).value_or(*middle)};
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

// Counts are whole numbers, ratios are not; of a large number nobody reads thousandths.
constexpr double large = 1000;
std::string figure(double value) {
  const bool whole = value == std::trunc(value) || std::abs(value) >= large;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.3f}", value);
}

std::string figure(const estimate& value) {
  const bool known_exactly = value.low == value.value && value.high == value.value;
  if (known_exactly) return figure(value.value);
  if (std::abs(value.value) < large) return ratio_with_interval(value);
  return fmt::format("{} [{}, {}]", figure(value.value), figure(value.low), figure(value.high));
}

std::string goal_text(const claim& c) {
  if (!c.goal) return "-";
  return (c.goal_is == goal_side::at_most ? "at most " : "") + figure(*c.goal);
}

const char* verdict_of(const claim& c) {
  const std::optional<bool> met = c.met();
  if (!met) return "";
  return *met ? "met" : "MISSED";
}

const char* to_string(goal_side side) { return side == goal_side::at_most ? "at most" : "at least"; }

}  // namespace

json rounded(const json& value) {
  if (value.is_number_float()) return number(value.get<double>());
  if (!value.is_array()) return value;
  json all = json::array();
  for (const json& element : value) all.push_back(rounded(element));
  return all;
}

std::optional<bool> claim::met() const {
  if (!goal || !measured) return std::nullopt;
  return goal_is == goal_side::at_most ? measured->value <= *goal : measured->value >= *goal;
}

claim at_most(const char* id, const char* text, double goal) {
  return {.id = id, .text = text, .paper = {}, .goal = goal, .measured = {}, .note = {}, .goal_is = goal_side::at_most};
}

void report::add(std::vector<row> more) { std::ranges::move(more, std::back_inserter(rows)); }

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
    j[key] = rounded(value);
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
      {"goal_is", to_string(c.goal_is)},
      {"measured", part(c.measured, &estimate::value)},
      {"ci_low", part(c.measured, &estimate::low)},
      {"ci_high", part(c.measured, &estimate::high)},
      {"met", met ? json(*met) : json(nullptr)},
  };
  if (!c.note.empty()) j["note"] = c.note;
  if (!c.suite.empty()) j["suite"] = c.suite;
  return j;
}

json to_json(const machine& m) {
  return {
      {"cpu", m.cpu},
      {"cores", m.cores},
      {"cores_allowed", m.cores_allowed},
      {"kernel", m.kernel},
      {"governor", m.governor},
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

row row_from_json(const json& j) {
  row r{.suite = j.at("suite"),
        .name = j.at("name"),
        .impl = j.at("impl"),
        .params = j.at("params"),
        .unit = j.at("unit"),
        .samples = j.at("samples").get<std::vector<double>>(),
        .ratio_to_sequential = estimate_from(j, "ratio_to_sequential", "ratio_ci_low", "ratio_ci_high")};
  static constexpr std::array own = {
      "suite",        "name",         "impl", "params", "unit", "median", "min", "samples", "ratio_to_sequential",
      "ratio_ci_low", "ratio_ci_high"};
  for (const auto& [key, value] : j.items()) {
    if (std::ranges::find(own, std::string_view(key)) == own.end()) r.extra[key] = value;
  }
  return r;
}

claim claim_from_json(const json& j) {
  return {.id = j.at("id"),
          .text = j.at("text"),
          .paper = number_from(j, "paper"),
          .goal = number_from(j, "goal"),
          .measured = estimate_from(j, "measured", "ci_low", "ci_high"),
          .note = j.value("note", ""),
          .goal_is = j.value("goal_is", "at least") == "at most" ? goal_side::at_most : goal_side::at_least,
          .suite = j.value("suite", "")};
}

machine machine_from_json(const json& j) {
  machine m;
  m.cpu = j.at("cpu");
  m.cores = j.at("cores");
  m.cores_allowed = j.at("cores_allowed");
  m.kernel = j.at("kernel");
  m.governor = j.value("governor", "unknown");
  m.virtualization = j.at("virtualization");
  m.compiler = j.at("compiler");
  m.build = j.at("build");
  m.commit = j.at("commit");
  m.pilfer = j.at("pilfer");
  m.versions = j.at("versions").get<std::map<std::string, std::string>>();
  m.date = j.at("date");
  m.load_average = j.at("load_average");
  return m;
}

json to_json(const report& r) {
  json j = {{"schema", bench_schema}, {"machine", to_json(r.on)}, {"rows", json::array()}, {"claims", json::array()}};
  for (const row& one : r.rows) j["rows"].push_back(to_json(one));
  for (const claim& one : r.claims) j["claims"].push_back(to_json(one));
  return j;
}

std::string json_text(const report& r, const json& more) {
  const json j = to_json(r);
  std::string further;
  for (const auto& [key, value] : more.items())
    further += fmt::format("  \"{}\": {},\n", key, value.is_array() ? lines(value) : value.dump());
  return fmt::format("{{\n  \"schema\": {},\n  \"machine\": {},\n{}  \"rows\": {},\n  \"claims\": {}\n}}\n",
                     j["schema"].dump(), j["machine"].dump(), further, lines(j["rows"]), lines(j["claims"]));
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
    t.add({c.id, c.paper ? figure(*c.paper) : "-", goal_text(c), c.measured ? figure(*c.measured) : "not measured",
           verdict_of(c), c.text});
    if (!c.note.empty()) notes += fmt::format("{}: {}\n", c.id, c.note);
  }
  return t.text() + notes;
}

std::string verdict_line(const claim& c) {
  if (!c.met() || !c.measured) return {};
  return fmt::format("{} {}, goal {}: {}", c.id, figure(*c.measured), goal_text(c), verdict_of(c));
}

}  // namespace pilfer::lab
