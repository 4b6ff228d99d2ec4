#include "actions.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "words.hpp"

namespace pilfer::dups {
namespace {

class held_descriptor {
 public:
  explicit held_descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~held_descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  held_descriptor(held_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  held_descriptor& operator=(held_descriptor&&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

std::string reason(int error) { return std::generic_category().message(error); }

step_outcome leave(std::string why) { return {step_result::left_alone, std::move(why)}; }

std::int64_t mtime_ns(const struct stat& of) noexcept {
  return std::int64_t{of.st_mtim.tv_sec} * 1'000'000'000 + of.st_mtim.tv_nsec;
}

bool is_as_found(const struct stat& now, const duplicate& found, std::uint64_t size) noexcept {
  return S_ISREG(now.st_mode) && now.st_dev == found.device && now.st_ino == found.inode &&
         static_cast<std::uint64_t>(now.st_size) == size && mtime_ns(now) == found.mtime_ns;
}

held_descriptor open_again(const duplicate& found) {
  const int links = found.through_symlink ? 0 : O_NOFOLLOW;
  return held_descriptor(::open(found.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | links));
}

constexpr unsigned most_attempts = 100;  // at a name that nobody has
std::string temporary_name(unsigned attempt) { return fmt::format(".pilfer-{}-{}.tmp", ::getpid(), attempt); }

std::string kept_has_changed(const step& what) {
  return fmt::format("{}, which would be kept, has changed since it was found", shown(what.kept.path));
}

}  // namespace

// A name in a folder that is held open: what is looked at last is what is acted upon.
struct actor::place {
  explicit place(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    name = slash == std::string::npos ? path : path.substr(slash + 1);
    parent = slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
    folder = std::make_unique<held_descriptor>(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!*folder || name.empty() || ::fstat(folder->get(), &folder_status) != 0 || !look()) error = errno;
  }
  // False: see errno.
  bool look() { return ::fstatat(folder->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0; }
  [[nodiscard]] bool same_entry(const place& as) const {
    return name == as.name && folder_status.st_dev == as.folder_status.st_dev &&
           folder_status.st_ino == as.folder_status.st_ino;
  }

  std::string parent;
  std::string name;
  std::unique_ptr<held_descriptor> folder;
  struct stat folder_status{};
  struct stat status{};
  int error = 0;
};

// A link that stands for the kept file stays what it is: what it leads to was compared.
bool actor::is_still_there(const step& what, place& kept) {
  if (what.kept.through_symlink && S_ISLNK(kept.status.st_mode)) return true;
  return kept.look() && is_as_found(kept.status, what.kept, what.size);
}

std::string real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path resolved =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  if (error) return path;
  std::string text = resolved.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

bool lies_in(const std::string& path, const std::string& folder) noexcept {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder == "/" || path[folder.size()] == '/';
}

actor::actor(action_settings settings) : settings_(std::move(settings)) {
  for (const std::string& folder : settings_.reference) protected_.push_back(real_path(folder));
  if (!settings_.folder.empty()) folder_ = real_path(settings_.folder);
  if (!settings_.sync) settings_.sync = [](int fd) { return ::fsync(fd) == 0 ? 0 : -errno; };
  if (!settings_.rename) {
    settings_.rename = [](int folder, const char* from, const char* to) {
      return ::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0 ? 0 : -errno;
    };
  }
  if (!settings_.dedupe_range) {
    settings_.dedupe_range = [](int fd, ::file_dedupe_range* range) {
      return ::ioctl(fd, FIDEDUPERANGE, range) == 0 ? 0 : -errno;
    };
  }
}

std::string actor::why_not(const step& what, const place& kept, const place& other, const std::stop_token& stop) const {
  if (what.other.reference) return "it is a reference file";
  if (kept.error != 0) return fmt::format("{}, which would be kept: {}", shown(what.kept.path), reason(kept.error));
  if (other.error != 0) return reason(other.error);
  if (what.other.through_symlink || what.other.behind_symlink || S_ISLNK(other.status.st_mode))
    return "it was reached through a symbolic link";
  if (kept.same_entry(other)) return fmt::format("it is {} itself, reached by another path", shown(what.kept.path));
  const std::string real = real_path(other.parent);
  const auto holds = [&](const std::string& folder) {
    return lies_in(real == "/" ? real + other.name : real + "/" + other.name, folder);
  };
  if (std::ranges::any_of(protected_, holds)) return "it lies in a reference folder";

  const bool one_inode = what.kept.device == what.other.device && what.kept.inode == what.other.inode;
  if (one_inode) {
    if (!is_as_found(kept.status, what.kept, what.size) || !is_as_found(other.status, what.other, what.size))
      return "it has changed since it was found";
    // The same name under another spelling, as on file systems that ignore case.
    return other.status.st_nlink < 2 ? "it is the only name of this file" : "";
  }
  const recheck_result now = recheck(what.kept, what.other, what.size, stop);
  if (stop.stop_requested()) return "interrupted";
  switch (now.what) {
    case verdict::equal: return "";
    case verdict::same_file: return fmt::format("it has become the same file as {}", shown(what.kept.path));
    case verdict::differ: return fmt::format("its content differs from {} by now", shown(what.kept.path));
    case verdict::changed:
      return now.path == what.kept.path
                 ? fmt::format("{}, which would be kept, has changed since it was found", shown(now.path))
                 : "it has changed since it was found";
    case verdict::unreadable: break;
  }
  if (now.path == what.kept.path) return fmt::format("{}, which would be kept: {}", shown(now.path), reason(now.error));
  return reason(now.error);
}

// The copy that stays may be in memory only, and the one that goes on disk: a power cut must not take both.
std::string actor::why_not_durable(const step& what) {
  if (what.kept.device == synced_device_ && what.kept.inode == synced_inode_) return "";
  const held_descriptor kept = open_again(what.kept);
  const int result = kept ? settings_.sync(kept.get()) : -errno;
  // File systems that are only read have nothing to write.
  if (result != 0 && result != -EINVAL && result != -EROFS) {
    return fmt::format("{}, which would be kept, cannot be written to the disk: {}", shown(what.kept.path),
                       reason(-result));
  }
  synced_device_ = what.kept.device;
  synced_inode_ = what.kept.inode;
  return "";
}

step_outcome actor::act(const step& what, const std::stop_token& stop) {
  if (stop.stop_requested()) return leave("interrupted");
  place kept(what.kept.path);
  place other(what.other.path);
  const bool one_inode = what.kept.device == what.other.device && what.kept.inode == what.other.inode;
  if (one_inode && settings_.kind == action_kind::hard_link && !kept.same_entry(other))
    return {step_result::needless, "it is a hard link already"};
  if (one_inode && settings_.kind == action_kind::reflink && !kept.same_entry(other))
    return {step_result::needless, "it is a hard link: there is nothing to share"};
  if (settings_.kind == action_kind::reflink && what.size == 0) return {step_result::needless, "it is empty"};
  if (std::string why = why_not(what, kept, other, stop); !why.empty()) return leave(std::move(why));
  if (!settings_.dry_run && !one_inode && settings_.kind != action_kind::reflink) {
    if (std::string why = why_not_durable(what); !why.empty()) return leave(std::move(why));
  }
  if (settings_.before_acting) settings_.before_acting();

  // Reading and writing took their time: the names must still stand for what was read.
  if (!is_still_there(what, kept)) return leave(kept_has_changed(what));
  if (!other.look() || !is_as_found(other.status, what.other, what.size))
    return leave("it has changed since it was found");
  if (stop.stop_requested()) return leave("interrupted");
  switch (settings_.kind) {
    case action_kind::remove: return remove(what, kept, other);
    case action_kind::hard_link: return hard_link(what, other);
    case action_kind::reflink: return reflink(what);
    case action_kind::move: return move(other);
  }
  return {};
}

// Under another name first: only then it is certain which inode goes, and that the kept name is not the same entry seen through another
// mount, which has gone with it.
step_outcome actor::remove(const step& what, place& kept, const place& other) {
  if (settings_.dry_run) {
    if (::faccessat(other.folder->get(), ".", W_OK | X_OK, AT_EACCESS) != 0) return leave(reason(errno));
    return {step_result::would_be_done};
  }
  const int folder = other.folder->get();
  struct stat kept_before{};
  if (const held_descriptor opened = open_again(what.kept); !opened || ::fstat(opened.get(), &kept_before) != 0)
    return leave(kept_has_changed(what));
  std::string temporary;
  int error = EEXIST;
  for (unsigned attempt = 0; error == EEXIST && attempt < most_attempts; ++attempt) {
    temporary = temporary_name(attempt);
    error = -settings_.rename(folder, other.name.c_str(), temporary.c_str());
  }
  if (error == EINVAL || error == ENOSYS) {  // this file system has no such call
    if (::unlinkat(folder, other.name.c_str(), 0) != 0) return leave(reason(errno));
    return {step_result::done};
  }
  if (error != 0) return leave(reason(error));
  std::string why = why_not_unlinked(what, kept, other, temporary.c_str(), kept_before);
  if (why.empty()) return {step_result::done};
  if (const int result = settings_.rename(folder, temporary.c_str(), other.name.c_str()); result != 0) {
    why += fmt::format("; it is called {} now, and cannot be called as before: {}",
                       shown(other.parent + "/" + temporary), reason(-result));
  }
  return leave(std::move(why));
}

std::string actor::why_not_unlinked(const step& what, place& kept, const place& other, const char* temporary,
                                    const struct stat& kept_before) {
  const int folder = other.folder->get();
  if (settings_.before_unlinking) settings_.before_unlinking();
  struct stat now{};
  if (::fstatat(folder, temporary, &now, AT_SYMLINK_NOFOLLOW) != 0) return reason(errno);
  if (!is_as_found(now, what.other, what.size)) return "it has changed since it was found";
  // Opened, too: some file systems remember for a while names that are gone.
  const held_descriptor opened = open_again(what.kept);
  if (!is_still_there(what, kept) || !opened || ::fstat(opened.get(), &now) != 0 ||
      !is_as_found(now, what.kept, what.size))
    return kept_has_changed(what);
  // An overlay finds the file by its old name even now; but the rename is a change of status, and of this inode alone.
  const bool one_inode = what.kept.device == what.other.device && what.kept.inode == what.other.inode;
  if (!one_inode &&
      (now.st_ctim.tv_sec != kept_before.st_ctim.tv_sec || now.st_ctim.tv_nsec != kept_before.st_ctim.tv_nsec)) {
    return fmt::format("{}, which would be kept, changes with it: it may be the same file, seen through another mount",
                       shown(what.kept.path));
  }
  return ::unlinkat(folder, temporary, 0) == 0 ? "" : reason(errno);
}

step_outcome actor::hard_link(const step& what, const place& other) {
  if (what.kept.device != what.other.device)
    return leave(fmt::format("it is on another file system than {}: no hard link is possible", shown(what.kept.path)));
  // One inode has one owner and one mode: what was private would become readable, or the other way round.
  struct stat kept{};
  const int follow = what.kept.through_symlink ? 0 : AT_SYMLINK_NOFOLLOW;
  if (::fstatat(AT_FDCWD, what.kept.path.c_str(), &kept, follow) != 0) return leave(reason(errno));
  if (kept.st_uid != other.status.st_uid || kept.st_gid != other.status.st_gid || kept.st_mode != other.status.st_mode)
    return leave(fmt::format("its owner or mode differs from that of {}", shown(what.kept.path)));
  if (settings_.dry_run) return {step_result::would_be_done};

  // Under another name first: at every moment the name that people know is there, with this content.
  std::string temporary;
  int error = EEXIST;
  for (unsigned attempt = 0; error == EEXIST && attempt < most_attempts; ++attempt) {
    temporary = temporary_name(attempt);
    const int flags = what.kept.through_symlink ? AT_SYMLINK_FOLLOW : 0;
    error = ::linkat(AT_FDCWD, what.kept.path.c_str(), other.folder->get(), temporary.c_str(), flags) == 0 ? 0 : errno;
  }
  if (error == EXDEV) return leave("a hard link across this mount point is not possible");
  if (error != 0) return leave(fmt::format("cannot link: {}", reason(error)));
  struct stat linked{};
  std::string why;
  if (::fstatat(other.folder->get(), temporary.c_str(), &linked, AT_SYMLINK_NOFOLLOW) != 0 ||
      !is_as_found(linked, what.kept, what.size)) {
    why = kept_has_changed(what);
  } else if (::renameat(other.folder->get(), temporary.c_str(), other.folder->get(), other.name.c_str()) != 0) {
    why = reason(errno);
  } else {
    return {step_result::done};
  }
  ::unlinkat(other.folder->get(), temporary.c_str(), 0);
  return leave(std::move(why));
}

step_outcome actor::reflink(const step& what) {
  const held_descriptor kept = open_again(what.kept);
  const held_descriptor other = open_again(what.other);
  if (!kept || !other) return leave(reason(errno));
  // The kernel locks both and compares once more. It takes pieces: 16 MiB is the most that every file system agrees to.
  constexpr std::uint64_t piece = std::uint64_t{16} << 20;
  alignas(::file_dedupe_range) std::array<std::byte, sizeof(::file_dedupe_range) + sizeof(::file_dedupe_range_info)>
      memory{};
  std::uint64_t offset = 0;
  do {
    memory.fill(std::byte{0});  // in which an object of that type begins to live, by C++20's rule for bytes
    auto* range = std::launder(reinterpret_cast<::file_dedupe_range*>(memory.data()));
    range->src_offset = offset;
    range->src_length = settings_.dry_run ? 0 : std::min(piece, what.size - offset);  // none: asks whether it could
    range->dest_count = 1;
    range->info[0].dest_fd = other.get();
    range->info[0].dest_offset = offset;
    const int result = settings_.dedupe_range(kept.get(), range);
    const int status = result != 0 ? result : range->info[0].status;
    if (status == -EOPNOTSUPP || status == -ENOTTY || status == -EINVAL || status == -ENOSYS)
      return leave("this file system cannot share the blocks of two files (reflink)");
    if (status == -EXDEV) {
      return leave(
          fmt::format("it is on another file system than {}: they cannot share blocks", shown(what.kept.path)));
    }
    if (status < 0) return leave(fmt::format("cannot share blocks: {}", reason(-status)));
    if (status == FILE_DEDUPE_RANGE_DIFFERS)
      return leave(fmt::format("its content differs from {} by now", shown(what.kept.path)));
    if (settings_.dry_run) return {step_result::would_be_done};
    const std::uint64_t shared = range->info[0].bytes_deduped;
    if (shared == 0) return leave(fmt::format("the file system shared only the first {}", bytes_text(offset)));
    offset += shared;
  } while (offset < what.size);
  return {step_result::done};
}

step_outcome actor::move(const place& other) {
  const std::string parent = real_path(other.parent);
  std::string to = folder_ + (parent == "/" ? "" : parent);
  if (folder_ == "/") to = parent;
  const std::string target = fmt::format("{}{}{}", to, to.ends_with('/') ? "" : "/", other.name);
  struct stat there{};
  if (::lstat(target.c_str(), &there) == 0) return leave(fmt::format("{} exists already", shown(target)));
  // The nearest folder that is there tells which file system it would be.
  std::filesystem::path nearest = folder_;
  while (::stat(nearest.c_str(), &there) != 0 && nearest.has_relative_path()) nearest = nearest.parent_path();
  if (there.st_dev != other.status.st_dev)
    return leave(fmt::format("{} is on another file system: a move would be a copy", shown(settings_.folder)));
  if (settings_.dry_run) return {step_result::would_be_done, {}, target};
  std::error_code error;
  std::filesystem::create_directories(to, error);
  if (error) return leave(fmt::format("cannot make the folder {}: {}", shown(to), error.message()));
  if (::renameat2(other.folder->get(), other.name.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno == EEXIST) return leave(fmt::format("{} exists already", shown(target)));
    if (errno == EXDEV) return leave(fmt::format("{} is on another file system: a move would be a copy", shown(to)));
    return leave(fmt::format("cannot move: {}", reason(errno)));
  }
  return {step_result::done, {}, target};
}

}  // namespace pilfer::dups
