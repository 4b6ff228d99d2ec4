// Who looks for duplicates: `pilfer dups`, jdupes, fdupes, rdfind, rmlint. How each is called, and what its output means.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/dups/corpus.hpp"

namespace pilfer::lab::dups {

inline constexpr const char* own_name = "pilfer";

struct search_request {
  std::string root;
  std::size_t workers = 1;           // ours; the others have no such choice, or are left as they are
  std::string scheduler{};           // ours; empty: the usual one
  std::uint64_t load_us_per_file{};  // ours
  std::string results_file;          // of those that cannot write to standard output
};

struct finder {
  std::string name;
  std::string version{};
  std::string why_unavailable{};  // empty: it is there
  std::function<std::vector<std::string>(const search_request&)> command;
  // From what it wrote. Throws std::runtime_error for what makes no sense.
  std::function<path_groups(const std::string& text)> parse;
  bool writes_results_file = false;  // otherwise it is its standard output
};

// `tool`: how ours is called, to be followed by "dups"; empty: it is not there.
[[nodiscard]] finder own_finder(const std::vector<std::string>& tool);
[[nodiscard]] std::vector<finder> rivals();
[[nodiscard]] std::vector<std::string> rival_names();

// Where a program is, as a shell looks for it; empty if nowhere.
[[nodiscard]] std::string program_path(const std::string& name);

// --- What the output means.

// A path per line, an empty line behind each group: fdupes, jdupes.
[[nodiscard]] path_groups parse_lines(const std::string& text);
// results.txt of rdfind.
[[nodiscard]] path_groups parse_rdfind(const std::string& text);
// json of rmlint.
[[nodiscard]] path_groups parse_rmlint(const std::string& text);
// json of `pilfer dups`.
[[nodiscard]] path_groups parse_own(const std::string& text);

// What `pilfer dups` says of its own run; none: it does not say.
struct own_statistics {
  std::optional<double> tasks_stolen{};
  std::optional<double> io_stolen{};
  std::optional<double> bytes_read{};
};
[[nodiscard]] own_statistics parse_own_statistics(const std::string& text);

}  // namespace pilfer::lab::dups
