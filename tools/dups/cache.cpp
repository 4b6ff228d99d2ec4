#include "cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace pilfer::dups {

namespace {

constexpr std::string_view magic = "pilferdC";
constexpr std::uint32_t version = 1;
constexpr std::size_t header_bytes = 8 + 4 + 8 + 8;
constexpr std::size_t entry_bytes = 4 * 8 + 2 * 16 + 8;
constexpr std::size_t sum_bytes = 8;
// No file that a search would write is larger: what is, is something else.
constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30U;

template <class T>
void put(std::string& text, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) text += static_cast<char>((value >> (8 * i)) & 0xFFU);
}

class parser {
 public:
  explicit parser(std::string_view text) noexcept : rest_(text) {}
  template <class T>
  T number() noexcept {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(rest_[i])) << (8 * i));
    rest_.remove_prefix(sizeof(T));
    return value;
  }

 private:
  std::string_view rest_;
};

std::string system_message(const char* what, int error) {
  return std::string(what) + ": " + std::system_category().message(error);
}

std::string read_all(int from, std::string& text) {
  std::array<char, std::size_t{64} << 10U> room{};
  for (;;) {
    const ssize_t got = ::read(from, room.data(), room.size());
    if (got == 0) return {};
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_message("cannot be read", errno);
    text.append(room.data(), static_cast<std::size_t>(got));
    if (text.size() > most_bytes) return "is too large for a cache";
  }
}

std::string write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(to, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return system_message("cannot be written", errno);
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

// Why it is no cache of this version and part size; empty: it is one.
std::string damage_of(std::string_view text, std::uint64_t part_bytes) {
  if (text.size() < header_bytes + sum_bytes || !text.starts_with(magic)) return "is no cache of pilfer dups";
  parser header(text.substr(magic.size()));
  if (header.number<std::uint32_t>() != version) return "is a cache of another version";
  if (header.number<std::uint64_t>() != part_bytes) return "has hashes of another part size";
  const auto entries = header.number<std::uint64_t>();
  const std::size_t body = text.size() - header_bytes - sum_bytes;
  if (body % entry_bytes != 0 || body / entry_bytes != entries) return "is damaged: its length is wrong";
  const std::string_view summed = text.substr(0, text.size() - sum_bytes);
  const std::uint64_t sum = XXH3_64bits(summed.data(), summed.size());
  if (parser(text.substr(summed.size())).number<std::uint64_t>() != sum) return "is damaged: its checksum is wrong";
  return {};
}

}  // namespace

std::string why_no_cache(const std::string& path) {
  const descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!opened.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return system_message("cannot be opened", errno);
  }
  struct stat status{};
  if (::fstat(opened.get(), &status) != 0) return system_message("cannot be looked at", errno);
  if (!S_ISREG(status.st_mode)) return "is no regular file";
  if (status.st_size == 0) return {};
  std::array<char, magic.size()> begin{};
  const ssize_t got = ::pread(opened.get(), begin.data(), begin.size(), 0);
  if (got < 0) return system_message("cannot be read", errno);
  if (std::string_view(begin.data(), static_cast<std::size_t>(got)) != magic) return "is no cache of pilfer dups";
  return {};
}

std::string hash_cache::read_into(table& entries, bool quiet) const {
  const descriptor opened(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened.is_open()) return errno == ENOENT || quiet ? std::string() : system_message("cannot be opened", errno);
  std::string text;
  std::string wrong = read_all(opened.get(), text);
  if (wrong.empty()) wrong = damage_of(text, part_bytes_);
  if (!wrong.empty()) return wrong;
  parser from(std::string_view(text).substr(header_bytes));
  for (std::size_t left = (text.size() - header_bytes - sum_bytes) / entry_bytes; left > 0; --left) {
    key each{};
    each.identity.device = from.number<std::uint64_t>();
    each.identity.inode = from.number<std::uint64_t>();
    each.size = from.number<std::uint64_t>();
    each.mtime_ns = static_cast<std::int64_t>(from.number<std::uint64_t>());
    cached_hashes hashes;
    hashes.edges.low = from.number<std::uint64_t>();
    hashes.edges.high = from.number<std::uint64_t>();
    hash128 full;
    full.low = from.number<std::uint64_t>();
    full.high = from.number<std::uint64_t>();
    if (from.number<std::uint64_t>() != 0) hashes.full = full;
    entries.insert_or_assign(each, hashes);
  }
  return {};
}

std::string hash_cache::load() {
  std::string wrong = why_no_cache(path_);
  somebodys_ = !wrong.empty();
  return somebodys_ ? wrong : read_into(entries_, false);
}

std::optional<cached_hashes> hash_cache::find(const file& what) const {
  const auto found = entries_.find(key_of(what));
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

void hash_cache::keep(const file& what, const cached_hashes& hashes) {
  const key where = key_of(what);
  const auto known = entries_.find(where);
  if (known != entries_.end() && (known->second.full || !hashes.full)) return;
  const std::lock_guard guard(lock_);
  fresh_.insert_or_assign(where, hashes);
}

std::string hash_cache::text_of(const table& entries) const {
  std::string text(magic);
  text.reserve(header_bytes + entries.size() * entry_bytes + sum_bytes);
  put(text, version);
  put(text, part_bytes_);
  put(text, std::uint64_t{entries.size()});
  for (const auto& [where, hashes] : entries) {
    put(text, where.identity.device);
    put(text, where.identity.inode);
    put(text, where.size);
    put(text, static_cast<std::uint64_t>(where.mtime_ns));
    put(text, hashes.edges.low);
    put(text, hashes.edges.high);
    const hash128 full = hashes.full.value_or(hash128{});
    put(text, full.low);
    put(text, full.high);
    put(text, std::uint64_t{hashes.full ? 1U : 0U});
  }
  put(text, std::uint64_t{XXH3_64bits(text.data(), text.size())});
  return text;
}

std::string hash_cache::save() {
  const std::lock_guard guard(lock_);
  if (fresh_.empty() || somebodys_) return {};
  // What another process has saved meanwhile stays. The lock, of the folder, is only for that: where it cannot be had, one of two may
  // lose its news.
  const std::size_t slash = path_.rfind('/');
  const std::string above = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  const descriptor turn(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (turn.is_open()) ::flock(turn.get(), LOCK_EX);
  table all = std::move(entries_);
  entries_ = {};
  static_cast<void>(read_into(all, true));  // damaged: replaced
  if (const std::string why = why_no_cache(path_); !why.empty()) return why;
  // Of a link it is the file that is replaced.
  std::error_code unresolved;
  std::string place = std::filesystem::weakly_canonical(path_, unresolved).string();
  if (unresolved) place = path_;
  for (const auto& [where, hashes] : fresh_) all.insert_or_assign(where, hashes);
  std::string name = place + ".XXXXXX";
  const descriptor opened(::mkostemp(name.data(), O_CLOEXEC));
  if (!opened.is_open()) return system_message("cannot be written", errno);
  std::string wrong = write_all(opened.get(), text_of(all));
  if (wrong.empty() && ::rename(name.c_str(), place.c_str()) != 0) wrong = system_message("cannot be replaced", errno);
  if (!wrong.empty()) {
    ::unlink(name.c_str());
    return wrong;
  }
  entries_ = std::move(all);
  fresh_.clear();
  return {};
}

}  // namespace pilfer::dups
