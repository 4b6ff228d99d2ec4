// The servers that are compared, and the names of what is measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pilfer::lab::serve {

inline constexpr const char* suite_name = "serve";
inline constexpr const char* own_name = "pilfer";
inline constexpr const char* hyper_name = "hyper";

// Rows are named "requests/100", "processor/100", "median/100", "slowest/100": the number of connections.
inline constexpr const char* requests_row = "requests";    // per second
inline constexpr const char* processor_row = "processor";  // time of the server per request, us
inline constexpr const char* median_row = "median";        // latency, us
inline constexpr const char* slowest_row = "slowest";      // latency of the slowest hundredth, us
inline constexpr std::array<int, 4> connections = {1, 10, 100, 1000};

// A server as a program: says "listening on ADDRESS" first, and ends with SIGTERM or when its standard input ends.
struct contestant {
  std::string name;
  std::vector<std::string> command;  // empty: there is none
  std::string version{};
  std::string why_missing{};
  bool is_peer = false;  // somebody else's: if it fails, that is a note and no failure of the run
};

// What `pilfer serve` says at its end about its scheduler.
struct stolen_counts {
  std::uint64_t tasks = 0;
  std::uint64_t io_continuations = 0;
  friend bool operator==(const stolen_counts&, const stolen_counts&) = default;
};
// None: others do not say it.
[[nodiscard]] std::optional<stolen_counts> parse_stolen(const std::string& last_words);

[[nodiscard]] contestant own_server(std::size_t workers);
[[nodiscard]] contestant hyper_server(std::size_t workers);

}  // namespace pilfer::lab::serve
