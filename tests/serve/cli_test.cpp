// `pilfer serve` as a user meets it: its first line, its end, and what it refuses.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "client.hpp"
#include "lab/serve/process.hpp"
#include "tests/cli/run_tool.hpp"
#include "tests/support/watchdog.hpp"

namespace pilfer::serve {
namespace {

using lab::serve::process;
using pilfer::test::has;
using pilfer::test::outcome;
using pilfer::test::run_tool;
using test::client;
using test::get;

class command : public testing::Test {
 protected:
  pilfer::test::watchdog dog_{std::chrono::seconds(120), "pilfer serve"};
};

std::vector<std::string> serve(const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {PILFER_TOOL, "serve", "--port", "0", "--workers", "2"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return arguments;
}

std::uint16_t port_of(process& server) {
  const std::string line = server.read_line();
  EXPECT_TRUE(line.starts_with("listening on 127.0.0.1:")) << line;
  return static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
}

TEST_F(command, serves_until_it_is_told_to_end) {
  for (const int signal : {SIGINT, SIGTERM}) {
    process server(serve({}));
    const std::uint16_t port = port_of(server);
    EXPECT_TRUE(has(server.read_line(), "2 workers, bwos-fifo")) << "the default of an echo server";
    client one(port);
    EXPECT_EQ(one.ask(get("/hello")).body, "/hello");
    EXPECT_EQ(client(port).ask("nonsense\r\n\r\n").code, 400);
    server.signal(signal);
    EXPECT_TRUE(one.is_over());
    const std::string summary = server.read_to_end();
    EXPECT_TRUE(has(summary, "1 requests on 2 connections")) << summary;
    EXPECT_TRUE(has(summary, "2xx: 1; 4xx: 1; malformed: 1")) << summary;
    EXPECT_TRUE(has(summary, "\ntasks stolen: ")) << summary;
    EXPECT_TRUE(has(summary, "; continuations of I/O stolen: ")) << summary;
  }
}

TEST_F(command, cuts_at_the_second_signal) {
  process server(serve({"--grace", "3600"}));
  client slow(port_of(server));
  ASSERT_EQ(slow.ask(get("/1")).body, "/1");
  slow.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo");
  // Two that come together are one.
  EXPECT_TRUE(has(server.read_to_end(SIGINT), "1 requests on 1 connections"));
  EXPECT_TRUE(slow.is_over());
}

TEST_F(command, lets_in_as_many_as_it_has_descriptors_for) {
  std::string line = "ulimit -n 64; exec";
  for (const std::string& word : serve({"--max-connections", "1000"})) line += " '" + word + "'";
  process server({"sh", "-c", line});
  const std::uint16_t port = port_of(server);
  EXPECT_TRUE(has(server.read_line(), "connections at most: ulimit -n"));
  constexpr int many = 80;
  std::vector<client> all;
  int served = 0;
  int turned_away = 0;
  for (int i = 0; i < many; ++i) {
    all.emplace_back(port);
    const int code = all.back().ask(get("/")).code;
    served += code == 200 ? 1 : 0;
    turned_away += code == 503 ? 1 : 0;
  }
  EXPECT_EQ(served + turned_away, many);
  EXPECT_GE(served, 20);
  EXPECT_LT(served, 64);
  EXPECT_EQ(all.front().ask(get("/still")).body, "/still");
  all.clear();
  server.signal(SIGTERM);
  EXPECT_TRUE(has(server.read_to_end(), "turned away: " + std::to_string(turned_away)));
}

std::size_t resident_kilobytes(const process& of) {
  std::ifstream status("/proc/" + std::to_string(of.id()) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  }
  return 0;
}

// Who asks and asks, and takes no answer, fills buffers of the system, and a small one of ours: then nothing more is read.
TEST_F(command, uses_little_memory_for_who_does_not_read) {
  process server(serve({}));
  const std::uint16_t port = port_of(server);
  ASSERT_EQ(client(port).ask(get("/warm")).body, "/warm");
  const std::size_t before = resident_kilobytes(server);
  ASSERT_GT(before, 0U);
  std::string requests;
  while (requests.size() < 40'000'000) requests += get("/" + std::string(1000, 'x'));
  constexpr std::size_t clients = 8;
  std::vector<client> deaf;
  for (std::size_t i = 0; i < clients; ++i) {
    deaf.emplace_back(port, 4096);
    EXPECT_LT(deaf.back().send_what_is_taken(requests, 300), requests.size()) << "not all of it is taken";
  }
  EXPECT_LT(resident_kilobytes(server), before + clients * 1024);
}

TEST_F(command, removes_its_unix_socket) {
  const pilfer::test::scratch_folder folder;
  const std::string path = folder.file("socket");
  for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {  // after SIGKILL it stays, and the next one replaces it
    process server({PILFER_TOOL, "serve", "--address", "unix:" + path});
    EXPECT_EQ(server.read_line(), "listening on unix:" + path);
    server.signal(signal);
    static_cast<void>(server.read_to_end());
    EXPECT_EQ(folder.files().size(), signal == SIGKILL ? 1U : 0U) << signal;
  }
}

TEST_F(command, serves_files_with_every_scheduler_and_backend) {
  const pilfer::test::scratch_folder folder;
  {
    std::FILE* const file = std::fopen(folder.file("a.txt").c_str(), "w");
    std::fputs("content", file);
    std::fclose(file);
  }
  const std::string root = folder.file("");
  for (const char* scheduler : {"bwos-fifo", "default", "ws-chase-lev", "bwos-lifo"}) {
    for (const char* backend : {"auto", "threads"}) {
      process server(serve({"--root", root, "--echo", "--scheduler", scheduler, "--io", backend}));
      client one(port_of(server));
      EXPECT_EQ(one.ask(get("/a.txt")).body, "content");
      EXPECT_EQ(one.ask(test::post("echo")).body, "echo");
    }
  }
}

TEST_F(command, refuses_what_makes_no_sense) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--port", "65536"}, "--port: '65536' is not a whole number from 0 to 65535"},
      {{"--port", "http"}, "--port: 'http'"},
      {{"--address", "localhost"}, "'localhost' is no address"},
      {{"--address", "unix:/tmp/x", "--port", "1"}, "a Unix socket has none"},
      {{"--scheduler", "bogus"}, "there is no 'bogus'; the schedulers are: "},
      {{"--io", "bogus"}, "'bogus' is not auto, uring or threads"},
      {{"--workers", "0"}, "--workers: '0'"},
      {{"--idle-timeout", "0"}, "--idle-timeout: '0' is not a number of seconds"},
      {{"--grace", "soon"}, "--grace: 'soon' is not a number of seconds"},
      {{"--grace", "nan"}, "--grace: 'nan' is not a number of seconds"},
      {{"--max-head", "1000", "--max-line", "1000"}, "--max-line must be below --max-head"},
      {{"--root", ""}, "a folder needs a name"},
      {{"something"}, "does not take 'something'"},
  };
  for (const auto& [options, message] : cases) {
    std::vector<std::string> arguments = {"serve"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const outcome found = run_tool(arguments);
    EXPECT_EQ(found.exit_code, 2) << message;
    EXPECT_TRUE(has(found.err, message)) << found.err;
    EXPECT_EQ(found.out, "") << message;
  }
}

TEST_F(command, says_what_cannot_be_done) {
  EXPECT_EQ(run_tool({"serve", "--port", "0", "--root", "/nonexistent/folder"}).exit_code, 1);
  process first(serve({}));
  const std::string port = std::to_string(port_of(first));
  const outcome second = run_tool({"serve", "--port", port});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_TRUE(has(second.err, "127.0.0.1:" + port)) << second.err;
  EXPECT_EQ(second.out, "");
}

}  // namespace
}  // namespace pilfer::serve
