#include "lab/queues/experiment_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "lab/queues/bench_queues.hpp"

namespace pilfer::lab::queues {
namespace {

constexpr double ns_per_us = 1e3;  // an operation per microsecond is a million a second

}  // namespace

std::vector<const implementation*> available(const std::vector<std::string>& names, experiments::findings& into) {
  std::set<std::string> wanted(names.begin(), names.end());
  for (const std::string& name : names) wanted.insert(find_implementation(name)->baseline);
  std::vector<const implementation*> list;
  for (const implementation& one : implementations()) {
    if (!names.empty() && !wanted.contains(one.name)) continue;
    if (one.make) {
      list.push_back(&one);
    } else {
      into.notes.push_back(fmt::format("{}: {}", one.name, why_unavailable(one.name)));
    }
  }
  if (const std::string version = eigen_version(); !version.empty()) into.versions["eigen"] = version;
  return list;
}

std::vector<row> under(const char* experiment, std::vector<row> rows) {
  for (row& one : rows) one.suite = experiment;
  return rows;
}

std::vector<row> under(const char* experiment, std::size_t thieves, std::vector<row> rows) {
  for (row& one : rows) one.name = fmt::format("thieves-{}{}", thieves, one.name.substr(one.name.find('/')));
  return under(experiment, std::move(rows));
}

std::string share_name(std::size_t thieves, double share) {
  return fmt::format("thieves-{}/{:.0f}%", thieves, share * 100);
}

std::string frequency_name(std::size_t thieves, std::uint64_t hz) {
  return fmt::format("thieves-{}/{}hz", thieves, hz);
}

std::string thieves_text(std::size_t thieves) {
  return fmt::format("{} {}", thieves, thieves == 1 ? "thief" : "thieves");
}

std::vector<double> owners_throughput(const row& r) {
  std::vector<double> values;
  values.reserve(r.samples.size());
  for (const double ns : r.samples) values.push_back(ns_per_us / ns);
  return values;
}

std::vector<double> thieves_throughput(const row& r) {
  return r.extra.value("stolen_per_us", std::vector<double>(r.samples.size(), 0.0));
}

std::vector<double> total_throughput(const row& r) {
  std::vector<double> values = owners_throughput(r);
  const std::vector<double> stolen = thieves_throughput(r);
  for (std::size_t i = 0; i < std::min(values.size(), stolen.size()); ++i) values[i] += stolen[i];
  return values;
}

claim not_shown(claim of, std::string_view why) {
  of.measured.reset();
  of.note = experiments::cannot_be_shown(why);
  return of;
}

std::vector<claim> fifo_over_absent_queues(const figures_of_001& papers, std::string_view suffix,
                                           std::string_view when) {
  const auto over = [&](const char* id, const char* whose, double paper, std::string_view why) {
    return not_shown({.id = fmt::format("fifo_vs_{}{}", id, suffix),
                      .text = fmt::format("FIFO BWoS / {}, {}", whose, when),
                      .paper = paper,
                      .goal = 1},
                     why);
  };
  return {
      over("bbq", "BBQ", papers.bbq, "there is no BBQ here: Debian has none, and we have not written one"),
      over("tokio", "Tokio's queue", papers.tokio, tokio_is_private),
      over("go", "Go's queue", papers.go,
           "Go's queue is private to its runtime and cannot be run by itself; `peers` compares whole programs"),
  };
}

std::vector<claim> with_reasons(std::vector<claim> claims) {
  for (claim& one : claims) {
    if (one.measured) continue;
    const std::string why = one.note.empty() ? "it was not measured" : one.note;
    one = not_shown(std::move(one), why);
  }
  return claims;
}

page::point point_of(double x, const std::vector<double>& values) {
  const estimate middle = median_estimate(values);
  return {.x = x, .category = {}, .y = middle.value, .low = middle.low, .high = middle.high, .samples = {}};
}

page::point point_of(std::string category, const std::vector<double>& values) {
  page::point point = point_of(0, values);
  point.category = std::move(category);
  return point;
}

std::vector<std::string> implementations_in(const std::vector<row>& rows, std::string_view suite,
                                            std::string_view prefix) {
  std::vector<std::string> names;
  for (const row& one : rows) {
    if (one.suite == suite && one.name.starts_with(prefix) && std::ranges::find(names, one.impl) == names.end()) {
      names.push_back(one.impl);
    }
  }
  return names;
}

}  // namespace pilfer::lab::queues
