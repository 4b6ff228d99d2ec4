// What is wrong with a command line as a whole.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "cache.hpp"
#include "command.hpp"
#include "words.hpp"

namespace pilfer::dups {
namespace {

std::string option_of(action_kind kind) { return fmt::format("--{}", to_string(kind)); }

std::string wrong_filters(const command_options& given) {
  const search_options& search = given.search;
  if (search.min_size > search.max_size)
    return fmt::format("--min-size {} is more than --max-size {}", search.min_size, search.max_size);
  if (search.empty_files && search.min_size > 0) return "--empty and --min-size contradict each other";
  if (search.only_with_reference && search.reference_paths.empty())
    return "--only-with-reference needs a --reference folder";
  if (given.null_separated && !given.files_from) return "-0 needs --files-from";
  if (given.summary_only && given.as != format::text) return "--summary is of --format text only";
  return "";
}

std::vector<std::string> real_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> real;
  real.reserve(paths.size());
  for (const std::string& path : paths) real.push_back(real_path(path));
  return real;
}

std::string wrong_paths(const search_options& search) {
  if (search.reference_paths.empty() && search.cache_file.empty()) return "";
  const std::vector<std::string> references = real_paths(search.reference_paths);
  const std::unordered_set<std::string> known(references.begin(), references.end());
  const std::string cache = search.cache_file.empty() ? "" : real_path(search.cache_file);
  for (const std::string& path : search.paths) {
    const std::string real = real_path(path);
    if (known.contains(real)) return fmt::format("{} is both searched and a --reference", shown(path));
    if (real == cache) return fmt::format("{} is both searched and the --cache", shown(path));
  }
  if (search.cache_file.empty()) return "";
  if (known.contains(cache)) return fmt::format("{} is both a --reference and the --cache", shown(search.cache_file));
  if (const std::string why = why_no_cache(search.cache_file); !why.empty())
    return fmt::format("--cache: {} {}; it is left alone", shown(search.cache_file), why);
  return "";
}

std::string wrong_folder(const command_options& given) {
  if (given.folder.empty()) return "--move needs the name of a folder";
  struct stat status{};
  if (::stat(given.folder.c_str(), &status) == 0 && !S_ISDIR(status.st_mode))
    return fmt::format("--move: {} is not a folder", shown(given.folder));
  const std::string to = real_path(given.folder);
  for (const std::string& path : given.search.reference_paths) {
    if (lies_in(to, real_path(path)))
      return fmt::format("--move: {} lies in a --reference folder", shown(given.folder));
  }
  for (const std::string& path : given.search.paths) {
    if (lies_in(to, real_path(path))) {
      return fmt::format("--move: {} lies in {}, which is searched: what is moved would be found again",
                         shown(given.folder), shown(path));
    }
  }
  return "";
}

std::string wrong_action(const command_options& given) {
  const action_kind kind = given.actions.front();
  if (given.actions.size() > 1)
    return fmt::format("{} and {} contradict each other", option_of(kind), option_of(given.actions[1]));
  if (given.search.paths.empty() && !given.files_from)
    return fmt::format("{} needs to be told where: name a path", option_of(kind));
  const bool links = kind == action_kind::hard_link || kind == action_kind::reflink;
  if (given.search.hard_links_are_duplicates && links)
    return fmt::format("--hard-links and {} contradict each other", option_of(kind));
  if (kind == action_kind::move) {
    if (std::string why = wrong_folder(given); !why.empty()) return why;
  }
  const bool stdin_is_list = given.files_from == "-";
  const bool can_ask = !stdin_is_list && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  if (!given.dry_run && !given.yes && !can_ask)
    return fmt::format("{} without a terminal to ask at needs --yes, or --dry-run", option_of(kind));
  return "";
}

}  // namespace

std::string why_contradictory(const command_options& given) {
  if (std::string why = wrong_filters(given); !why.empty()) return why;
  if (std::string why = wrong_paths(given.search); !why.empty()) return why;
  if (!given.actions.empty()) return wrong_action(given);
  constexpr const char* which = "needs an action: --delete, --hard-link, --reflink or --move";
  if (given.dry_run) return fmt::format("--dry-run {}", which);
  if (given.yes) return fmt::format("--yes {}", which);
  if (given.keep) return fmt::format("--keep {}", which);
  return "";
}

}  // namespace pilfer::dups
