#include "lab/dups/finders.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "lab/tune/child_run.hpp"

namespace pilfer::lab::dups {
namespace {

// The first number with dots in what it says of itself: some say it on the one stream, some on the other.
std::string version_of(const std::string& program, const char* option) {
  try {
    const tune::child_run ran =
        tune::run_child({program, option}, {.limit = std::chrono::seconds(10), .keeps_output = true});
    std::istringstream words(ran.output_end + " " + ran.complaints_end);
    for (std::string each; words >> each;) {
      if (each.front() >= '0' && each.front() <= '9' && each.find('.') != std::string::npos) return each;
    }
    return "?";
  } catch (const std::system_error&) {
    return "?";  // it cannot be run after all: its first search says so
  }
}

finder rival(const char* name, const char* version_option, std::vector<std::string> options,
             path_groups (*parse)(const std::string&)) {
  finder one{.name = name, .command = {}, .parse = parse};
  const std::string path = program_path(name);
  if (path.empty()) {
    one.why_unavailable = "not installed";
    return one;
  }
  one.version = version_of(path, version_option);
  one.command = [path, options = std::move(options)](const search_request& what) {
    std::vector<std::string> command = {path};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(what.root);
    return command;
  };
  return one;
}

finder rdfind() {
  finder one = rival("rdfind", "--version", {}, parse_rdfind);
  one.writes_results_file = true;
  if (!one.why_unavailable.empty()) return one;
  one.command = [usual = one.command](const search_request& what) {
    std::vector<std::string> command = usual(what);
    command.insert(command.begin() + 1, {"-outputname", what.results_file});
    return command;
  };
  return one;
}

}  // namespace

std::string program_path(const std::string& name) {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody changes it meanwhile
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

finder own_finder(const std::vector<std::string>& tool) {
  finder one{.name = own_name, .command = {}, .parse = parse_own};
  if (tool.empty()) {
    one.why_unavailable = "only the program `pilfer` can start itself";
    return one;
  }
  one.command = [tool](const search_request& what) {
    std::vector<std::string> command = tool;
    command.insert(command.end(), {"dups", "--format", "json", "--workers", std::to_string(what.workers)});
    if (!what.scheduler.empty()) command.insert(command.end(), {"--scheduler", what.scheduler});
    if (what.load_us_per_file > 0) command.insert(command.end(), {"--load-us", std::to_string(what.load_us_per_file)});
    command.push_back(what.root);
    return command;
  };
  return one;
}

std::vector<finder> rivals() {
  // All of them into folders, quietly, without empty files; jdupes, rdfind and rmlint leave those out by themselves.
  return {rival("jdupes", "--version", {"--recurse", "--quiet"}, parse_lines),
          rival("fdupes", "--version", {"--recurse", "--quiet", "--noempty"}, parse_lines), rdfind(),
          rival("rmlint", "--version", {"--types=duplicates", "--output=json:stdout"}, parse_rmlint)};
}

std::vector<std::string> rival_names() { return {"jdupes", "fdupes", "rdfind", "rmlint"}; }

}  // namespace pilfer::lab::dups
