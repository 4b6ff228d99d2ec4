#include "walk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <pilfer/per_worker.hpp>
#include <pilfer/task_group.hpp>

#include "walk_finds.hpp"

namespace pilfer::dups {

namespace {

bool is_dots(const char* name) noexcept {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

std::int64_t nanoseconds(const timespec& time) noexcept {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

file_identity identity_of(const struct stat& status) noexcept { return {status.st_dev, status.st_ino}; }

class walker {
 public:
  explicit walker(search& with) : with_(with), local_(with.home), user_(::geteuid()), group_(with.home, with.stop) {}

  walked run() {
    with_.home.run([this] {
      for (const std::string& path : with_.options.reference_paths) add_given(path, true);
      for (const std::string& path : with_.options.paths) add_given(path, false);
      for (folder& each : given_) spawn(each);
      group_.wait();
      if (with_.options.follow_symlinks) follow_links();
    });
    return collect();
  }

 private:
  using children = std::vector<folder*>;

  [[nodiscard]] const search_options& options() const noexcept { return with_.options; }

  // --- Given paths.

  void add_given(const std::string& path, bool reference) {
    struct stat status{};
    int error = ::fstatat(AT_FDCWD, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    const bool is_link = error == 0 && S_ISLNK(status.st_mode);
    if (is_link && ::fstatat(AT_FDCWD, path.c_str(), &status, 0) != 0) error = errno;
    if (error != 0) {
      const bool gone = error == ENOENT || error == ENOTDIR;
      with_.report(path, gone ? problem_kind::missing : problem_kind::unreadable, error, "cannot be found");
      return;
    }
    if (!S_ISDIR(status.st_mode)) {
      add_given_file(path, reference, is_link, status);
      return;
    }
    if (!seen_.insert(identity_of(status)).second) {
      ++local_.local().totals.skipped.seen_before;
      return;
    }
    given_.push_back({.name = path, .identity = identity_of(status), .reference = reference});
  }

  void add_given_file(const std::string& path, bool reference, bool is_link, const struct stat& status) {
    const std::size_t slash = path.rfind('/');
    const std::string above = slash == std::string::npos ? "" : path.substr(0, std::max<std::size_t>(slash, 1));
    // Many files of one folder in a row are what comes from a list.
    if (parents_.empty() || parents_.back().name != above || parents_.back().reference != reference) {
      struct stat folder_status{};
      if (::fstatat(AT_FDCWD, above.empty() ? "." : above.c_str(), &folder_status, 0) != 0) folder_status = {};
      parents_.push_back({.name = above, .identity = identity_of(folder_status), .reference = reference});
    }
    finds& mine = local_.local();
    const char* const name = path.c_str() + (slash == std::string::npos ? 0 : slash + 1);
    if (is_link && !options().follow_symlinks) {
      ++mine.totals.skipped.symlinks;
    } else if (!S_ISREG(status.st_mode)) {
      ++mine.totals.skipped.special;
    } else if (!with_.rules.takes_file(parents_.back(), name)) {
      ++mine.totals.skipped.pattern;
    } else {
      take(mine, parents_.back(), name, status, is_link);
    }
  }

  // --- Folders.

  void spawn(folder& which) {
    group_.spawn([this, &which] { scan(which); });
  }
  void spawn_all(const children& found) {
    for (folder* const each : found) spawn(*each);
  }

  [[nodiscard]] int open_folder(const folder& which) const {
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    if (user_ == 0) flags |= O_NOATIME;
    if (which.parent != nullptr && !which.through_symlink) flags |= O_NOFOLLOW;
    const auto open = [&](int with_flags) {
      if (which.parent != nullptr) return open_below(*which.parent, which.name.c_str(), with_flags);
      const int opened = ::open(which.name.c_str(), with_flags);
      return opened >= 0 ? opened : -errno;
    };
    const int opened = open(flags);
    return opened == -EPERM ? open(flags & ~O_NOATIME) : opened;
  }

  void scan(folder& which) {
    if (with_.stopped()) return;
    const int here = open_folder(which);
    if (here < 0) {
      with_.report(path_of(which), problem_kind::unreadable, -here, "cannot be opened");
      return;
    }
    descriptor opened(here);
    if (which.parent != nullptr && !enter(which, here)) return;
    add(with_.seen.folders_found, 1);
    ++local_.local().totals.folders;
    if (const auto& most = options().max_depth; most && which.depth >= *most) {
      ++local_.local().totals.skipped.depth;
      return;
    }
    // Before anything below is looked for: that may begin here. A folder that does not stay open is looked at here and now: tasks that
    // wait for their turn would each hold a descriptor.
    if (with_.may_keep_folder()) which.kept = std::move(opened);
    for (bool first = true;; first = false) {
      listing found = local_.local().take_listing();
      const long bytes = ::syscall(SYS_getdents64, here, found.get(), listing_bytes);
      if (bytes <= 0) {
        if (bytes < 0) with_.report(path_of(which), problem_kind::unreadable, errno, "cannot be listed");
        local_.local().spare = std::move(found);
        break;
      }
      const auto length = static_cast<std::size_t>(bytes);
      if (!which.kept.is_open() || (first && length < listing_bytes * 3 / 4)) {
        look(which, here, {found.get(), length});
        local_.local().spare = std::move(found);
      } else {
        group_.spawn([this, &which, here, length, list = std::move(found)] {
          if (!with_.stopped()) look(which, here, {list.get(), length});
        });
      }
    }
  }

  // False: another file system, or it was here before.
  bool enter(folder& which, int here) {
    struct stat status{};
    if (::fstat(here, &status) != 0) {
      with_.report(path_of(which), problem_kind::unreadable, errno, "cannot be looked at");
      return false;
    }
    which.identity = identity_of(status);
    if (options().one_file_system && which.identity.device != which.top().identity.device) {
      ++local_.local().totals.skipped.file_system;
      return false;
    }
    {
      const std::lock_guard guard(lock_);
      if (seen_.insert(which.identity).second) return true;
    }
    report_second_visit(which);
    return false;
  }

  void report_second_visit(const folder& which) {
    ++local_.local().totals.skipped.seen_before;
    for (const folder* above = which.parent; above != nullptr; above = above->parent) {
      if (above->identity != which.identity) continue;
      with_.report(path_of(which), problem_kind::loop, ELOOP, "leads back to a folder above it");
      return;
    }
  }

  // Files are looked at in the order of their inodes, which is how they lie on the disk.
  void look(folder& where, int here, std::span<const std::byte> list) {
    finds& mine = local_.local();
    children folders;
    mine.entries.clear();
    for (std::size_t at = 0; at < list.size();) {
      const auto* const each = reinterpret_cast<const entry*>(list.data() + at);
      at += each->bytes;
      if (is_dots(each->name)) continue;
      if (with_.rules.hides(each->name)) {
        ++mine.totals.skipped.hidden;
      } else {
        mine.entries.push_back(each);
      }
    }
    std::ranges::sort(mine.entries, {}, [](const entry* each) { return each->inode; });
    const std::size_t files_before = mine.files.size();
    const std::uint64_t bytes_before = mine.totals.bytes;
    for (const entry* each : mine.entries) {
      switch (each->type) {
        case DT_REG: look_at_file(mine, where, here, each->name); break;
        case DT_DIR: add_folder(mine, where, each->name, folders); break;
        case DT_LNK: look_at_link(mine, where, here, each->name); break;
        case DT_UNKNOWN: look_at_unknown(mine, where, here, each->name, folders); break;
        default: ++mine.totals.skipped.special; break;
      }
    }
    add(with_.seen.files_found, mine.files.size() - files_before);
    add(with_.seen.bytes_found, mine.totals.bytes - bytes_before);
    spawn_all(folders);
  }

  void add_folder(finds& mine, const folder& where, const char* name, children& found) {
    if (!with_.rules.takes_folder(where, name)) {
      ++mine.totals.skipped.pattern;
    } else if (const auto& most = options().max_depth; most && where.depth + 1 >= *most) {
      ++mine.totals.skipped.depth;
    } else {
      mine.folders.push_back(below(where, name));
      found.push_back(&mine.folders.back());
    }
  }
  static folder below(const folder& where, const char* name) {
    return {.parent = &where,
            .name = name,
            .root = &where.top(),
            .depth = where.depth + 1,
            .reference = where.reference,
            .behind_symlink = where.behind_symlink};
  }

  void look_at_file(finds& mine, const folder& where, int here, const char* name) {
    if (!with_.rules.takes_file(where, name)) {
      ++mine.totals.skipped.pattern;
      return;
    }
    struct stat status{};
    if (status_of(where, here, name, AT_SYMLINK_NOFOLLOW, status)) take_regular(mine, where, name, status, false);
  }

  void look_at_link(finds& mine, const folder& where, int here, const char* name) {
    struct stat status{};
    if (!options().follow_symlinks) {
      ++mine.totals.skipped.symlinks;
    } else if (::fstatat(here, name, &status, 0) != 0) {
      const int error = errno;
      ++mine.totals.skipped.symlinks;
      if (error == ELOOP) {
        with_.report(path_of(where, name), problem_kind::loop, ELOOP, "leads nowhere");
      } else if (error != ENOENT && error != ENOTDIR) {  // these: there is nothing
        with_.report(path_of(where, name), problem_kind::unreadable, error, "cannot be followed");
      }
    } else if (S_ISDIR(status.st_mode)) {
      mine.links.push_back({&where, mine.keep(name)});
    } else if (!with_.rules.takes_file(where, name)) {
      ++mine.totals.skipped.pattern;
    } else {
      take_regular(mine, where, name, status, true);
    }
  }

  // File systems that do not tell what an entry is.
  void look_at_unknown(finds& mine, const folder& where, int here, const char* name, children& found) {
    struct stat status{};
    if (!status_of(where, here, name, AT_SYMLINK_NOFOLLOW, status)) return;
    if (S_ISDIR(status.st_mode)) {
      add_folder(mine, where, name, found);
    } else if (S_ISLNK(status.st_mode)) {
      look_at_link(mine, where, here, name);
    } else if (!with_.rules.takes_file(where, name)) {
      ++mine.totals.skipped.pattern;
    } else {
      take_regular(mine, where, name, status, false);
    }
  }

  bool status_of(const folder& where, int here, const char* name, int flags, struct stat& status) {
    if (::fstatat(here, name, &status, flags) == 0) return true;
    const bool gone = errno == ENOENT;
    with_.report(path_of(where, name), gone ? problem_kind::changed : problem_kind::unreadable, errno,
                 gone ? "has vanished" : "cannot be looked at");
    return false;
  }

  void take_regular(finds& mine, const folder& where, const char* name, const struct stat& status, bool is_link) {
    if (S_ISREG(status.st_mode)) {
      take(mine, where, name, status, is_link);
    } else {
      ++mine.totals.skipped.special;
    }
  }

  void take(finds& mine, const folder& where, const char* name, const struct stat& status, bool is_link) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size == 0 && !options().empty_files) {
      ++mine.totals.skipped.empty;
      return;
    }
    if (size < options().min_size || size > options().max_size) {
      ++mine.totals.skipped.size;
      return;
    }
    ++mine.totals.files;
    mine.totals.bytes += size;
    mine.files.push_back({.where = &where,
                          .name = mine.keep(name),
                          .size = size,
                          .identity = identity_of(status),
                          .mtime_ns = nanoseconds(status.st_mtim),
                          .disk_bytes = static_cast<std::uint64_t>(status.st_blocks) * 512,
                          .links = static_cast<std::uint32_t>(status.st_nlink),
                          .through_symlink = is_link,
                          .own = user_ == 0 || user_ == status.st_uid});
  }

  // --- Links to folders. One after the other: so it does not depend on chance by which path a folder is reached.

  void follow_links() {
    for (;;) {
      std::vector<link> found;
      local_.for_each([&](finds& each) {
        found.insert(found.end(), each.links.begin(), each.links.end());
        each.links.clear();
      });
      if (found.empty() || with_.stopped()) return;
      std::ranges::sort(found, {}, [](const link& each) { return path_of(*each.where, each.name); });
      for (const link& each : found) {
        children target;
        {
          finds& mine = local_.local();
          add_folder(mine, *each.where, each.name, target);
        }
        for (folder* const which : target) which->through_symlink = which->behind_symlink = true;
        spawn_all(target);
        group_.wait();
      }
    }
  }

  // --- The end.

  walked collect() {
    walked all;
    all.folders.push_back(std::move(given_));
    all.folders.push_back(std::move(parents_));
    local_.for_each([&](finds& each) {
      if (all.files.empty()) {
        all.files = std::move(each.files);
      } else {
        all.files.insert(all.files.end(), each.files.begin(), each.files.end());
      }
      all.folders.push_back(std::move(each.folders));
      std::ranges::move(each.names, std::back_inserter(all.names));
      add_totals(all.totals, each.totals);
    });
    return all;
  }

  static void add_totals(search_totals& sum, const search_totals& part) {
    sum.folders += part.folders;
    sum.files += part.files;
    sum.bytes += part.bytes;
    sum.skipped.empty += part.skipped.empty;
    sum.skipped.size += part.skipped.size;
    sum.skipped.pattern += part.skipped.pattern;
    sum.skipped.hidden += part.skipped.hidden;
    sum.skipped.symlinks += part.skipped.symlinks;
    sum.skipped.special += part.skipped.special;
    sum.skipped.file_system += part.skipped.file_system;
    sum.skipped.depth += part.skipped.depth;
    sum.skipped.seen_before += part.skipped.seen_before;
  }

  search& with_;
  per_worker<finds> local_;
  std::mutex lock_;
  std::unordered_set<file_identity, identity_hash> seen_;  // folders
  std::deque<folder> given_;
  std::deque<folder> parents_;  // of given files
  const uid_t user_;
  task_group group_;  // last: its destructor waits for tasks that use the rest
};

}  // namespace

walked walk(search& with) { return walker(with).run(); }

}  // namespace pilfer::dups
