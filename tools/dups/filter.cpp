#include "filter.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace pilfer::dups {

filter::patterns::patterns(const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) (glob.find('/') == std::string::npos ? names : paths).push_back(glob);
}

bool filter::patterns::match(const folder& where, const char* name) const {
  const auto matches = [](const char* text) {
    return [text](const std::string& glob) { return ::fnmatch(glob.c_str(), text, 0) == 0; };
  };
  if (std::ranges::any_of(names, matches(name))) return true;
  if (paths.empty()) return false;
  return std::ranges::any_of(paths, matches(path_of(where, name).c_str())) ||
         std::ranges::any_of(paths, matches(path_below_top(where, name).c_str()));
}

filter::filter(const search_options& options)
    : include_(options.include), exclude_(options.exclude), hidden_(options.hidden) {}

bool filter::takes_file(const folder& where, const char* name) const {
  if (!exclude_.empty() && exclude_.match(where, name)) return false;
  return include_.empty() || include_.match(where, name);
}

bool filter::takes_folder(const folder& where, const char* name) const {
  return exclude_.empty() || !exclude_.match(where, name);
}

}  // namespace pilfer::dups
