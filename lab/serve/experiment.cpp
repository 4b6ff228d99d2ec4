#include "lab/serve/experiment.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/run_log.hpp"
#include "lab/serve/process.hpp"
#include "lab/serve/wrk.hpp"
#include "tools/serve/descriptors.hpp"

namespace pilfer::lab::experiments {
namespace {

using serve::contestant;
using std::chrono::milliseconds;

constexpr std::size_t workers = 2;

// A server that runs, and what was found out about it, a sample per repetition.
class running_server {
 public:
  explicit running_server(const contestant& who) : who_(who), program_(who.command) {
    constexpr std::string_view greeting = "listening on ";
    const std::string line = program_.read_line();
    if (!line.starts_with(greeting)) throw std::runtime_error(fmt::format("{} said '{}'", who.name, line));
    address_ = line.substr(greeting.size());
  }

  void warm_up(int connections, milliseconds how_long) {
    all_requests_ += serve::run_wrk(address_, connections, how_long).requests;
  }
  // Requests per second.
  double load(int connections, milliseconds how_long) {
    const double before = program_.processor_seconds();
    const serve::process::context_switches switches = program_.switches();
    const serve::load_result found = serve::run_wrk(address_, connections, how_long);
    const double used = program_.processor_seconds() - before;
    const serve::process::context_switches now = program_.switches();
    costs_.add({now.voluntary - switches.voluntary, now.involuntary - switches.involuntary, std::nullopt});
    all_requests_ += found.requests;
    measured_requests_ += found.requests;
    processor_us_.push_back(used * 1e6 / static_cast<double>(found.requests));
    median_us_.push_back(found.median_us);
    slowest_us_.push_back(found.slowest_us);
    return found.per_second;
  }

  // Ends the server.
  std::vector<row> rows(int connections, std::vector<double> requests_per_second) {
    const auto row_for = [&](const char* what, const char* unit, std::vector<double> samples) {
      return row{.suite = serve::suite_name,
                 .name = fmt::format("{}/{}", what, connections),
                 .impl = who_.name,
                 .params = {{"connections", connections}, {"workers", workers}},
                 .unit = unit,
                 .samples = std::move(samples),
                 .ratio_to_sequential = {}};
    };
    const auto repetitions = static_cast<double>(requests_per_second.size());
    std::vector<row> all;
    all.push_back(row_for(serve::requests_row, "requests/s", std::move(requests_per_second)));
    json& extra = all.back().extra;
    costs_.write_to(extra);
    program_.signal(SIGTERM);
    if (const auto stolen = serve::parse_stolen(program_.read_to_end()); stolen && all_requests_ != 0) {
      // Said of all requests together: the share of a repetition.
      const double share = static_cast<double>(measured_requests_) / static_cast<double>(all_requests_) / repetitions;
      extra["tasks_stolen"] = std::round(static_cast<double>(stolen->tasks) * share);
      extra["io_continuations_stolen"] = std::round(static_cast<double>(stolen->io_continuations) * share);
    }
    all.push_back(row_for(serve::processor_row, "us/request", std::move(processor_us_)));
    all.push_back(row_for(serve::median_row, "us", std::move(median_us_)));
    all.push_back(row_for(serve::slowest_row, "us", std::move(slowest_us_)));
    return all;
  }

 private:
  const contestant who_;
  serve::process program_;
  std::string address_;
  run_log costs_;
  std::uint64_t all_requests_ = 0;  // with those of the warm-up
  std::uint64_t measured_requests_ = 0;
  std::vector<double> processor_us_;
  std::vector<double> median_us_;
  std::vector<double> slowest_us_;
};

// A contestant in a run: one of ours must not fail, a peer may, and then it is out.
class entrant {
 public:
  explicit entrant(const contestant& who) : who_(who) {}

  // What `call` returns, or nothing if a peer has failed, now or before.
  template <class Call>
  double try_to(Call&& call) {
    if (!why_out_.empty()) return 0;
    try {
      return call();
    } catch (const std::runtime_error& error) {
      if (!who_.is_peer) throw;
      why_out_ = fmt::format("{}: left out: {}", who_.name, error.what());
      server_.reset();
      return 0;
    }
  }
  void start(int connections, milliseconds warm_up) {
    try_to([&] {
      server_ = std::make_unique<running_server>(who_);
      server_->warm_up(connections, warm_up);
      return 0.0;
    });
  }
  double load(int connections, milliseconds how_long) {
    return try_to([&] { return server_->load(connections, how_long); });
  }
  void finish(int connections, std::vector<double> samples, findings& into) {
    if (why_out_.empty()) {
      for (row& one : server_->rows(connections, std::move(samples))) into.rows.push_back(std::move(one));
    } else {
      into.notes.push_back(why_out_);
    }
  }

 private:
  const contestant who_;
  std::unique_ptr<running_server> server_;
  std::string why_out_;
};

findings measure(const std::vector<contestant>& who, int connections, const settings& given) {
  findings found;
  const std::string version = serve::wrk_version();
  if (version.empty()) {
    found.notes.emplace_back("wrk: not installed (lab/setup-peers)");
    return found;
  }
  found.versions["wrk"] = version;
  pilfer::serve::raise_descriptor_limit();  // for wrk and the servers, which inherit it
  const milliseconds how_long = by_effort(given, milliseconds(200), milliseconds(500), milliseconds(5000));
  const milliseconds warm_up = by_effort(given, milliseconds(200), milliseconds(200), milliseconds(1000));
  const std::size_t repetitions = by_effort<std::size_t>(given, 1, 5, 15);
  std::vector<std::unique_ptr<entrant>> entrants;
  std::vector<contender> contenders;
  for (const contestant& one : who) {
    if (one.command.empty()) {
      found.notes.push_back(fmt::format("{}: {}", one.name, one.why_missing));
      continue;
    }
    if (!one.version.empty()) found.versions[one.name] = one.version;
    entrants.push_back(std::make_unique<entrant>(one));
    entrant* const next = entrants.back().get();
    next->start(connections, warm_up);
    contenders.push_back({one.name, [=] { return next->load(connections, how_long); }});
  }
  sample_matrix samples = run_interleaved(contenders, repetitions, fmt::format("{} connections", connections));
  for (std::size_t i = 0; i < entrants.size(); ++i) entrants[i]->finish(connections, std::move(samples[i]), found);
  return found;
}

std::vector<part> parts_of(const std::vector<contestant>& who, const settings& given) {
  std::vector<part> all;
  all.reserve(serve::connections.size());
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
