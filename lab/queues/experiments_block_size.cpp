// `block-size`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "lab/queues/experiment_tools.hpp"
#include "lab/queues/experiments.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace queues;
using std::chrono::milliseconds;

constexpr const char* block_size_name = "block-size";
constexpr double stolen = 0.10;
constexpr std::array<std::size_t, 6> block_sizes = {8, 16, 32, 64, 128, 256};
constexpr std::array<const char*, 2> block_queues = {"bwos-lifo", "bwos-fifo"};

std::string name_of(const std::string& queue, std::size_t entries) { return fmt::format("{}/{}", queue, entries); }

geometry cut_into(std::size_t entries) { return {.blocks = capacity_of(large_geometry) / entries, .entries = entries}; }

// The same queue once for each block size, whatever geometry the experiment names: so all of them take turns in one run.
std::vector<implementation> by_block_size() {
  std::vector<implementation> list;
  for (const char* const queue : block_queues) {
    const implementation& whole = *find_implementation(queue);
    for (const std::size_t entries : block_sizes) {
      implementation one = whole;
      one.name = name_of(queue, entries);
      one.make = [make = whole.make, entries](const geometry& /*named*/) { return make(cut_into(entries)); };
      list.push_back(std::move(one));
    }
  }
  return list;
}

std::vector<row> with_real_geometry(std::vector<row> rows) {
  for (row& one : rows) {
    for (const std::size_t entries : block_sizes) {
      if (!one.impl.ends_with(fmt::format("/{}", entries))) continue;
      one.params["blocks"] = cut_into(entries).blocks;
      one.params["block_entries"] = entries;
    }
  }
  return rows;
}

findings measure_block_size(const settings& given, bool with_thief) {
  const std::vector<implementation> cut = by_block_size();
  std::vector<const implementation*> who;
  for (const char* const baseline : {"seq-stack", "seq-ring"}) who.push_back(find_implementation(baseline));
  for (const implementation& one : cut) who.push_back(&one);
  findings found;
  if (with_thief) {
    found.rows =
        under(block_size_name, 1,
              rows_of(measure_thieves(large_geometry, who,
                                      {.thieves = 1,
                                       .shares = {stolen},
                                       .sample = by_effort(given, milliseconds(1), milliseconds(5), milliseconds(10)),
                                       .repetitions = by_effort<std::size_t>(given, 1, 37, 201)})));
  } else {
    found.rows =
        under(block_size_name, rows_of(measure_alone(large_geometry, who, by_effort<std::size_t>(given, 1, 101, 201))));
  }
  found.rows = with_real_geometry(std::move(found.rows));
  return found;
}

std::vector<part> block_size_parts(const settings& given) {
  return {{"alone", [given] { return measure_block_size(given, false); }},
          {"one thief, 10 % stolen", [given] { return measure_block_size(given, true); }}};
}

// Slowest over fastest block size of one queue, by the owner's median time.
struct spread {
  const row* fastest = nullptr;
  const row* slowest = nullptr;
  std::string missing;  // why there is none

  [[nodiscard]] estimate ratio() const { return paired_ratio(slowest->samples, fastest->samples); }
};

spread spread_of(const char* queue, const std::string& name, bool with_thief, const suite_rows& rows) {
  spread found;
  for (const std::size_t entries : block_sizes) {
    const row* const one = rows.find(name, name_of(queue, entries));
    if (one == nullptr) return {nullptr, nullptr, fmt::format("{} was not measured", name_of(queue, entries))};
    if (const std::string why = with_thief ? why_not_shown(*one, stolen) : ""; !why.empty()) {
      return {nullptr, nullptr, fmt::format("{}: {}", one->impl, why)};
    }
    const double time = median(one->samples);
    if (found.fastest == nullptr || time < median(found.fastest->samples)) found.fastest = one;
    if (found.slowest == nullptr || time > median(found.slowest->samples)) found.slowest = one;
  }
  return found;
}

