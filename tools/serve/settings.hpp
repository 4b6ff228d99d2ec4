// What a server is told, and what it has to tell.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/serve/request.hpp"

namespace pilfer::serve {

// How long clients may take. Looked at every now and then, not exactly: a client may get an eighth more or less; and time in which the
// server itself stood still does not count.
struct time_limits {
  std::chrono::milliseconds head = std::chrono::seconds(10);  // from the first byte of a request to the end of its head
  std::chrono::milliseconds body = std::chrono::seconds(30);  // from there to the end of the body
  std::chrono::milliseconds idle = std::chrono::seconds(60);  // between two requests
  std::chrono::milliseconds send = std::chrono::seconds(30);  // to take what is sent at a time
  std::chrono::milliseconds linger = std::chrono::seconds(2);  // to close, after the last response
  std::chrono::milliseconds grace = std::chrono::seconds(5);   // to finish, when the server is to stop
};

struct settings {
  limits sizes{};
  time_limits times{};
  std::size_t connections = 10'000;  // at a time; who comes beyond gets 503
  bool echoes = true;                // bodies of POST and PUT come back; without `root`, GET gets its target
  std::string root{};                // serve files below this folder; empty: none
  bool walks = false;                // for tests: as if there were no openat2
};

// Of all connections that have ended.
struct counts {
  std::uint64_t connections = 0;
  std::uint64_t turned_away = 0;            // by 503, because there were too many
  std::uint64_t requests = 0;               // answered
  std::array<std::uint64_t, 6> by_class{};  // responses: [2] are 2xx
  std::uint64_t malformed = 0;              // refused without having been understood
  std::uint64_t timed_out = 0;              // connections ended because somebody was too slow
  std::uint64_t broken_off = 0;             // connections that ended in the middle of something
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;

  counts& operator+=(const counts& more) noexcept;
};

}  // namespace pilfer::serve
