// SHA-1 (FIPS 180-4) of one block of 16 words: all that a tree of UTS needs. Not for anything secret.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pilfer::lab::programs {

using sha1_digest = std::array<std::uint32_t, 5>;
using sha1_block = std::array<std::uint32_t, 16>;

// The five working words. A round leaves them where they are and renames them, as unrolled by five.
class sha1_rounds {
 public:
  explicit sha1_rounds(const sha1_block& block) noexcept : word_(block) {}

  // Twenty rounds with one function of b, c and d and one constant.
  template <class Mix>
  void twenty(Mix mix, std::uint32_t constant) noexcept {
    const auto round = [&](std::uint32_t a, std::uint32_t& b, std::uint32_t c, std::uint32_t d, std::uint32_t& e) {
      e += std::rotl(a, 5) + mix(b, c, d) + constant + next_word();
      b = std::rotl(b, 30);
    };
#pragma GCC unroll 4
    for (int i = 0; i < 20; i += 5) {
      round(a_, b_, c_, d_, e_);
      round(e_, a_, b_, c_, d_);
      round(d_, e_, a_, b_, c_);
      round(c_, d_, e_, a_, b_);
      round(b_, c_, d_, e_, a_);
    }
  }

  [[nodiscard]] sha1_digest digest() const noexcept {
    return {start[0] + a_, start[1] + b_, start[2] + c_, start[3] + d_, start[4] + e_};
  }

 private:
  static constexpr sha1_digest start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

  // The first sixteen words are the block's; each later one takes the place of the oldest.
  std::uint32_t next_word() noexcept {
    const std::size_t i = next_++;
    std::uint32_t& word = word_[i % 16];
    if (i >= 16) word = std::rotl(word_[(i + 13) % 16] ^ word_[(i + 8) % 16] ^ word_[(i + 2) % 16] ^ word, 1);
    return word;
  }

  sha1_block word_;
  std::size_t next_ = 0;
  std::uint32_t a_ = start[0], b_ = start[1], c_ = start[2], d_ = start[3], e_ = start[4];
};

// The block holds the whole message, padded: the bit after its end is 1, the last word is its length in bits.
[[nodiscard]] inline sha1_digest sha1_of_block(const sha1_block& block) noexcept {
  using word = std::uint32_t;
  constexpr auto choose = [](word b, word c, word d) { return d ^ (b & (c ^ d)); };
  constexpr auto parity = [](word b, word c, word d) { return b ^ c ^ d; };
  constexpr auto majority = [](word b, word c, word d) { return (b & c) | (d & (b | c)); };
  sha1_rounds rounds(block);
  rounds.twenty(choose, 0x5a827999);
  rounds.twenty(parity, 0x6ed9eba1);
  rounds.twenty(majority, 0x8f1bbcdc);
  rounds.twenty(parity, 0xca62c1d6);
  return rounds.digest();
}

}  // namespace pilfer::lab::programs
