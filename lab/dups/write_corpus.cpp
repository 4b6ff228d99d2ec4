#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "lab/dups/corpus.hpp"
#include "lab/measure/interrupt.hpp"

namespace pilfer::lab::dups {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

class open_file {
 public:
  open_file(const std::string& path, int flags) : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail(path);
  }
  ~open_file() { ::close(fd_); }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  void write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) fail(path_);
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
  }

 private:
  const std::string& path_;
  int fd_;
};

}  // namespace

void write_corpus(const corpus_plan& plan, const std::string& root) {
  const auto place = [&](const std::string& path) { return root + "/" + path; };
  std::filesystem::create_directories(root);
  for (const std::string& one : plan.folders) {
    if (::mkdir(place(one).c_str(), 0755) != 0) fail(place(one));
  }
  constexpr std::uint64_t piece = 1 << 20;
  std::vector<std::byte> buffer(piece);
  for (const planned_file& one : plan.files) {
    throw_if_interrupted();
    const std::string path = place(one.path);
    if (one.link_to != planned_file::no_link) {
      const std::string to = place(plan.files[one.link_to].path);
      if (::link(to.c_str(), path.c_str()) != 0) fail(path);
      continue;
    }
    const open_file out(path, O_WRONLY | O_CREAT | O_EXCL);
    for (std::uint64_t at = 0; at < one.what.size; at += piece) {
      const std::span bytes(buffer.data(), std::min(piece, one.what.size - at));
      fill(bytes, one.what, at);
      out.write(bytes);
    }
  }
  for (const auto& [name, to] : plan.symlinks) {
    if (::symlink(place(to).c_str(), place(name).c_str()) != 0) fail(place(name));
  }
}

}  // namespace pilfer::lab::dups
