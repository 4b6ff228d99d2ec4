// The end of a pool's work: a request to stop, and a limited wait for it.

#include <algorithm>
#include <array>
#include <bit>

#include "pool_stop.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

namespace {

constexpr std::size_t most_parts = 64;
constexpr std::uint64_t one_start = std::uint64_t{1} << 32U;

struct spacer {
  std::array<std::byte, ext::isolation_bytes> bytes;
};

// The top bits of a 64-bit hash are the index of a part; at least one bit, since a shift by 64 is none.
unsigned shift_for(std::size_t places) noexcept {
  const std::size_t parts = std::clamp<std::size_t>(std::bit_ceil(4 * places), 2, most_parts);
  return 64U - static_cast<unsigned>(std::countr_zero(parts));
}

}  // namespace

struct alignas(ext::isolation_bytes) pool_stop::part {
  // So that two states, which the standard library allocates, do not share a cache line.
  std::unique_ptr<spacer> apart = std::make_unique<spacer>();
  std::stop_source source;
  const std::stop_token token = source.get_token();
  atomic<std::uint64_t> coroutines{0};
};

pool_stop::pool_stop(std::size_t places) : shift_(shift_for(places)), parts_(std::make_unique<part[]>(part_count())) {}
pool_stop::~pool_stop() = default;

pool_stop::part& pool_stop::part_for(const void* work) const noexcept {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
  return parts_[(reinterpret_cast<std::uintptr_t>(work) * golden) >> shift_];
}

const std::stop_token& pool_stop::token_for(const void* work) const noexcept { return part_for(work).token; }

void pool_stop::begin_coroutine(const void* root) noexcept {
  part_for(root).coroutines.fetch_add(one_start + 1, Orders::relaxed);  // hint
}
void pool_stop::end_start(const void* root) noexcept {
  part_for(root).coroutines.fetch_add(0U - one_start, Orders::relaxed);  // hint
}
void pool_stop::end_coroutine(const void* root) noexcept {
  part_for(root).coroutines.fetch_add(~std::uint64_t{0}, Orders::relaxed);  // hint
}
pool_stop::counts pool_stop::count() const noexcept {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < part_count(); ++i) all += parts_[i].coroutines.load(Orders::relaxed);  // hint
  return {.coroutines = static_cast<std::size_t>(all % one_start), .starts = static_cast<std::size_t>(all / one_start)};
}

bool pool_stop::request() noexcept {
  use_stopping();
  // Each requester goes through all of them, so that none returns before the last one is stopped.
  const bool first = parts_[0].source.request_stop();
  for (std::size_t i = 1; i < part_count(); ++i) parts_[i].source.request_stop();
  requested_.store(1, Orders::stop.rel);
  return first;
}

}  // namespace pilfer::detail
