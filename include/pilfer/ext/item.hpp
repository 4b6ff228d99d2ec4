// What a queue carries, and how a slot holds it when thieves may read it while the owner overwrites it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pilfer/ext/sync.hpp>

namespace pilfer::ext {

template <class T>
concept queue_item = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
                     (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

// A slot read speculatively, before the claim that decides who owns it: relaxed words, so that a torn or stale read is
// harmless and no race. 16 bytes are two words, never a libatomic call; a tear is only ever seen by a thief whose
// claim fails.
template <queue_item T, class Sync>
class slot {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr std::size_t words = sizeof(T) / sizeof(word);
  using image = std::array<word, words>;

 public:
  [[nodiscard, gnu::always_inline]] T load(std::memory_order order) const noexcept {
    image copy;
    for (std::size_t i = 0; i < words; ++i) copy[i] = words_[i].load(order);
    return std::bit_cast<T>(copy);
  }
  [[gnu::always_inline]] void store(T item, std::memory_order order) noexcept {
    const auto copy = std::bit_cast<image>(item);
    for (std::size_t i = 0; i < words; ++i) words_[i].store(copy[i], order);
  }

 private:
  struct named_word : Sync::template atomic<word> {
    named_word() noexcept : Sync::template atomic<word>(word{}, "slot") {}
  };
  std::array<named_word, words> words_;
};

}  // namespace pilfer::ext
