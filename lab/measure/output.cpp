#include "lab/measure/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace pilfer::lab {
namespace {

[[noreturn]] void fail(std::string_view what, int error) {
  throw output_error(fmt::format("cannot write {}: {}", what, std::generic_category().message(error)));
}

class descriptor {
 public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool valid() const noexcept { return fd_ >= 0; }
  // Closing can be the call that tells of a full disk.
  [[nodiscard]] bool close() noexcept { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// 0, or the error.
int write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

std::string temporary_name(const std::string& path) { return fmt::format("{}.{}.tmp", path, ::getpid()); }

int open_new(const std::string& path) noexcept {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

}  // namespace

void reserve_standard_descriptors() {
  // The lowest free number is what open() returns. Reading only: a write still fails, as on a closed one.
  while (true) {
    const int fd = ::open("/dev/null", O_RDONLY);
    if (fd < 0) return;
    if (fd > STDERR_FILENO) {
      ::close(fd);
      return;
    }
  }
}

void write_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    fail("standard output", errno);
}

output_file::output_file(std::string path) : path_(std::move(path)), real_path_(path_) {
  if (is_stdout()) {
    const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail("standard output", EBADF);
    return;
  }
  if (path_.empty()) throw output_error("cannot write a file without a name");
  std::error_code error;
  if (const auto resolved = std::filesystem::weakly_canonical(path_, error); !error) real_path_ = resolved.string();

  struct stat status{};
  const bool exists = ::stat(real_path_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(path_, errno);
  if (exists && S_ISDIR(status.st_mode)) fail(path_, EISDIR);
  replace_ = !exists || S_ISREG(status.st_mode);
  if (exists && ::access(real_path_.c_str(), W_OK) != 0) fail(path_, errno);
  if (!replace_) return;

  const std::string trial = temporary_name(real_path_);
  const descriptor file(open_new(trial));
  if (!file.valid()) fail(path_, errno);
  ::unlink(trial.c_str());
}

void output_file::write(std::string_view text) const {
  if (is_stdout()) {
    write_stdout(text);
    return;
  }
  if (!replace_) {
    descriptor device(::open(real_path_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!device.valid()) fail(path_, errno);
    if (const int error = write_all(device.get(), text); error != 0) fail(path_, error);
    if (!device.close()) fail(path_, errno);
    return;
  }

  const std::string temporary = temporary_name(real_path_);
  descriptor file(open_new(temporary));
  if (!file.valid()) fail(path_, errno);
  int error = 0;
  if (struct stat old{}; ::stat(real_path_.c_str(), &old) == 0 && ::fchmod(file.get(), old.st_mode & 07777) != 0)
    error = errno;
  if (error == 0) error = write_all(file.get(), text);
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  if (!file.close() && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), real_path_.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(path_, error);
  }
}

}  // namespace pilfer::lab
