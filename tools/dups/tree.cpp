#include "tree.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <utility>

namespace pilfer::dups {

void descriptor::reset() noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

std::string join_path(std::string folder_path, std::string_view name) {
  if (!folder_path.empty() && folder_path.back() != '/') folder_path += '/';
  folder_path += name;
  return folder_path;
}

std::string path_of(const folder& what) {
  if (what.parent == nullptr) return what.name;
  return join_path(path_of(*what.parent), what.name);
}

std::string path_of(const folder& where, std::string_view name) { return join_path(path_of(where), name); }

std::string path_below_top(const folder& where, std::string_view name) {
  if (where.parent == nullptr) return std::string(name);
  return join_path(path_below_top(*where.parent, where.name), name);
}

namespace {

int open_at(int base, const char* path, int flags) {
  for (;;) {
    const int opened = ::openat(base, path, flags);
    if (opened >= 0) return opened;
    if (errno != EINTR) return -errno;
  }
}

// The path from the nearest open folder, which is returned; AT_FDCWD: from nowhere.
int nearest_open(const folder& where, std::string& path) {
  if (where.kept.is_open()) return where.kept.get();
  int base = AT_FDCWD;
  if (where.parent != nullptr) base = nearest_open(*where.parent, path);
  path = join_path(std::move(path), where.name);
  return base;
}

// Folder by folder, for paths that are too long for one call.
int open_stepwise(const folder& where, const char* name, int flags) {
  constexpr int step = O_PATH | O_DIRECTORY | O_CLOEXEC;
  if (where.kept.is_open()) return open_at(where.kept.get(), name, flags);
  const int opened = where.parent == nullptr ? open_at(AT_FDCWD, where.name.empty() ? "." : where.name.c_str(), step)
                                             : open_stepwise(*where.parent, where.name.c_str(), step);
  if (opened < 0) return opened;
  const descriptor here(opened);
  return open_at(here.get(), name, flags);
}

}  // namespace

int open_below(const folder& where, const char* name, int flags) {
  if (where.kept.is_open()) return open_at(where.kept.get(), name, flags);
  std::string path;
  const int base = nearest_open(where, path);
  path = join_path(std::move(path), name);
  if (path.size() >= PATH_MAX) return open_stepwise(where, name, flags);
  return open_at(base, path.c_str(), flags);
}

int open_file(const file& what) {
  int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (!what.through_symlink) flags |= O_NOFOLLOW;
  if (what.own) {
    const int opened = open_below(*what.where, what.name, flags | O_NOATIME);
    if (opened != -EPERM) return opened;  // refused: owner of another name space
  }
  return open_below(*what.where, what.name, flags);
}

}  // namespace pilfer::dups
