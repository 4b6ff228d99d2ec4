#include "hashing.hpp"

#include <xxhash.h>
// The library's own choice of vector instructions at run time, where it has one.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

#include <algorithm>
#include <array>
#include <new>

namespace pilfer::dups {

namespace {

hash128 converted(const XXH128_hash_t& hash) noexcept { return {hash.high64, hash.low64}; }

// On the heap: the library wants it aligned to 64 bytes, which a coroutine's frame is not.
class hash_state {
 public:
  hash_state() : state_(XXH3_createState()) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state_);
  }
  ~hash_state() { XXH3_freeState(state_); }
  hash_state(const hash_state&) = delete;
  hash_state& operator=(const hash_state&) = delete;
  void add(const std::byte* bytes, std::size_t count) { XXH3_128bits_update(state_, bytes, count); }
  [[nodiscard]] hash128 result() const { return converted(XXH3_128bits_digest(state_)); }

 private:
  XXH3_state_t* state_;
};

constexpr std::array<std::byte, std::size_t{64} << 10U> zeros{};

void add_zeros(hash_state& to, std::uint64_t count) {
  for (; count > 0; count -= std::min<std::uint64_t>(count, zeros.size())) {
    to.add(zeros.data(), static_cast<std::size_t>(std::min<std::uint64_t>(count, zeros.size())));
  }
}

}  // namespace

hash128 hash_of(std::span<const std::byte> bytes) { return converted(XXH3_128bits(bytes.data(), bytes.size())); }

hash128 hash_of_parts(std::span<const hash128> parts) {
  if (parts.size() == 1) return parts.front();
  hash_state state;
  for (const hash128& each : parts) {
    XXH128_canonical_t fixed;  // the same on every machine
    XXH128_canonicalFromHash(&fixed, XXH128_hash_t{.low64 = each.low, .high64 = each.high});
    state.add(reinterpret_cast<const std::byte*>(&fixed), sizeof fixed);
  }
  return state.result();
}

std::uint64_t parts_of(std::uint64_t size, std::uint64_t part_bytes) noexcept {
  if (size / 2 < part_bytes) return 1;
  return size / part_bytes + (size % part_bytes == 0 ? 0 : 1);
}

task<hashed> hash_edges(settling& with, int opened, std::uint64_t size) {
  borrowed_buffers room(with.buffers);
  std::byte* const text = room.at(0);
  std::size_t first = block_bytes;
  std::size_t last = block_bytes;
  if (edges_are_all(size)) {
    first = static_cast<std::size_t>(size);
    last = 0;
  }
  hashed result;
  result.error = co_await fill(with.with, opened, {text, first}, 0);
  if (result.error == 0) result.error = co_await fill(with.with, opened, {text + first, last}, size - last);
  if (result.error == 0) result.hash = hash_of({text, first + last});
  co_return result;
}

task<hashed> hash_range(settling& with, int opened, bool sparse, std::uint64_t from, std::uint64_t to) {
  borrowed_buffers room(with.buffers);
  std::byte* const text = room.at(0);
  hash_state state;
  hashed result;
  const std::uint64_t all = to - from;
  while (from < to && !with.with.stopped()) {
    if (sparse) {
      const std::uint64_t data = next_data(opened, from, to);
      add_zeros(state, data - from);
      from = data;
    }
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, to - from));
    result.error = co_await fill(with.with, opened, {text, bytes}, from);
    if (result.error != 0) co_return result;
    state.add(text, bytes);
    from += bytes;
  }
  add(with.with.seen.bytes_done, all);
  result.hash = state.result();
  co_return result;
}

}  // namespace pilfer::dups
