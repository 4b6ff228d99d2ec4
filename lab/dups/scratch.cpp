#include "lab/dups/scratch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "lab/measure/interrupt.hpp"

namespace pilfer::lab::dups {
namespace {

constexpr std::uint64_t block = 4096;
constexpr std::uint64_t always_left = std::uint64_t{256} << 20;  // of a disk that is not ours alone

class reader {
 public:
  explicit reader(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), path);
  }
  ~reader() { ::close(fd_); }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

// Are any pages of it in memory?
bool is_cached(const std::string& path, std::uint64_t size) {
  const reader file(path);
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd(), 0);
  if (mapped == MAP_FAILED) return true;
  std::vector<unsigned char> pages((size + block - 1) / block);
  const bool known = ::mincore(mapped, size, pages.data()) == 0;
  ::munmap(mapped, size);
  return !known || std::ranges::any_of(pages, [](unsigned char page) { return (page & 1) != 0; });
}

// Of the whole machine, if this process may.
bool drop_caches() {
  const int fd = ::open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = ::write(fd, "1", 1) == 1;  // pages, not folders and inodes: as the other way
  ::close(fd);
  return done;
}

std::string new_folder(const std::string& place) {
  std::string name = std::filesystem::canonical(place).string() + "/pilfer-dups-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  return name;
}

std::string place_for(const corpus_plan& plan, const std::vector<std::string>& places) {
  const space_needed needed = space_for(plan);
  std::string complaints;
  for (const bool on_disk : {true, false}) {
    for (const std::string& one : places) {
      if (is_on_disk(one) != on_disk) continue;
      const std::string why = why_too_small(one, needed);
      if (why.empty()) return one;
      complaints += "; " + why;
    }
  }
  throw std::runtime_error(fmt::format("no room for the corpus '{}'{}", plan.name, complaints));
}

}  // namespace

space_needed space_for(const corpus_plan& plan) {
  space_needed sum{.bytes = 0, .inodes = plan.folders.size() + plan.files.size() + plan.symlinks.size() + 8};
  for (const planned_file& one : plan.files) {
    if (one.link_to == planned_file::no_link) sum.bytes += (one.what.size + block - 1) / block * block;
  }
  constexpr std::uint64_t inode_bytes = 512;  // and its entry in a folder
  sum.bytes += sum.inodes * inode_bytes + plan.folders.size() * block;
  return sum;
}

std::string why_too_small(const std::string& folder, const space_needed& needed) {
  struct statvfs about{};
  if (::statvfs(folder.c_str(), &about) != 0)
    return fmt::format("{}: {}", folder, std::generic_category().message(errno));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return folder + " cannot be written to";
  const std::uint64_t room = about.f_bavail * about.f_frsize;
  if (room < needed.bytes + always_left)
    return fmt::format("{} has {} MiB free, {} are needed", folder, room >> 20, (needed.bytes + always_left) >> 20);
  // Some file systems make inodes as they need them, and have a 0 here.
  if (about.f_files != 0 && about.f_favail < needed.inodes)
    return fmt::format("{} has {} inodes free, {} are needed", folder, about.f_favail, needed.inodes);
  return {};
}

bool is_on_disk(const std::string& folder) {
  struct statfs about{};
  if (::statfs(folder.c_str(), &about) != 0) return false;
  const auto type = static_cast<unsigned long>(about.f_type);
  return type != TMPFS_MAGIC && type != RAMFS_MAGIC;
}

std::vector<std::string> usual_places() {
  std::vector<std::string> places;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment meanwhile
  if (const char* const wanted = std::getenv("TMPDIR"); wanted != nullptr && *wanted != '\0')
    places.emplace_back(wanted);
  places.insert(places.end(), {".", "/var/tmp", "/tmp"});
  return places;
}

scratch_corpus::scratch_corpus(corpus_plan plan, const std::vector<std::string>& places)
    : plan_(std::move(plan)), folder_(new_folder(place_for(plan_, places))), root_(folder_ + "/corpus") {
  try {
    write_corpus(plan_, root_);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    throw;
  }
}

scratch_corpus::~scratch_corpus() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void scratch_corpus::sync() const {
  const reader folder(root_);
  if (::syncfs(folder.fd()) != 0) throw std::system_error(errno, std::generic_category(), root_);
}

void scratch_corpus::warm_up() const {
  std::vector<std::byte> buffer(1 << 20);
  for (const planned_file& one : plan_.files) {
    throw_if_interrupted();
    const reader file(root_ + "/" + one.path);
    while (::read(file.fd(), buffer.data(), buffer.size()) > 0) {
    }
  }
}

void scratch_corpus::advise_all() const {
  for (const planned_file& one : plan_.files) {
    const reader file(root_ + "/" + one.path);
    ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED);
  }
}

bool scratch_corpus::is_evicted() const {
  constexpr std::size_t looks = 50;
  const std::size_t step = std::max<std::size_t>(plan_.files.size() / looks, 1);
  for (std::size_t i = 0; i < plan_.files.size(); i += step) {
    const planned_file& one = plan_.files[i];
    if (one.what.size > 0 && is_cached(root_ + "/" + one.path, one.what.size)) return false;
  }
  return true;
}

scratch_corpus::eviction scratch_corpus::find_eviction() const {
  if (!is_on_disk(root_)) return eviction::none;
  sync();
  for (const eviction how : {eviction::fadvise, eviction::drop_caches}) {
    warm_up();
    evict(how);
    if (is_evicted()) return how;
  }
  return eviction::none;
}

void scratch_corpus::evict(eviction how) const {
  throw_if_interrupted();
  if (how == eviction::fadvise) advise_all();
  if (how == eviction::drop_caches) static_cast<void>(drop_caches());
}

const char* name_of(scratch_corpus::eviction how) noexcept {
  switch (how) {
    case scratch_corpus::eviction::none: return "none";
    case scratch_corpus::eviction::fadvise: return "posix_fadvise(DONTNEED) for each file";
    case scratch_corpus::eviction::drop_caches: return "/proc/sys/vm/drop_caches";
  }
  return "?";
}

}  // namespace pilfer::lab::dups
