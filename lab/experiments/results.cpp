#include "lab/experiments/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "lab/measure/registry.hpp"

namespace pilfer::lab::experiments {
namespace {

constexpr const char* part_key = "part";  // of a row: which part of its experiment gave it
constexpr std::array efforts = {effort::tiny, effort::quick, effort::full};

json json_of(const part_record& one) {
  return {{"name", one.name},
          {"began", one.began},
          {"seconds", rounded(one.seconds)},
          {"load_average", rounded(one.load_average)},
          {"disturbed", rounded(one.disturbed)},
          {"notes", one.notes}};
}

json json_of(const experiment_record& one) {
  json j = {{"name", one.name}};
  if (const experiment* known = find_by_name(registry(), one.name); known != nullptr) {
    j["title"] = known->title;
    j["source"] = known->source;
  }
  j["complete"] = one.complete();
  j["planned"] = one.planned;
  j["parts"] = json::array();
  for (const part_record& each : one.parts) j["parts"].push_back(json_of(each));
  return j;
}

[[noreturn]] void damaged(const std::string& path, std::string_view what) {
  throw damaged_results(fmt::format("{}: {}", path, what));
}

json parsed(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) damaged(path, fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) damaged(path, "cannot be read to its end");
  if (text.view().empty()) damaged(path, "is empty");
  try {
    return json::parse(text.view());
  } catch (const json::parse_error& error) {
    // "[json.exception.parse_error.101] parse error at line 3, column 7: ..."
    std::string what = error.what();
    if (const auto end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
    damaged(path, what);
  }
}

part_record part_from(const json& j) {
  return {.name = j.at("name"),
          .began = j.at("began"),
          .seconds = j.at("seconds"),
          .load_average = j.at("load_average"),
          .disturbed = j.at("disturbed"),
          .notes = j.at("notes").get<std::vector<std::string>>()};
}

effort effort_from(const json& name) {
  for (const effort one : efforts) {
    if (name == name_of(one)) return one;
  }
  throw std::invalid_argument(fmt::format("lab.effort is {}, not tiny, quick or full", name.dump()));
}

// What the parts have claimed themselves.
std::vector<claim> said_by(const experiment_record& one) {
  std::vector<claim> claims;
  for (const part_record& each : one.parts) std::ranges::copy(each.claims, std::back_inserter(claims));
  for (claim& c : claims) c.suite = one.name;
  return claims;
}

results results_from(const json& j) {
  results all{.on = machine_from_json(j.at("machine")),
              .given = {.how = effort_from(j.at("lab").at("effort")), .processors = j.at("lab").at("processors")}};
  for (const json& one : j.at("experiments")) {
    experiment_record record{.name = one.at("name"), .planned = one.at("planned")};
    for (const json& each : one.at("parts")) record.parts.push_back(part_from(each));
    all.experiments.push_back(std::move(record));
  }
  for (const json& one : j.at("rows")) {
    row r = row_from_json(one);
    experiment_record* const home = all.find(r.suite);
    if (home == nullptr) throw std::invalid_argument(fmt::format("a row belongs to no experiment: {}", r.suite));
    const std::string part = one.value(part_key, "");
    const auto found = std::ranges::find(home->parts, part, &part_record::name);
    if (found == home->parts.end()) throw std::invalid_argument(fmt::format("{} has no part '{}'", r.suite, part));
    r.extra.erase(part_key);
    found->rows.push_back(std::move(r));
  }
  for (const json& one : j.at("claims")) {
    claim c = claim_from_json(one);
    experiment_record* const home = all.find(c.suite);
    if (home == nullptr || home->parts.empty()) continue;
    const experiment* const known = find_by_name(registry(), home->name);
    if (known == nullptr || !known->claims)
      home->parts.front().claims.push_back(std::move(c));  // others are judged anew
  }
  return all;
}

}  // namespace

double experiment_record::seconds() const noexcept {
  double sum = 0;
  for (const part_record& one : parts) sum += one.seconds;
  return sum;
}

bool experiment_record::has_part(std::string_view part) const noexcept {
  return std::ranges::find(parts, part, &part_record::name) != parts.end();
}

std::vector<row> experiment_record::rows() const {
  std::vector<row> all;
  for (const part_record& one : parts) std::ranges::copy(one.rows, std::back_inserter(all));
  return all;
}

std::vector<std::string> experiment_record::notes() const {
  std::vector<std::string> all;
  for (const part_record& one : parts) {
    for (const std::string& note : one.notes) {
      if (!contains(all, note)) all.push_back(note);
    }
  }
  return all;
}

bool results::complete() const noexcept {
  return !experiments.empty() && std::ranges::all_of(experiments, &experiment_record::complete);
}

experiment_record* results::find(std::string_view name) noexcept {
  const auto found = std::ranges::find(experiments, name, &experiment_record::name);
  return found == experiments.end() ? nullptr : &*found;
}

const experiment_record* results::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(experiments, name, &experiment_record::name);
  return found == experiments.end() ? nullptr : &*found;
}

