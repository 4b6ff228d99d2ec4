#include "lab/serve/experiment.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/serve/process.hpp"
#include "lab/serve/wrk.hpp"

namespace pilfer::lab::experiments {
namespace {

using serve::contestant;
using std::chrono::milliseconds;

constexpr std::size_t workers = 2;

// A server that runs, and what was found out about it, a sample per repetition.
class running_server {
 public:
  explicit running_server(const contestant& who) : program_(who.command) {
    constexpr std::string_view greeting = "listening on ";
    const std::string line = program_.read_line();
    if (!line.starts_with(greeting)) throw std::runtime_error(fmt::format("{} said '{}'", who.name, line));
    address_ = line.substr(greeting.size());
  }

  // Requests per second.
  double load(int connections, milliseconds how_long) {
    const double before = program_.processor_seconds();
    const serve::load_result found = serve::run_wrk(address_, connections, how_long);
    const double used = program_.processor_seconds() - before;
    processor_us.push_back(used * 1e6 / static_cast<double>(found.requests));
    median_us.push_back(found.median_us);
    slowest_us.push_back(found.slowest_us);
    return found.per_second;
  }
  void forget() {
    processor_us.clear();
    median_us.clear();
    slowest_us.clear();
  }

  std::vector<double> processor_us;
  std::vector<double> median_us;
  std::vector<double> slowest_us;

 private:
  serve::process program_;
  std::string address_;
};

row row_for(const char* what, int connections, const contestant& who, const char* unit, std::vector<double> samples) {
  return {.suite = serve::suite_name,
          .name = fmt::format("{}/{}", what, connections),
          .impl = who.name,
          .params = {{"connections", connections}, {"workers", workers}},
          .unit = unit,
          .samples = std::move(samples),
          .ratio_to_sequential = {}};
}

findings measure(const std::vector<contestant>& who, int connections, const settings& given) {
  findings found;
  const std::string version = serve::wrk_version();
  if (version.empty()) {
    found.notes.emplace_back("wrk: not installed (lab/setup-peers)");
    return found;
  }
  found.versions["wrk"] = version;
  const milliseconds how_long = by_effort(given, milliseconds(30), milliseconds(500), milliseconds(5000));
  const milliseconds warm_up = by_effort(given, milliseconds(10), milliseconds(200), milliseconds(1000));
  const std::size_t repetitions = by_effort<std::size_t>(given, 1, 5, 15);
  std::vector<const contestant*> there;
  std::vector<std::unique_ptr<running_server>> servers;
  std::vector<contender> contenders;
  for (const contestant& one : who) {
    if (one.command.empty()) {
      found.notes.push_back(fmt::format("{}: {}", one.name, one.why_missing));
      continue;
    }
    if (!one.version.empty()) found.versions[one.name] = one.version;
    servers.push_back(std::make_unique<running_server>(one));
    running_server* const server = servers.back().get();
    static_cast<void>(server->load(connections, warm_up));
    server->forget();
    there.push_back(&one);
    contenders.push_back({one.name, [=] { return server->load(connections, how_long); }});
  }
  const sample_matrix samples = run_interleaved(contenders, repetitions, fmt::format("{} connections", connections));
  for (std::size_t i = 0; i < there.size(); ++i) {
    running_server& server = *servers[i];
    found.rows.push_back(row_for(serve::requests_row, connections, *there[i], "requests/s", samples[i]));
    found.rows.push_back(
        row_for(serve::processor_row, connections, *there[i], "us/request", std::move(server.processor_us)));
    found.rows.push_back(row_for(serve::median_row, connections, *there[i], "us", std::move(server.median_us)));
    found.rows.push_back(row_for(serve::slowest_row, connections, *there[i], "us", std::move(server.slowest_us)));
  }
  return found;
}

std::vector<part> parts_of(const std::vector<contestant>& who, const settings& given) {
  std::vector<part> all;
  for (const int connections : serve::connections) {
    all.push_back(
        {.name = fmt::format("{} connections", connections), .run = [=] { return measure(who, connections, given); }});
  }
  return all;
}

}  // namespace

experiment serve_experiment(std::vector<contestant> who) {
  return {.name = serve::suite_name,
          .title = "An echo server, beside Hyper on Tokio",
          .source = "001, section 6.3: Hyper",
          .summary =
              "`pilfer serve` on FIFO BWoS and an echo server on Hyper and Tokio, each with two workers, are asked by "
              "wrk on the "
              "same processors, one after the other: a small POST at a time on 1 to 1000 connections. 001 put BWoS "
              "into Tokio and "
              "saw 12.3 % more requests per second from Hyper, and 6.74 % less latency.",
          .parts = [who = std::move(who)](const settings& given) { return parts_of(who, given); },
          .claims = serve_claims,
          .charts = serve_charts,
          .quick_seconds = 28};
}

experiment serve_experiment() { return serve_experiment({serve::own_server(workers), serve::hyper_server(workers)}); }

}  // namespace pilfer::lab::experiments
