// A whole server, asked through sockets; on io_uring, if there is one, and on threads.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <pilfer/io/backend.hpp>

#include "client.hpp"
#include "tests/support/watchdog.hpp"
#include "tools/serve/server.hpp"

namespace pilfer::serve {
namespace {

using test::answer;
using test::client;
using test::get;
using test::post;
using namespace std::chrono_literals;

class serving : public testing::TestWithParam<io::backend_choice> {
 protected:
  void start(const settings& given = {}, const std::string& at = "127.0.0.1:0") {
    io::configure(pool_, {.choice = GetParam()});
    server_ = std::make_unique<server>(pool_, given);
    server_->start(io::address(at));
    port_ = server_->where().port();
  }
  [[nodiscard]] client connect_anyhow() const { return {server_->where().data(), server_->where().size()}; }
  [[nodiscard]] client connect(int receive_buffer = 0) const { return client(port_, receive_buffer); }
  counts stop() {
    server_->stop();
    return server_->wait();
  }
  // Until so many connections have ended.
  void await_ended(std::uint64_t how_many) const {
    while (server_->ended_connections().connections < how_many) std::this_thread::sleep_for(1ms);
  }

  pilfer::test::watchdog dog_{120s, "a test of the server"};
  pool pool_{pool_options{.workers = 2, .scheduler = "bwos-fifo"}};
  std::unique_ptr<server> server_;
  std::uint16_t port_ = 0;
};

TEST_P(serving, echoes_bodies_and_targets) {
  start();
  client one = connect();
  const answer posted = one.ask(post("hello"));
  EXPECT_EQ(posted.code, 200);
  EXPECT_EQ(posted.body, "hello");
  EXPECT_EQ(posted.fields.at("Content-Length"), "5");
  EXPECT_TRUE(posted.fields.contains("Date"));
  EXPECT_FALSE(posted.fields.contains("Connection"));
  EXPECT_EQ(one.ask(get("/a?b")).body, "/a?b");
  EXPECT_EQ(one.ask("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc").body, "abc");
  one.send("HEAD /xyz HTTP/1.1\r\nHost: a\r\n\r\n");
  const answer head = one.receive(true);
  EXPECT_EQ(head.fields.at("Content-Length"), "4");
  EXPECT_EQ(one.ask(get("/after")).body, "/after") << "HEAD has no body";
  EXPECT_EQ(one.ask("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n").code, 405);
  EXPECT_EQ(one.ask("BREW / HTTP/1.1\r\nHost: a\r\n\r\n").code, 501);
  EXPECT_EQ(one.ask("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n").fields.at("Allow"), "GET, HEAD, POST, PUT");
  const counts all = stop();
  EXPECT_EQ(all.connections, 1U);
  EXPECT_EQ(all.requests, 8U);
  EXPECT_EQ(all.by_class[2], 5U);
  EXPECT_EQ(all.by_class[4], 2U);
  EXPECT_EQ(all.by_class[5], 1U);
}

TEST_P(serving, answers_pipelined_requests_in_order) {
  start();
  client one = connect();
  constexpr int many = 1000;
  std::string all;
  for (int i = 0; i < many; ++i) {
    const std::string number = std::to_string(i);
    if (i % 3 == 0) {
      all += get("/" + number);
    } else if (i % 3 == 1) {
      all += post("/" + number);
    } else {
      all += "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n/\r\n" +
             std::to_string(number.size()) + "\r\n" + number + "\r\n0\r\n\r\n";
    }
  }
  std::thread sender([&] { EXPECT_TRUE(one.send(all)); });
  for (int i = 0; i < many; ++i) ASSERT_EQ(one.receive().body, "/" + std::to_string(i));
  sender.join();
  EXPECT_TRUE(one.left_over().empty());
  EXPECT_EQ(stop().requests, static_cast<std::uint64_t>(many));
}

TEST_P(serving, takes_requests_in_any_pieces) {
  start();
  const std::string bytes =
      get("/first") + post("body") +
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: u\r\n\r\n";
  for (std::size_t cut = 1; cut < bytes.size(); cut += 7) {
    client one = connect();
    one.send(bytes.substr(0, cut));
    std::this_thread::yield();
    one.send(bytes.substr(cut));
    EXPECT_EQ(one.receive().body, "/first");
    EXPECT_EQ(one.receive().body, "body");
    EXPECT_EQ(one.receive().body, "abc") << cut;
  }
}

TEST_P(serving, echoes_large_bodies) {
  start();
  std::string body;
  for (int i = 0; body.size() < 1'000'000; ++i) body += std::to_string(i) + " ";
  client one = connect();
  std::thread sender([&] { EXPECT_TRUE(one.send(post(body) + get("/next"))); });
  EXPECT_EQ(one.receive().body, body);
  EXPECT_EQ(one.receive().body, "/next");
  sender.join();
}

TEST_P(serving, waits_for_whom_it_told_to_continue) {
  start();
  client one = connect();
  one.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(one.receive().code, 100);
  EXPECT_EQ(one.ask("body").body, "body");
  EXPECT_EQ(one.ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\nbody").body, "body")
      << "no 100 for what is there already";
  EXPECT_EQ(one.ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n").code,
            413);
  EXPECT_TRUE(one.is_over());
}

TEST_P(serving, closes_when_told_to) {
  start();
  client one = connect();
  const answer last = one.ask(get("/1", "Connection: close\r\n") + get("/2"));
  EXPECT_EQ(last.body, "/1");
  EXPECT_EQ(last.fields.at("Connection"), "close");
  EXPECT_TRUE(one.is_over()) << "what comes behind is not answered";
  client old = connect();
  EXPECT_EQ(old.ask("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").fields.at("Connection"), "keep-alive");
  EXPECT_EQ(old.ask("GET /2 HTTP/1.0\r\n\r\n").body, "/2");
  EXPECT_TRUE(old.is_over());
}

TEST_P(serving, refuses_and_closes) {
  start({.sizes = {.line = 64, .head = 256, .fields = 8, .body = 100}});
  const std::pair<std::string, int> cases[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/3.0\r\n\r\n", 505},
      {get("/" + std::string(100, 'a')), 414},
      {get("/", "A: " + std::string(300, 'a') + "\r\n"), 431},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", 413},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", 413},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
           get("/smuggled"),
       400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 40\r\n\r\n" + get("/smuggled"), 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {get("/", "Expect: miracles\r\n"), 417},
  };
  for (const auto& [bytes, code] : cases) {
    client one = connect();
    const answer found = one.ask(bytes);
    EXPECT_EQ(found.code, code) << bytes;
    EXPECT_EQ(found.fields.at("Connection"), "close");
    EXPECT_TRUE(one.is_over()) << bytes;
  }
  await_ended(std::size(cases));
  EXPECT_EQ(stop().malformed, std::size(cases));
}

TEST_P(serving, tells_slow_clients_so) {
  start({.times = {.head = 60ms, .body = 60ms, .idle = 10s, .send = 10s, .linger = 1s, .grace = 1s}});
  client head = connect();
  client body = connect();
  client quick = connect();
  head.send("GET / HTTP/1.1\r\nHo");
  body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(head.receive().code, 408);
  EXPECT_EQ(body.receive().code, 408);
  EXPECT_TRUE(head.is_over());
  EXPECT_TRUE(body.is_over());
  EXPECT_EQ(quick.ask(get("/still")).body, "/still") << "others are not disturbed";
  // A byte now and then is not enough.
  client drop = connect();
  const std::string slow = get("/slow", "A: " + std::string(5000, 'a') + "\r\n");
  std::size_t sent = 0;
  for (; sent < slow.size() && drop.send(slow.substr(sent, 1)); ++sent) std::this_thread::sleep_for(1ms);
  EXPECT_LT(sent, slow.size());
  await_ended(3);
  EXPECT_EQ(stop().timed_out, 3U);
}

TEST_P(serving, closes_idle_connections_silently) {
  // Long enough for a request also on a busy machine: a client that is idle too long before it asks gets no answer.
  start({.times = {.head = 10s, .body = 10s, .idle = 1s, .send = 10s, .linger = 1s, .grace = 1s}});
  client once = connect();
  EXPECT_EQ(once.ask(get("/1")).body, "/1");
  client never = connect();
  EXPECT_TRUE(never.is_over());
  EXPECT_TRUE(once.is_over());
  EXPECT_EQ(stop().timed_out, 0U) << "being idle is no fault";
}

TEST_P(serving, does_not_wait_for_who_does_not_read) {
  start({.times = {.head = 10s, .body = 10s, .idle = 10s, .send = 60ms, .linger = 60ms, .grace = 1s}});
  client deaf = connect(4096);
  const std::string body(500'000, 'x');
  std::thread sender([&] {
    for (int i = 0; i < 40 && deaf.send(post(body)); ++i) {
    }
  });
  await_ended(1);
  sender.join();
  EXPECT_EQ(stop().timed_out, 1U);
}

TEST_P(serving, answers_what_came_before_the_end) {
  start();
  client half = connect();
  half.send(get("/1") + post("2"));
  half.end_sending();
  EXPECT_EQ(half.receive().body, "/1");
  EXPECT_EQ(half.receive().body, "2");
  EXPECT_TRUE(half.is_over());
  client broken = connect();
  broken.send(get("/1") + "GET /2 HT");
  broken.end_sending();
  EXPECT_EQ(broken.receive().body, "/1");
  EXPECT_EQ(broken.receive().code, 400);
  EXPECT_TRUE(broken.is_over());
  await_ended(2);
  EXPECT_EQ(stop().broken_off, 1U);
}

TEST_P(serving, survives_resets) {
  start();
  for (int i = 0; i < 40; ++i) {
    client one = connect();
    if (i % 4 == 1) one.send(get("/x"));
    if (i % 4 == 2) one.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf");
    if (i % 4 == 3) {
      EXPECT_EQ(one.ask(get("/y") + get("/z")).body, "/y");
    }
    one.reset();
  }
  await_ended(40);
  EXPECT_EQ(connect().ask(get("/alive")).body, "/alive");
}

TEST_P(serving, turns_away_who_is_too_much) {
  start({.connections = 2});
  client first = connect();
  EXPECT_EQ(first.ask(get("/1")).body, "/1");
  {
    client second = connect();
    EXPECT_EQ(second.ask(get("/2")).body, "/2");
    client third = connect();
    const answer away = third.receive();
    EXPECT_EQ(away.code, 503);
    EXPECT_TRUE(third.is_over());
  }
  await_ended(1);
  EXPECT_EQ(connect().ask(get("/4")).body, "/4");
  EXPECT_EQ(first.ask(get("/5")).body, "/5");
  EXPECT_EQ(stop().turned_away, 1U);
}

TEST_P(serving, has_many_connections_at_a_time) {
  start();
  constexpr std::size_t many = 300;
  std::vector<client> all;
  for (std::size_t i = 0; i < many; ++i) all.push_back(connect());
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < many; ++i) all[i].send(get("/" + std::to_string(round) + "/" + std::to_string(i)));
    for (std::size_t i = 0; i < many; ++i)
      ASSERT_EQ(all[i].receive().body, "/" + std::to_string(round) + "/" + std::to_string(i));
  }
  EXPECT_EQ(server_->open_connections(), many);
  const counts found = stop();
  EXPECT_EQ(found.connections, many);
  EXPECT_EQ(found.requests, 3 * many);
  for (client& one : all) EXPECT_TRUE(one.is_over());
}

TEST_P(serving, ends_in_order_while_busy) {
  start({.times = {.linger = 100ms}});
  constexpr int clients = 4;
  std::vector<client> connected;
  for (int i = 0; i < clients; ++i) {
    connected.push_back(connect());
    EXPECT_EQ(connected.back().ask(get("/first")).body, "/first");  // accepted: stopping does not come before it
  }
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> answered = clients;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      client& one = connected[static_cast<std::size_t>(i)];
      try {
        for (int n = 0;; ++n) {
          const std::string target = "/" + std::to_string(i) + "/" + std::to_string(n);
          const answer found = one.ask(get(target));
          EXPECT_EQ(found.body, target);
          ++answered;
          if (found.fields.contains("Connection")) break;
        }
      } catch (const std::runtime_error&) {  // it was idle just then: closed without an answer
      }
      EXPECT_TRUE(one.is_over());
    });
  }
  client unfinished = connect();
  unfinished.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(unfinished.receive().code, 100) << "its head has come before the end begins";
  while (answered < 200) std::this_thread::yield();
  server_->stop();
  answer last;
  std::thread late([&] {
    std::this_thread::sleep_for(50ms);
    try {
      last = unfinished.ask("body");
    } catch (const std::runtime_error&) {  // `last` has no code then
    }
  });
  const counts all = server_->wait();
  late.join();
  EXPECT_EQ(last.code, 200) << "what has begun is finished";
  EXPECT_EQ(last.body, "body");
  EXPECT_TRUE(last.fields.contains("Connection"));
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(all.requests, answered + 1) << "each one that was answered was counted, and the other way round";
  EXPECT_THROW(static_cast<void>(connect()), std::runtime_error);
}