claim sensitivity(const char* id, const char* text, std::optional<double> paper, const std::string& name,
                  bool with_thief, const suite_rows& rows) {
  claim result{
      .id = id, .text = text, .paper = paper, .goal = 1.10, .measured = {}, .note = {}, .goal_is = goal_side::at_most};
  std::vector<std::string> notes;
  for (const char* const queue : block_queues) {
    const spread found = spread_of(queue, name, with_thief, rows);
    if (!found.missing.empty()) return not_shown(result, found.missing);
    const estimate ratio = found.ratio();
    notes.push_back(fmt::format("{} over {} {:.3f}", found.slowest->impl, found.fastest->impl, ratio.value));
    if (!result.measured || ratio.value > result.measured->value) result.measured = ratio;
  }
  result.note = fmt::format("{}; the worse of the two counts", fmt::join(notes, ", "));
  return result;
}

std::string alone_name() { return std::string(alone_claims_name); }
std::string thief_name() { return share_name(1, stolen); }

std::vector<claim> block_size_claims(const std::vector<row>& all, const settings& /*given*/) {
  const suite_rows rows(all, block_size_name);
  return {
      sensitivity("block_size_sensitivity", "slowest over fastest block size, 8 to 256 entries, owner's time, alone",
                  65, alone_name(), false, rows),
      sensitivity("block_size_sensitivity_thief",
                  "slowest over fastest block size, 8 to 256 entries, owner's time, 10 % stolen", {}, thief_name(),
                  true, rows),
  };
}

page::chart against_block_size(const suite_rows& rows, const std::string& name, const char* id, const char* title) {
  page::chart chart{.id = fmt::format("{}-{}", block_size_name, id),
                    .title = title,
                    .caption =
                        "8192 entries in blocks of 8 to 256. 001 saw no difference from blocks of 64 on; in 000 a "
                        "program took 65 times longer with blocks of 64 than with blocks of 8. Our goal is that no "
                        "size takes more than 1.10 times as long as another.",
                    .kind = page::chart_kind::lines,
                    .x = {.label = "entries of a block", .logarithmic = true},
                    .y = {.label = "owner's ns per operation"},
                    .lines_or_groups = {},
                    .reference = {},
                    .reference_label = {}};
  for (const char* const queue : block_queues) {
    page::series line{.name = queue, .points = {}};
    for (const std::size_t entries : block_sizes) {
      const row* const one = rows.find(name, name_of(queue, entries));
      if (one != nullptr) line.points.push_back(point_of(static_cast<double>(entries), one->samples));
    }
    chart.lines_or_groups.push_back(std::move(line));
  }
  const std::string undisturbed = name == thief_name() ? share_name(1, 0) : name;
  if (const row* limit = rows.find(undisturbed, "seq-stack")) {
    chart.reference = median(limit->samples);
    chart.reference_label = "seq-stack";
  }
  return chart;
}

std::vector<page::chart> block_size_charts(const std::vector<row>& all) {
  const suite_rows rows(all, block_size_name);
  std::vector<page::chart> list;
  experiments::add_if_filled(list, against_block_size(rows, alone_name(), "alone", "Block size, the owner alone"));
  experiments::add_if_filled(list, against_block_size(rows, thief_name(), "thief", "Block size, one thief takes 10 %"));
  return list;
}

}  // namespace

experiment block_size_experiment() {
  return {.name = block_size_name,
          .title = "Queues: block size",
          .source = "001 section 6.2; 000 sections 5.2.2 and 5.3.1",
          .summary =
              "LIFO and FIFO BWoS with 8192 entries in blocks of 8 to 256, alone and while a thief takes 10 %. 001 "
              "saw no influence from 8 blocks of 64 on, 000 a factor of 65 in a program. No block size should "
              "matter.",
          .parts = block_size_parts,
          .claims = block_size_claims,
          .charts = block_size_charts};
}

}  // namespace pilfer::lab::experiments
