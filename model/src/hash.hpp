// 128-bit hashes of states and graphs, and a set of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pilfer::model {

[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93U;
  x ^= x >> 29;
  x *= 0xa0761d6478bd642fU;
  x ^= x >> 32;
  return x;
}

struct hash128 {
  std::uint64_t a = 0x243f6a8885a308d3U;
  std::uint64_t b = 0x13198a2e03707344U;

  // Order matters.
  constexpr void append(std::uint64_t x) noexcept {
    a = mix64(a + x * 0x9e3779b97f4a7c15U);
    b = mix64(b ^ (x + 0xc2b2ae3d27d4eb4fU)) + a;
  }
  constexpr void append(const hash128& x) noexcept {
    append(x.a);
    append(x.b);
  }
  // Order does not matter.
  constexpr void add(const hash128& x) noexcept {
    a += x.a;
    b += x.b;
  }
  friend constexpr bool operator==(const hash128&, const hash128&) = default;
};

// Open addressing. Stops taking new members at `limit`, so that a search goes on, only less well pruned.
class hash_set {
 public:
  explicit hash_set(std::size_t limit) : limit_(limit) { clear(); }
  void clear() {
    slots_.assign(1024, hash128{0, 0});
    size_ = 0;
  }
  // True if it was not there.
  bool insert(hash128 x) {
    if (x.a == 0 && x.b == 0) x.a = 1;
    std::size_t i = find(x);
    if (slots_[i] == x) return false;
    if (size_ == limit_) return true;
    slots_[i] = x;
    if (++size_ * 2 > slots_.size()) grow();
    return true;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool full() const noexcept { return size_ == limit_; }

 private:
  [[nodiscard]] std::size_t find(const hash128& x) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = x.a & mask;
    while (!(slots_[i] == hash128{0, 0}) && !(slots_[i] == x)) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<hash128> old(slots_.size() * 2, hash128{0, 0});
    old.swap(slots_);
    for (const hash128& x : old) {
      if (!(x == hash128{0, 0})) slots_[find(x)] = x;
    }
  }

  std::size_t limit_;
  std::size_t size_ = 0;
  std::vector<hash128> slots_;
};

}  // namespace pilfer::model
