#include "tools/serve/static_files.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

#include "tools/serve/characters.hpp"

namespace pilfer::serve {
namespace {

constexpr std::string_view index_name = "index.html";
constexpr std::time_t last_date = 253'402'300'799;  // of the year 9999
// A FIFO must not make us wait, nor a terminal become ours.
constexpr int file_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

constexpr std::array<std::pair<std::string_view, std::string_view>, 27> types = {{
    {"avif", "image/avif"},
    {"bin", "application/octet-stream"},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/x-icon"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"md", "text/markdown; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"svg", "image/svg+xml"},
    {"txt", "text/plain; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"webm", "video/webm"},
    {"webp", "image/webp"},
    {"woff2", "font/woff2"},
    {"xml", "application/xml"},
    {"zip", "application/zip"},
}};

// One segment, decoded, behind what is there.
status add_segment(std::string& to, std::string_view escaped) {
  const std::size_t begin = to.size();
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    char c = escaped[i];
    if (c == '%') {
      if (escaped.size() - i < 3) return status::bad_request;
      const int high = hex_value(escaped[i + 1]);
      const int low = hex_value(escaped[i + 2]);
      if (high < 0 || low < 0) return status::bad_request;
      c = static_cast<char>(high * 16 + low);
      if (c == '/') return status::bad_request;
      i += 2;
    }
    if (c == '\0') return status::bad_request;
    to += c;
  }
  const std::string_view segment = std::string_view(to).substr(begin);
  return segment.starts_with('.') && segment != ".well-known" ? status::forbidden : status::ok;
}

status status_of_error(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case EINVAL: return status::not_found;
    case EACCES:
    case EPERM:
    case ELOOP:  // also: a link, where links are not followed
    case EXDEV:  // it leads out
    case ENXIO: return status::forbidden;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN: return status::overloaded;
    default: return status::broken;
  }
}

int open_beneath(int root, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  constexpr int attempts = 8;  // EAGAIN: something was renamed while a link with ".." was resolved
  for (int i = 0;; ++i) {
    const long opened = ::syscall(SYS_openat2, root, path, &how, sizeof how);
    if (opened >= 0) return static_cast<int>(opened);
    if (errno != EINTR && (errno != EAGAIN || i == attempts)) return -errno;
  }
}

std::string location_of(std::string_view target) {
  const std::size_t query = std::min(target.find('?'), target.size());
  std::string_view path = target.substr(0, query);
  while (path.starts_with("//")) path.remove_prefix(1);  // "//name/" would mean another host
  return std::string(path) + "/" + std::string(target.substr(query));
}

}  // namespace

std::string_view content_type_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot != std::string_view::npos && path.find('/', dot) == std::string_view::npos) {
    for (const auto& [ending, type] : types) {
      if (same_word(path.substr(dot + 1), ending)) return type;
    }
  }
  return "application/octet-stream";
}

target_path path_of_target(std::string_view target) {
  target = target.substr(0, target.find('?'));
  target_path found;
  while (!target.empty()) {
    target.remove_prefix(1);  // the slash
    const std::string_view segment = target.substr(0, target.find('/'));
    target.remove_prefix(segment.size());
    if (segment.empty()) continue;
    found.how = add_segment(found.path, segment);
    if (found.how != status::ok) return found;
    if (!target.empty()) found.path += '/';
  }
  if (found.path.size() + index_name.size() >= PATH_MAX) found.how = status::not_found;
  return found;
}

found_file::~found_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

found_file::found_file(found_file&& other) noexcept
    : how(other.how),
      size(other.size),
      modified(other.modified),
      type(other.type),
      location(std::move(other.location)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

found_file& found_file::operator=(found_file&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);  // the other one closes ours
  how = other.how;
  size = other.size;
  modified = other.modified;
  type = other.type;
  location = std::move(other.location);
  return *this;
}

static_files::static_files(const std::string& root, bool walks) : walks_(walks) {
  root_ = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_ < 0) throw std::system_error(errno, std::generic_category(), root);
  if (walks_) return;
  const int probe = open_beneath(root_, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (probe >= 0) ::close(probe);
  walks_ = probe == -ENOSYS || probe == -EPERM || probe == -EINVAL;
}

static_files::~static_files() { ::close(root_); }

int static_files::open_below(const std::string& path) const {
  return walks_ ? open_step_by_step(path) : open_beneath(root_, path.c_str(), file_flags);
}

int static_files::open_step_by_step(const std::string& path) const {
  int folder = root_;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t slash = path.find('/', begin);
    const bool last = slash == std::string::npos;
    const std::string segment = path.substr(begin, last ? slash : slash - begin);
    const int flags = last ? file_flags | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int opened = ::openat(folder, segment.empty() ? "." : segment.c_str(), flags);
    if (opened < 0) opened = -errno;
    if (folder != root_) ::close(folder);
    if (last || opened < 0) return opened;
    folder = opened;
    begin = slash + 1;
  }
}

found_file static_files::find(std::string_view target) const {
  if (!target.starts_with('/')) return found_file(status::bad_request);
  target_path where = path_of_target(target);
  if (where.how != status::ok) return found_file(where.how);
  if (where.path.empty() || where.path.ends_with('/')) where.path += index_name;
  const int opened = open_below(where.path);
  if (opened < 0) return found_file(status_of_error(-opened));
  found_file found(status::ok);
  found.descriptor_ = opened;
  struct stat about{};
  if (::fstat(opened, &about) != 0) return found_file(status::broken);
  if (S_ISDIR(about.st_mode)) {
    found.how = status::moved;
    found.location = location_of(target);
    return found;
  }
  if (!S_ISREG(about.st_mode)) return found_file(status::forbidden);
  found.size = static_cast<std::uint64_t>(about.st_size);
  found.modified = std::clamp<std::time_t>(about.st_mtim.tv_sec, 0, last_date);
  found.type = content_type_of(where.path);
  return found;
}

}  // namespace pilfer::serve
