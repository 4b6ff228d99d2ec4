#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "claim_by_id.hpp"
#include "lab/serve/experiment.hpp"
#include "lab/serve/process.hpp"
#include "lab/serve/wrk.hpp"

namespace pilfer::lab::experiments {
namespace {

row made_up_served(const std::string& what, int connections, const char* impl, std::vector<double> samples) {
  return {.suite = "serve",
          .name = what + "/" + std::to_string(connections),
          .impl = impl,
          .params = {{"connections", connections}},
          .unit = "x",
          .samples = std::move(samples),
          .ratio_to_sequential = {}};
}

// Ratios of requests 2, 1.5, 1.1, 1.2; of processor time 0.5, 0.9, 0.95, 0.7.
std::vector<row> all_made_up() {
  std::vector<row> rows;
  const double faster[] = {2, 1.5, 1.1, 1.2};
  const double cheaper[] = {0.5, 0.9, 0.95, 0.7};
  for (std::size_t i = 0; i < serve::connections.size(); ++i) {
    const int n = serve::connections[i];
    rows.push_back(made_up_served("requests", n, "hyper", {100, 200, 400}));
    rows.push_back(made_up_served("requests", n, "pilfer", {100 * faster[i], 200 * faster[i], 400 * faster[i]}));
    rows.push_back(made_up_served("processor", n, "hyper", {10, 20, 40}));
    rows.push_back(made_up_served("processor", n, "pilfer", {10 * cheaper[i], 20 * cheaper[i], 40 * cheaper[i]}));
    for (const char* latency : {"median", "slowest"}) {
      rows.push_back(made_up_served(latency, n, "hyper", {100, 100, 100}));
      rows.push_back(made_up_served(latency, n, "pilfer", {80, 90, 85}));
    }
  }
  return rows;
}

TEST(serve_claims, are_the_worst_of_all_connections) {
  const auto claims = serve_claims(all_made_up(), {});
  const claim& requests = by_id(claims, "serve_vs_hyper");
  EXPECT_NEAR(requests.measured.value().value, 1.1, 1e-9);
  EXPECT_EQ(requests.met(), true);
  EXPECT_NE(requests.note.find("1000: 1.20"), std::string::npos) << requests.note;
  const claim& processor = by_id(claims, "serve_cpu_vs_hyper");
  EXPECT_NEAR(processor.measured.value().value, 0.95, 1e-9);
  EXPECT_EQ(processor.met(), true);
  EXPECT_NEAR(by_id(claims, "serve_latency_vs_hyper").measured.value().value, 0.85, 1e-9);
  EXPECT_FALSE(by_id(claims, "serve_latency_vs_hyper").goal);
}

TEST(serve_claims, have_the_figures_of_001_beside_them) {
  const auto claims = serve_claims({}, {});
  EXPECT_EQ(by_id(claims, "serve_vs_hyper").paper, 1.123);
  EXPECT_EQ(by_id(claims, "serve_cpu_vs_hyper").paper, 0.391);
  EXPECT_EQ(by_id(claims, "serve_latency_vs_hyper").paper, 0.933);
}

TEST(serve_claims, can_be_missed) {
  std::vector<row> rows = all_made_up();
  for (row& r : rows) {
    if (r.impl == "pilfer" && r.name == "requests/100") r.samples = {90, 190, 390};
    if (r.impl == "pilfer" && r.name == "processor/1") r.samples = {11, 22, 44};
  }
  const auto claims = serve_claims(rows, {});
  EXPECT_EQ(by_id(claims, "serve_vs_hyper").met(), false);
  EXPECT_EQ(by_id(claims, "serve_cpu_vs_hyper").met(), false);
}

TEST(serve_claims, say_why_they_cannot_be_shown) {
  std::vector<row> rows = all_made_up();
  std::erase_if(rows, [](const row& r) { return r.impl == "hyper" && r.name.ends_with("/1000"); });
  for (const auto& some : {rows, std::vector<row>()}) {
    for (const claim& c : serve_claims(some, {})) {
      EXPECT_FALSE(c.measured) << c.id;
      EXPECT_EQ(c.note.find("cannot be shown on this machine: "), 0U) << c.note;
    }
  }
}

TEST(serve_charts, show_both_servers) {
  std::set<std::string> ids;
  for (const page::chart& c : serve_charts(all_made_up())) {
    EXPECT_TRUE(ids.insert(c.id).second) << c.id;
    ASSERT_EQ(c.lines_or_groups.size(), 2U);
    for (const page::series& s : c.lines_or_groups) EXPECT_EQ(s.points.size(), serve::connections.size());
  }
  EXPECT_EQ(ids.size(), 4U);
  EXPECT_TRUE(serve_charts({}).empty());
}

constexpr const char* wrk_text =
    "Running 1s test @ http://127.0.0.1:1/\n  1 threads and 10 connections\n"
    "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   325.37us  795.30us  12.04ms   94.55%\n"
    "    Req/Sec    37.06k     6.69k   42.23k    80.00%\n  Latency Distribution\n     50%  158.00us\n     75%  "
    "189.00us\n"
    "     90%  256.00us\n     99%    4.47ms\n  18420 requests in 499.68ms, 2.46MB read\n";

TEST(wrk, is_understood) {
  const serve::load_result found =
      serve::parse_wrk(std::string(wrk_text) + "Requests/sec:  36863.81\nTransfer/sec:      4.92MB\n");
  EXPECT_EQ(found.requests, 18420U);
  EXPECT_DOUBLE_EQ(found.per_second, 36863.81);
  EXPECT_DOUBLE_EQ(found.median_us, 158);
  EXPECT_DOUBLE_EQ(found.slowest_us, 4470);
}

TEST(wrk, must_have_been_answered) {
  for (const char* end : {"", "Requests/sec:  0.00\n",
                          "  Socket errors: connect 0, read 1, write 0, timeout 0\nRequests/sec:  36863.81\n",
                          "  Non-2xx or 3xx responses: 7\nRequests/sec:  36863.81\n"}) {
    EXPECT_THROW(static_cast<void>(serve::parse_wrk(std::string(wrk_text) + end)), std::runtime_error) << end;
  }
  EXPECT_THROW(static_cast<void>(serve::parse_wrk("unable to connect to 127.0.0.1:1 Connection refused\n")),
               std::runtime_error);
}

TEST(process, is_heard_and_ended) {
  serve::process child({"sh", "-c", "echo hello; while :; do :; done"});
  EXPECT_EQ(child.read_line(), "hello");
  const double before = child.processor_seconds();
  while (child.processor_seconds() <= before) std::this_thread::yield();
  child.signal(SIGTERM);
  EXPECT_EQ(child.read_to_end(), "");
}

TEST(process, is_sent_a_signal_until_it_ends) {
  // The first two are not enough, as with a program that does not sleep yet.
  serve::process stubborn(
      {"sh", "-c",
       "n=0; trap 'n=$((n+1)); [ $n -lt 3 ] || { trap \"\" INT; echo $n; exit; }' INT; while :; do sleep 0.01; done"});
  ASSERT_TRUE(stubborn.await_handler(SIGINT));
  EXPECT_EQ(stubborn.read_to_end(SIGINT), "3\n");
  serve::process gone({"true"});
  EXPECT_EQ(gone.read_to_end(), "");
  EXPECT_FALSE(gone.await_handler(SIGINT)) << "it has none, and does not get one any more";
}

TEST(process, counts_context_switches) {
  serve::process child({"sh", "-c", "echo hello; while :; do sleep 0.001; done"});
  EXPECT_EQ(child.read_line(), "hello");
  const auto before = child.switches();
  while (child.switches().voluntary <= before.voluntary + 3) std::this_thread::yield();
  EXPECT_GE(child.switches().involuntary, before.involuntary);
}

TEST(stolen, is_what_the_server_says_last) {
  const auto found = serve::parse_stolen(
      "1 requests on 1 connections in 0.1 s\ntasks stolen: 17; continuations of I/O stolen: 4 of 20\n");
  EXPECT_EQ(found, (serve::stolen_counts{17, 4}));
  EXPECT_EQ(serve::parse_stolen(""), std::nullopt);
  EXPECT_EQ(serve::parse_stolen("tasks stolen: many; continuations of I/O stolen: 4"), std::nullopt);
}

TEST(process, that_cannot_be_started_says_so) {
  EXPECT_THROW(serve::process({"/nonexistent/program"}), std::system_error);
  serve::process silent({"true"});
  EXPECT_THROW(static_cast<void>(silent.read_line()), std::runtime_error);
}

TEST(serve_experiment, notes_what_is_missing) {
  const experiment all = serve_experiment();  // this program is no server
  const settings given{.how = effort::tiny, .processors = 2};
  const std::vector<part> parts = all.parts(given);
  ASSERT_EQ(parts.size(), serve::connections.size());
  const experiment none = serve_experiment({{.name = "pilfer", .command = {}, .why_missing = "a test"}});
  const findings found = none.parts(given).front().run();
  EXPECT_TRUE(found.rows.empty());
  ASSERT_FALSE(found.notes.empty());
  EXPECT_TRUE(found.notes.back() == "pilfer: a test" || found.notes.back().starts_with("wrk: ")) << found.notes.back();
}

// Says where it listens, and nobody does: wrk cannot connect.
std::vector<std::string> deaf_server() { return {"sh", "-c", "echo listening on 127.0.0.1:1; sleep 1000"}; }

TEST(serve_experiment, refuses_a_server_that_says_something_else) {
  if (serve::wrk_version().empty()) GTEST_SKIP() << "wrk is not installed";
  for (const std::vector<std::string>& command : {std::vector<std::string>{"echo", "hello"}, deaf_server()}) {
    const experiment odd = serve_experiment({{.name = "odd", .command = command}});
    EXPECT_THROW(static_cast<void>(odd.parts({.how = effort::tiny, .processors = 2}).front().run()),
                 std::runtime_error);
  }
}

TEST(serve_experiment, notes_a_peer_that_fails) {
  if (serve::wrk_version().empty()) GTEST_SKIP() << "wrk is not installed";
  for (const std::vector<std::string>& command : {std::vector<std::string>{"echo", "hello"}, deaf_server()}) {
    const experiment odd = serve_experiment({{.name = "odd", .command = command, .is_peer = true}});
    const findings found = odd.parts({.how = effort::tiny, .processors = 2}).front().run();
    EXPECT_TRUE(found.rows.empty());
    ASSERT_EQ(found.notes.size(), 1U);
    EXPECT_TRUE(found.notes.front().starts_with("odd: left out: ")) << found.notes.front();
  }
}

}  // namespace
}  // namespace pilfer::lab::experiments
