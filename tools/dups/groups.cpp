// From equal inodes to a group of paths.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "settle.hpp"

namespace pilfer::dups {

namespace {

struct name_of_member {
  std::string path;
  const file* what;

  // Which of several names stands for the inode: one that must stay, one that is no link, the first.
  [[nodiscard]] auto rank() const {
    return std::tuple(!what->where->reference, what->behind_symlink(), what->through_symlink, std::string_view(path));
  }
  friend bool operator<(const name_of_member& left, const name_of_member& right) { return left.rank() < right.rank(); }
};

struct entry_of_folder {
  file_identity folder;
  std::string_view name;
  friend bool operator==(const entry_of_folder&, const entry_of_folder&) = default;
};
struct entry_hash {
  [[nodiscard]] std::size_t operator()(const entry_of_folder& of) const noexcept {
    return identity_hash()(of.folder) ^ std::hash<std::string_view>()(of.name);
  }
};

std::vector<name_of_member> names_of(settling& with, const member& of) {
  std::vector<name_of_member> names;
  names.reserve(of.count);
  for (std::uint32_t i = 0; i < of.count; ++i) names.push_back({path_of(of.names[i]), &of.names[i]});
  if (names.size() < 2) return names;
  std::ranges::sort(names, std::less<>());
  // The same entry of the same folder, reached twice, is no second name. Of several ways to it the best counts, whoever came first.
  std::unordered_set<entry_of_folder, entry_hash> before;
  add(with.seen_before, std::erase_if(names, [&](const name_of_member& each) {
        return !before.insert({each.what->where->identity, each.what->name}).second;
      }));
  return names;
}

duplicate described(name_of_member&& name) {
  const file& what = *name.what;
  return {.path = std::move(name.path),
          .device = what.identity.device,
          .inode = what.identity.inode,
          .mtime_ns = what.mtime_ns,
          .links = what.links,
          .disk_bytes = what.disk_bytes,
          .reference = what.where->reference,
          .through_symlink = what.through_symlink,
          .behind_symlink = what.behind_symlink()};
}

// The first name, and those that count as files of their own.
void add_member(std::vector<duplicate>& to, std::vector<name_of_member>&& names, bool all) {
  const std::size_t first = to.size();
  to.push_back(described(std::move(names.front())));
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (all && !names[i].what->through_symlink) {
      to.push_back(described(std::move(names[i])));
    } else {
      if (names[i].what->behind_symlink()) to[first].names_behind_symlink.push_back(names[i].path);
      to[first].other_names.push_back(std::move(names[i].path));
    }
  }
  std::ranges::sort(to[first].other_names);
  std::ranges::sort(to[first].names_behind_symlink);
}

}  // namespace

void report_group(settling& with, std::uint64_t size, std::span<member* const> same, std::optional<hash128> hash) {
  const search_options& options = with.with.options;
  group result{.size = size, .hash = hash, .files = {}};
  std::uint64_t references = 0;
  for (member* const each : same) {
    each->grouped = true;
    std::vector<name_of_member> names = names_of(with, *each);
    references += names.front().what->where->reference ? 1 : 0;
    add_member(result.files, std::move(names), options.hard_links_are_duplicates);
  }
  const auto order = [](const duplicate& each) { return std::tuple(!each.reference, std::string_view(each.path)); };
  std::ranges::sort(result.files,
                    [&](const duplicate& left, const duplicate& right) { return order(left) < order(right); });
  if (result.files.size() < 2 || result.files.back().reference) return;
  if (options.only_with_reference && !result.files.front().reference) return;
  if (options.hard_links_are_duplicates) {
    std::unordered_set<file_identity, identity_hash> before;
    for (duplicate& each : result.files) each.hard_link = !before.insert({each.device, each.inode}).second;
  }
  result.wasted_bytes = (same.size() - std::max<std::uint64_t>(references, 1)) * size;
  with.with.found(std::move(result));
}

}  // namespace pilfer::dups
