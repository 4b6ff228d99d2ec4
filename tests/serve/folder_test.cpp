// Files over HTTP.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "client.hpp"
#include "tests/support/watchdog.hpp"
#include "tools/serve/server.hpp"

namespace pilfer::serve {
namespace {

namespace fs = std::filesystem;
using test::answer;
using test::client;
using test::get;
using test::post;

class folder : public testing::Test {
 protected:
  folder() {
    std::string pattern = (fs::temp_directory_path() / "pilfer-serve-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    fs::create_directories(root_ / "docs");
    for (int i = 0; large_.size() < 700'000; ++i) large_ += std::to_string(i) + "\n";
    write("a.txt", "content of a");
    write("empty.css", "");
    write("docs/index.html", "<h1>");
    write("large.bin", large_);
  }
  ~folder() override {
    server_.reset();
    fs::remove_all(root_);
  }
  void start(bool echoes) {
    settings given;
    given.root = root_.string();
    given.echoes = echoes;
    server_ = std::make_unique<server>(pool_, given);
    server_->start(io::address("127.0.0.1:0"));
  }
  void write(const char* name, const std::string& text) const { std::ofstream(root_ / name) << text; }
  [[nodiscard]] client connect() const { return client(server_->where().port()); }

  pilfer::test::watchdog dog_{std::chrono::seconds(120), "a test of the server"};
  fs::path root_;
  std::string large_;
  pool pool_{pool_options{.workers = 2, .scheduler = "bwos-fifo"}};
  std::unique_ptr<server> server_;
};

TEST_F(folder, is_served) {
  start(false);
  client one = connect();
  const answer a = one.ask(get("/a.txt"));
  EXPECT_EQ(a.code, 200);
  EXPECT_EQ(a.body, "content of a");
  EXPECT_EQ(a.fields.at("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(one.ask(get("/docs/")).body, "<h1>");
  const answer moved = one.ask(get("/docs?x"));
  EXPECT_EQ(moved.code, 301);
  EXPECT_EQ(moved.fields.at("Location"), "/docs/?x");
  EXPECT_EQ(one.ask(get("/empty.css")).body, "");
  EXPECT_EQ(one.ask(get("/none")).code, 404);
  EXPECT_EQ(one.ask(get("/../a.txt")).code, 403);
  EXPECT_EQ(one.ask(get("/%2e%2e/a.txt")).code, 403);
  EXPECT_EQ(one.ask(get("/%zz")).code, 400);
  one.send("HEAD /large.bin HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(one.receive(true).fields.at("Content-Length"), std::to_string(large_.size()));
  one.send("HEAD /none HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(one.receive(true).code, 404);
  const answer refused = one.ask(post("x"));
  EXPECT_EQ(refused.code, 405);
  EXPECT_EQ(refused.fields.at("Allow"), "GET, HEAD");
  EXPECT_EQ(one.ask(get("/a.txt", "Connection: close\r\n")).body, "content of a");
  EXPECT_TRUE(one.is_over());
}

TEST_F(folder, may_echo_besides) {
  start(true);
  client one = connect();
  EXPECT_EQ(one.ask(post("hello")).body, "hello");
  EXPECT_EQ(one.ask(get("/a.txt")).body, "content of a");
}

TEST_F(folder, has_large_files_between_small_ones) {
  start(false);
  client one = connect();
  std::string all;
  for (int i = 0; i < 6; ++i) all += get("/a.txt") + get("/large.bin") + get("/docs/");
  std::thread sender([&] { EXPECT_TRUE(one.send(all)); });
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(one.receive().body, "content of a");
    EXPECT_EQ(one.receive().body, large_);
    EXPECT_EQ(one.receive().body, "<h1>");
  }
  sender.join();
}

TEST_F(folder, is_not_sent_twice_to_who_has_it) {
  start(false);
  client one = connect();
  const std::string date = one.ask(get("/a.txt")).fields.at("Last-Modified");
  one.send(get("/a.txt", "If-Modified-Since: " + date + "\r\n"));
  const answer same = one.receive(true);
  EXPECT_EQ(same.code, 304);
  EXPECT_EQ(one.ask(get("/a.txt", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n")).code, 200);
  EXPECT_EQ(one.ask(get("/a.txt", "If-Modified-Since: yesterday\r\n")).code, 200);
}

// A length was promised: all that is left is to break off.
TEST_F(folder, breaks_off_when_a_file_becomes_shorter) {
  start(false);
  std::string huge;
  for (int i = 0; i < 40; ++i) huge += large_;
  write("huge.bin", huge);
  client one(server_->where().port(), 4096);
  one.send(get("/huge.bin"));
  one.await_bytes();  // it is being sent, and most of it waits for us: sockets have no room for 28 MB
  fs::resize_file(root_ / "huge.bin", 1000);
  EXPECT_THROW(static_cast<void>(one.receive()), std::runtime_error) << "not as long as it was promised";
  EXPECT_LT(one.left_over().size(), huge.size());
  EXPECT_EQ(connect().ask(get("/a.txt")).body, "content of a");
  server_->stop();
  EXPECT_EQ(server_->wait().broken_off, 1U);
}

}  // namespace
}  // namespace pilfer::serve
