#include "search.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace pilfer::dups {

namespace {
// What this process may open. Half of it stays for others.
std::size_t spare_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 128;
  return static_cast<std::size_t>(std::clamp<rlim_t>(limit.rlim_cur / 2, 64, 4096));
}
}  // namespace

search::search(pool& where, const search_options& wanted, progress& shown, std::stop_token ending)
    : home(where),
      options(wanted),
      seen(shown),
      stop(std::move(ending)),
      rules(wanted),
      folders_to_keep(static_cast<int>(spare_descriptors() / 2)),
      files_at_a_time(spare_descriptors() / 2) {}

void search::report(std::string path, problem_kind kind, int error, std::string what) {
  const std::lock_guard guard(lock_);
  problems_.push_back({std::move(path), kind, error, std::move(what)});
}

std::vector<problem> search::take_problems() {
  const std::lock_guard guard(lock_);
  return std::move(problems_);
}

void search::found(group&& same) {
  add(seen.groups_found, 1);
  add(seen.wasted_bytes, same.wasted_bytes);
  const std::lock_guard guard(lock_);
  groups_.push_back(std::move(same));
}

std::vector<group> search::take_groups() {
  const std::lock_guard guard(lock_);
  return std::move(groups_);
}

}  // namespace pilfer::dups
