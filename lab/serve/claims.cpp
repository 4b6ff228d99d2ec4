#include <fmt/format.h>

#include <optional>
#include <string>

#include "lab/experiments/row_query.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/serve/experiment.hpp"

namespace pilfer::lab::experiments {
namespace {

using serve::hyper_name;
using serve::own_name;

const row* row_of(const std::vector<row>& rows, const char* what, int connections, const char* impl) {
  return find_row(rows, fmt::format("{}/{}", what, connections), impl);
}

// pilfer / Hyper; none if one of the two is missing.
std::optional<estimate> ratio_at(const std::vector<row>& rows, const char* what, int connections) {
  const row* const mine = row_of(rows, what, connections, own_name);
  const row* const theirs = row_of(rows, what, connections, hyper_name);
  if (mine == nullptr || theirs == nullptr || mine->samples.size() != theirs->samples.size()) return std::nullopt;
  return paired_ratio(mine->samples, theirs->samples);
}

// The worst over all numbers of connections: below which, or above which, none of them lies.
claim worst(claim of, const std::vector<row>& rows, const char* what) {
  const bool wants_less = of.goal_is == goal_side::at_most;
  for (const int connections : serve::connections) {
    const std::optional<estimate> ratio = ratio_at(rows, what, connections);
    if (!ratio) {
      of.measured.reset();
      of.note = cannot_be_shown(fmt::format("{} connections were not measured with both servers", connections));
      return of;
    }
    const bool is_worse =
        !of.measured || (wants_less ? ratio->value > of.measured->value : ratio->value < of.measured->value);
    if (is_worse) of.measured = ratio;
    of.note += fmt::format("{}{}: {:.2f}", of.note.empty() ? "by connections " : ", ", connections, ratio->value);
  }
  return of;
}

claim at_least(const char* id, const char* text, double goal) {
  claim of = at_most(id, text, goal);
  of.goal_is = goal_side::at_least;
  return of;
}

claim reported(const char* id, const char* text) {
  return {.id = id, .text = text, .paper = {}, .goal = {}, .measured = {}, .note = {}, .goal_is = goal_side::at_most};
}

// 001's figures are of Hyper with BWoS over Hyper with Tokio's own queue.
claim with_paper(claim of, double paper) {
  of.paper = paper;
  return of;
}

page::chart lines(const std::vector<row>& rows, const char* what, const char* title, const char* label,
                  const char* caption) {
  page::chart shown;
  shown.id = fmt::format("serve-{}", what);
  shown.title = title;
  shown.caption = caption;
  shown.kind = page::chart_kind::lines;
  shown.x = {.label = "connections", .logarithmic = true};
  shown.y = {.label = label,
             .logarithmic = std::string(what) == serve::median_row || std::string(what) == serve::slowest_row};
  for (const std::string& impl : each_once(rows, &row::impl)) {
    page::series one{.name = impl, .points = {}};
    for (const int connections : serve::connections) {
      if (const row* const found = row_of(rows, what, connections, impl.c_str()))
        one.points.push_back(point_at(connections, median_estimate(found->samples)));
    }
    shown.lines_or_groups.push_back(std::move(one));
  }
  return shown;
}

}  // namespace

std::vector<claim> serve_claims(const std::vector<row>& rows, const settings& /*given*/) {
  return {
      worst(with_paper(
                at_least("serve_vs_hyper", "requests per second, pilfer / Hyper, worst of 1 to 1000 connections", 1.0),
                1.123),
            rows, serve::requests_row),
      worst(with_paper(at_most("serve_cpu_vs_hyper",
                               "processor time per request, pilfer / Hyper, worst of 1 to 1000 connections", 1.0),
                       0.391),
            rows, serve::processor_row),
      worst(with_paper(
                reported("serve_latency_vs_hyper", "median latency, pilfer / Hyper, worst of 1 to 1000 connections"),
                0.933),
            rows, serve::median_row),
      worst(reported("serve_slowest_vs_hyper",
                     "99th percentile of latency, pilfer / Hyper, worst of 1 to 1000 connections"),
            rows, serve::slowest_row),
  };
}

std::vector<page::chart> serve_charts(const std::vector<row>& rows) {
  std::vector<page::chart> all;
  add_if_filled(all, lines(rows, serve::requests_row, "Requests per second", "requests/s",
                           "wrk and the server share the processors; each server has two workers."));
  add_if_filled(all, lines(rows, serve::processor_row, "Processor time of the server per request", "us/request",
                           "Of all its threads, in the kernel and outside."));
  add_if_filled(
      all,
      lines(rows, serve::median_row, "Median latency", "us",
            "As wrk sees it: with more connections than the server can answer at a time, they wait for each other."));
  add_if_filled(all, lines(rows, serve::slowest_row, "Latency of the slowest hundredth", "us",
                           "The 99th percentile, as wrk sees it."));
  return all;
}

}  // namespace pilfer::lab::experiments
