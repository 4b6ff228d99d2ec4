// What a run of the lab has found so far, and its form as JSON: a report of schema "pilfer.bench/1" with the keys `lab` and
// `experiments` besides, described in docs/json-schema.md.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "lab/measure/report.hpp"

namespace pilfer::lab::experiments {

// A part that has ended.
struct part_record {
  std::string name;
  std::string began;  // UTC, ISO 8601
  double seconds = 0;
  double load_average = 0;  // when it began
  double disturbed = 0;     // share of all processors' time that others used or the hypervisor took meanwhile
  std::vector<std::string> notes{};
  std::vector<row> rows{};
  std::vector<claim> claims{};
};

struct experiment_record {
  std::string name;
  std::size_t planned = 0;  // parts
  std::vector<part_record> parts{};

  [[nodiscard]] bool complete() const noexcept { return planned > 0 && parts.size() == planned; }
  [[nodiscard]] double seconds() const noexcept;
  [[nodiscard]] bool has_part(std::string_view part) const noexcept;
  [[nodiscard]] std::vector<row> rows() const;
  // Each once, in order.
  [[nodiscard]] std::vector<std::string> notes() const;
};

struct results {
  machine on;
  settings given;
  std::vector<experiment_record> experiments{};

  [[nodiscard]] bool complete() const noexcept;
  // Null if there is none of that name.
  [[nodiscard]] experiment_record* find(std::string_view name) noexcept;
  [[nodiscard]] const experiment_record* find(std::string_view name) const noexcept;
  // Of all parts, weighed by how long they took.
  [[nodiscard]] double disturbed() const noexcept;
};

// What its rows show; of an experiment that this version does not know, what the parts said themselves.
[[nodiscard]] std::vector<claim> claims_of(const experiment_record& one, const settings& given);
[[nodiscard]] std::vector<claim> claims_of(const experiment& what, const experiment_record& one, const settings& given);
// Of all experiments, in order.
[[nodiscard]] std::vector<claim> claims_of(const results& all);

[[nodiscard]] const char* name_of(effort how) noexcept;

// Judging takes a moment: confidence intervals of everything. While a run goes on its claims can wait; what parts have
// claimed themselves is always there.
enum class claims_are : unsigned char { judged, to_be_judged };

// One row or claim per line; ends with '\n'.
[[nodiscard]] std::string json_text(const results& all, claims_are how = claims_are::judged);

// A file that cannot be read or is not what it should be; the text names the file and the place.
class damaged_results : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

//   Throws  damaged_results.
[[nodiscard]] results read_results(const std::string& path);

}  // namespace pilfer::lab::experiments
