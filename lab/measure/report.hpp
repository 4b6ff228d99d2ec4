// What a benchmark found, and its form as JSON: schema "pilfer.bench/1", described in docs/json-schema.md.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/machine.hpp"
#include "lab/measure/statistics.hpp"

namespace pilfer::lab {

inline constexpr const char* bench_schema = "pilfer.bench/1";

using json = nlohmann::ordered_json;  // keys stay in the order of the documentation

// One thing measured: samples of one implementation under one set of parameters.
struct row {
  std::string suite;  // "queues"
  std::string name;   // what was measured: "alone/8192x8"
  std::string impl;   // by whom: "bwos-lifo"
  json params = json::object();
  std::string unit;                               // of the samples: "ns/op"
  std::vector<double> samples;                    // one per repetition, in order; not empty
  std::optional<estimate> ratio_to_sequential{};  // throughput relative to the plain sequential structure
  json extra = json::object();                    // further keys of the row; none of those above
};

// On which side of its goal a figure should lie.
enum class goal_side : unsigned char { at_least, at_most };

// One figure that an issue or a paper names.
struct claim {
  std::string id;
  std::string text;
  std::optional<double> paper{};       // what the paper printed
  std::optional<double> goal{};        // without one the claim is only a reference
  std::optional<estimate> measured{};  // none: it could not be measured; the note says why
  std::string note{};
  goal_side goal_is = goal_side::at_least;  // such a goal
  std::string suite{};                      // of the rows it is judged by; empty where a report has only one

  [[nodiscard]] std::optional<bool> met() const;
};

// A claim whose figure should not be above the goal.
[[nodiscard]] claim at_most(const char* id, const char* text, double goal);

struct report {
  machine on;
  std::vector<row> rows;
  std::vector<claim> claims;

  void add(std::vector<row> more);
};

[[nodiscard]] json to_json(const row& r);
[[nodiscard]] json to_json(const claim& c);
[[nodiscard]] json to_json(const machine& m);
// Numbers have six significant digits.
[[nodiscard]] json to_json(const report& r);

// Six significant digits, also of the elements of an array; null for what is no number.
[[nodiscard]] json rounded(const json& value);

// One row or claim per line, so that the file can be searched and compared; ends with '\n'. `more`: further keys of the
// document; of an array an element per line.
[[nodiscard]] std::string json_text(const report& r, const json& more = json::object());

// A table of paper, goal, measured, met or missed; then the notes.
[[nodiscard]] std::string claims_text(const std::vector<claim>& claims);

// "lifo_alone 0.97 [0.96, 0.98], goal 0.95: met"; empty for a claim that has no goal or was not measured.
[[nodiscard]] std::string verdict_line(const claim& c);

// The other way round, of a document without schema errors. What was rounded stays rounded.
[[nodiscard]] row row_from_json(const json& j);
[[nodiscard]] claim claim_from_json(const json& j);
[[nodiscard]] machine machine_from_json(const json& j);

// What is wrong with a document that should follow the schema; empty if nothing.
[[nodiscard]] std::vector<std::string> schema_errors(const json& document);

}  // namespace pilfer::lab