TEST_P(serving, cuts_who_does_not_come_to_an_end) {
  start({.times = {.grace = 50ms}});
  client unfinished = connect();
  unfinished.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(unfinished.receive().code, 100);
  client other = connect();
  EXPECT_EQ(other.ask(get("/x")).body, "/x");
  EXPECT_EQ(stop().connections, 2U);
  EXPECT_TRUE(unfinished.is_over());
}

TEST_P(serving, can_be_dropped_at_any_time) {
  start();
  client idle = connect();
  client busy = connect();
  busy.send("GET / HT");
  server_.reset();
  EXPECT_TRUE(idle.is_over());
  EXPECT_TRUE(busy.is_over());
}

TEST_P(serving, says_which_address_is_taken) {
  start();
  server second(pool_, {});
  EXPECT_THROW(second.start(server_->where()), std::system_error);
  EXPECT_THROW(server(pool_, {.root = "/nonexistent/folder"}), std::system_error);
  EXPECT_THROW(server(pool_, {.connections = 0}), std::invalid_argument);
  EXPECT_THROW(server(pool_, {.sizes = {.line = 100, .head = 100}}), std::invalid_argument);
}

// A folder for sockets, removed at the end.
class socket_folder {
 public:
  socket_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pilfer-sockets-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~socket_folder() { std::filesystem::remove_all(path_); }
  socket_folder(const socket_folder&) = delete;
  socket_folder& operator=(const socket_folder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

bool is_there(const std::string& path) {
  return std::filesystem::symlink_status(path).type() != std::filesystem::file_type::not_found;
}

TEST_P(serving, listens_on_a_unix_socket_and_removes_it) {
  const socket_folder folder;
  const std::string path = folder.file("here");
  start({}, "unix:" + path);
  EXPECT_EQ(server_->where().text(), "unix:" + path);
  EXPECT_EQ(connect_anyhow().ask(post("hello")).body, "hello");
  {
    server second(pool_, {});
    EXPECT_THROW(second.start(io::address("unix:" + path)), std::system_error) << "somebody listens there";
  }
  EXPECT_EQ(connect_anyhow().ask(get("/still")).body, "/still") << "who is refused removes nothing";
  EXPECT_EQ(stop().requests, 2U);
  EXPECT_FALSE(is_there(path));
  server without_file(pool_, {});
  without_file.start(io::address("unix:@pilfer-serve-test-" + std::to_string(::getpid())));
  client one(without_file.where().data(), without_file.where().size());
  EXPECT_EQ(one.ask(get("/abstract")).body, "/abstract");
}

TEST_P(serving, replaces_what_a_dead_server_has_left) {
  const socket_folder folder;
  const std::string path = folder.file("stale");
  ASSERT_TRUE(io::listen(io::address("unix:" + path)));  // closed at once: its file stays
  ASSERT_TRUE(is_there(path));
  start({}, "unix:" + path);
  EXPECT_EQ(connect_anyhow().ask(get("/1")).body, "/1");
  // Somebody puts a socket of its own there: that one is not ours to remove.
  std::filesystem::remove(path);
  const auto other = io::listen(io::address("unix:" + path));
  ASSERT_TRUE(other);
  stop();
  EXPECT_TRUE(is_there(path));
  const std::string file = folder.file("file");
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  server refused(pool_, {});
  EXPECT_THROW(refused.start(io::address("unix:" + file)), std::system_error);
  EXPECT_TRUE(is_there(file)) << "what is no socket stays";
}

TEST_P(serving, listens_on_the_other_family) {
  try {
    start({}, "[::1]:0");
  } catch (const std::system_error& error) {
    GTEST_SKIP() << "no IPv6 here: " << error.what();
  }
  EXPECT_TRUE(server_->where().text().starts_with("[::1]:"));
  EXPECT_EQ(connect_anyhow().ask(post("six")).body, "six");
}

// Random bytes to a live server: it answers, refuses or closes; it never hangs, and others are not disturbed.
TEST_P(serving, survives_random_bytes) {
  start({.sizes = {.line = 100, .head = 300, .fields = 8, .body = 200},
         .times = {.head = 2s, .body = 2s, .idle = 2s, .send = 2s, .linger = 1s, .grace = 1s}});
  std::mt19937_64 r(11);
  const std::string pieces[] = {get("/a"),
                                post("body"),
                                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                                "5\r\nhello\r\n",
                                "0\r\n\r\n",
                                "Content-Length: 9\r\n",
                                "Expect: 100-continue\r\n",
                                "\r\n\r\n",
                                "GET http://a/b HTTP/1.0\r\n",
                                "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"};
  client bystander = connect();
  constexpr int rounds = 300;
  for (int i = 0; i < rounds; ++i) {
    std::string bytes;
    for (std::uint64_t n = 1 + r() % 6; n > 0; --n) bytes += pieces[r() % std::size(pieces)];
    for (std::uint64_t n = r() % 4; n > 0; --n) bytes[r() % bytes.size()] = static_cast<char>(r());
    client one = connect();
    const std::size_t cut = r() % (bytes.size() + 1);
    if (one.send(bytes.substr(0, cut))) one.send(bytes.substr(cut));
    if (i % 5 == 0) {
      one.reset();
      continue;
    }
    one.end_sending();
    static_cast<void>(one.is_over());
    ASSERT_TRUE(one.left_over().empty() || one.left_over().starts_with("HTTP/1.1 ")) << one.left_over();
    if (i % 50 == 0) {
      ASSERT_EQ(bystander.ask(get("/fine")).body, "/fine") << i;
    }
  }
  await_ended(rounds);
  const counts all = stop();
  EXPECT_EQ(all.connections, static_cast<std::uint64_t>(rounds) + 1);
  EXPECT_GT(all.malformed, 20U) << "some must be wrong for this to say anything";
  EXPECT_GT(all.by_class[2], 20U);
}

std::vector<io::backend_choice> choices() { return {io::backend_choice::automatic, io::backend_choice::threads}; }
INSTANTIATE_TEST_SUITE_P(both, serving, testing::ValuesIn(choices()), [](const auto& which) {
  return which.param == io::backend_choice::threads ? "threads" : "automatic";
});

}  // namespace
}  // namespace pilfer::serve
