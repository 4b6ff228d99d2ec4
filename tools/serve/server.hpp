// An HTTP/1.1 server on coroutines: one accepts, one for each client, one that looks for clients that are too slow.
//
//   pilfer::pool pool({.workers = 2, .scheduler = "bwos-fifo"});
//   pilfer::serve::server server(pool, settings);
//   server.start(pilfer::io::address("127.0.0.1:0"));
//   … server.where() …
//   server.stop();                                   // from any thread, but no signal handler
//   pilfer::serve::counts what = server.wait();
//
// Stopping  no new clients; idle ones are closed; requests that have begun to come are answered, for as long as the grace lasts; then
//           all is cut. stop_now() cuts at once.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>

#include <pilfer/coro/task.hpp>
#include <pilfer/io/address.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "tools/serve/registry.hpp"
#include "tools/serve/sweep_clock.hpp"
#include "tools/serve/unix_socket.hpp"

namespace pilfer::serve {

class server {
 public:
  // The pool outlives it.
  //   Throws  std::system_error if the root cannot be opened; std::invalid_argument for limits that make no sense.
  server(pool& home, const settings& given);
  // Stops at once, if nobody has, and waits.
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  // Once. A Unix socket that a dead server has left there is replaced; ours is removed at the end.
  //   Throws  std::system_error if the address cannot be listened on.
  void start(const io::address& at);
  [[nodiscard]] const io::address& where() const noexcept { return where_; }

  void stop() noexcept;
  void stop_now() noexcept;
  // Until it has stopped. From a thread outside of the pool.
  counts wait();

  [[nodiscard]] std::size_t open_connections() const noexcept { return connections_.size(); }
  [[nodiscard]] counts ended_connections() const noexcept { return connections_.total(); }

 private:
  using clock = std::chrono::steady_clock;

  task<> accept_clients();
  task<> look_after();
  task<> talk(connection& with);
  // False: there was no memory for it.
  [[nodiscard]] bool welcome(io::socket client) noexcept;
  void turn_away(const io::socket& client) noexcept;
  void sweep() noexcept;

  pool& home_;
  surroundings around_;
  std::unique_ptr<static_files> files_;
  registry connections_;
  io::socket listener_;
  socket_file file_;
  io::address where_;
  std::mutex clock_guard_;  // at the end, two may sweep
  sweep_clock clock_;       // under clock_guard_
  std::atomic<bool> cut_ = false;
  std::stop_source stop_;
  task_group group_;  // who accepts and who looks after; last: its end waits for them
};

}  // namespace pilfer::serve
