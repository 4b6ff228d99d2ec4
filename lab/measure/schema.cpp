// The schema of docs/json-schema.md as a check, so that the documentation, the writer and the tests cannot drift apart.
#include <fmt/format.h>

#include <initializer_list>
#include <set>

#include "lab/measure/report.hpp"

namespace pilfer::lab {
namespace {

enum class kind : unsigned char { text, number, number_or_null, flag_or_null, object, numbers };

struct key {
  const char* name;
  kind is;
};

bool matches(const json& value, kind expected) {
  switch (expected) {
    case kind::text: return value.is_string();
    case kind::number: return value.is_number();
    case kind::number_or_null: return value.is_number() || value.is_null();
    case kind::flag_or_null: return value.is_boolean() || value.is_null();
    case kind::object: return value.is_object();
    case kind::numbers:
      if (!value.is_array() || value.empty()) return false;
      for (const json& element : value) {
        if (!element.is_number()) return false;
      }
      return true;
  }
  return false;
}

const char* to_string(kind expected) {
  switch (expected) {
    case kind::text: return "a string";
    case kind::number: return "a number";
    case kind::number_or_null: return "a number or null";
    case kind::flag_or_null: return "true, false or null";
    case kind::object: return "an object";
    case kind::numbers: return "an array of numbers, not empty";
  }
  return "?";
}

void check_keys(const json& object, const std::string& where, std::initializer_list<key> keys,
                std::vector<std::string>& errors) {
  if (!object.is_object()) {
    errors.push_back(where + " is not an object");
    return;
  }
  for (const key& k : keys) {
    const auto found = object.find(k.name);
    if (found == object.end()) {
      errors.push_back(fmt::format("{} has no \"{}\"", where, k.name));
    } else if (!matches(*found, k.is)) {
      errors.push_back(fmt::format("{}.{} is not {}", where, k.name, to_string(k.is)));
    }
  }
}

const json& array_of(const json& document, const char* name, std::vector<std::string>& errors) {
  static const json none = json::array();
  const auto found = document.find(name);
  if (found != document.end() && found->is_array()) return *found;
  errors.push_back(fmt::format("\"{}\" is not an array", name));
  return none;
}

}  // namespace

std::vector<std::string> schema_errors(const json& document) {
  std::vector<std::string> errors;
  check_keys(document, "document", {{"schema", kind::text}, {"machine", kind::object}}, errors);
  if (!errors.empty()) return errors;
  if (document["schema"] != bench_schema) errors.push_back(fmt::format("the schema is not \"{}\"", bench_schema));
  check_keys(document["machine"], "machine",
             {{"cpu", kind::text},
              {"cores", kind::number},
              {"cores_allowed", kind::number},
              {"kernel", kind::text},
              {"virtualization", kind::text},
              {"compiler", kind::text},
              {"build", kind::text},
              {"commit", kind::text},
              {"pilfer", kind::text},
              {"versions", kind::object},
              {"date", kind::text},
              {"load_average", kind::number}},
             errors);

  std::size_t n = 0;
  for (const json& one : array_of(document, "rows", errors)) {
    check_keys(one, fmt::format("rows[{}]", n++),
               {{"suite", kind::text},
                {"name", kind::text},
                {"impl", kind::text},
                {"params", kind::object},
                {"unit", kind::text},
                {"median", kind::number},
                {"min", kind::number},
                {"samples", kind::numbers},
                {"ratio_to_sequential", kind::number_or_null},
                {"ratio_ci_low", kind::number_or_null},
                {"ratio_ci_high", kind::number_or_null}},
               errors);
  }

  n = 0;
  std::set<std::string> ids;
  for (const json& one : array_of(document, "claims", errors)) {
    const std::string where = fmt::format("claims[{}]", n++);
    check_keys(one, where,
               {{"id", kind::text},
                {"text", kind::text},
                {"paper", kind::number_or_null},
                {"goal", kind::number_or_null},
                {"measured", kind::number_or_null},
                {"ci_low", kind::number_or_null},
                {"ci_high", kind::number_or_null},
                {"met", kind::flag_or_null}},
               errors);
    if (one.is_object() && one.contains("goal_is") && one["goal_is"] != "at least" && one["goal_is"] != "at most") {
      errors.push_back(fmt::format("{}.goal_is is neither \"at least\" nor \"at most\"", where));
    }
    if (one.is_object() && one.contains("id") && one["id"].is_string() &&
        !ids.insert(one["id"].get<std::string>()).second) {
      errors.push_back(fmt::format("{}.id \"{}\" is there twice", where, one["id"].get<std::string>()));
    }
  }
  return errors;
}

}  // namespace pilfer::lab