double results::disturbed() const noexcept {
  double taken = 0;
  double seconds = 0;
  for (const experiment_record& one : experiments) {
    for (const part_record& each : one.parts) {
      taken += each.disturbed * each.seconds;
      seconds += each.seconds;
    }
  }
  return seconds > 0 ? taken / seconds : 0;
}

std::vector<claim> claims_of(const experiment_record& one, const settings& given) {
  const experiment* const known = find_by_name(registry(), one.name);
  return known == nullptr ? said_by(one) : claims_of(*known, one, given);
}

std::vector<claim> claims_of(const experiment& what, const experiment_record& one, const settings& given) {
  std::vector<claim> claims = what.claims ? what.claims(one.rows(), given) : said_by(one);
  if (what.unmeasured) {
    for (claim& missing : what.unmeasured()) {
      if (std::ranges::find(claims, missing.id, &claim::id) != claims.end()) continue;
      missing.note = "not measured";
      claims.push_back(std::move(missing));
    }
  }
  for (claim& c : claims) c.suite = one.name;
  return claims;
}

std::vector<claim> claims_of(const results& all) {
  std::vector<claim> claims;
  for (const experiment_record& one : all.experiments)
    std::ranges::move(claims_of(one, all.given), std::back_inserter(claims));
  return claims;
}

const char* name_of(effort how) noexcept {
  switch (how) {
    case effort::tiny: return "tiny";
    case effort::quick: return "quick";
    case effort::full: return "full";
  }
  return "?";
}

std::string json_text(const results& all, claims_are how) {
  report document{.on = all.on, .rows = {}, .claims = {}};
  if (how == claims_are::judged) {
    document.claims = claims_of(all);
  } else {
    for (const experiment_record& one : all.experiments)
      std::ranges::move(said_by(one), std::back_inserter(document.claims));
  }
  json about = json::array();
  for (const experiment_record& one : all.experiments) {
    about.push_back(json_of(one));
    for (const part_record& each : one.parts) {
      for (row r : each.rows) {
        r.extra[part_key] = each.name;
        document.rows.push_back(std::move(r));
      }
    }
  }
  const json lab = {{"effort", name_of(all.given.how)},
                    {"processors", all.given.processors},
                    {"complete", all.complete()},
                    {"disturbed", rounded(all.disturbed())}};
  return json_text(document, {{"lab", lab}, {"experiments", about}});
}

results read_results(const std::string& path) {
  const json document = parsed(path);
  if (const std::vector<std::string> errors = schema_errors(document); !errors.empty())
    damaged(path, fmt::format("is no report of the schema {}: {}", bench_schema, errors.front()));
  try {
    return results_from(document);
  } catch (const json::exception& error) {
    damaged(path, fmt::format("is no report of `pilfer lab`: {}", error.what()));
  } catch (const std::invalid_argument& error) {
    damaged(path, fmt::format("is no report of `pilfer lab`: {}", error.what()));
  }
}

}  // namespace pilfer::lab::experiments
