#include <bit>
#include <cstdint>

#include <gtest/gtest.h>

#include <pilfer/ext/index.hpp>

namespace pilfer::ext {
namespace {

// Against plain arithmetic: every index, every step, every distance that can be told apart.
template <unsigned Bits>
void check_all() {
  using math = index_math<Bits>;
  using type = typename math::type;
  constexpr std::int64_t size = std::int64_t{1} << Bits;
  EXPECT_EQ(math::mask, static_cast<std::uint64_t>(size - 1));
  EXPECT_TRUE(std::has_single_bit(math::max_capacity));
  for (std::int64_t a = 0; a < size; ++a) {
    for (std::int64_t n = 0; n < 2 * size; ++n) {
      ASSERT_EQ(std::int64_t{math::plus(static_cast<type>(a), static_cast<std::uint64_t>(n))}, (a + n) % size);
      ASSERT_EQ(std::int64_t{math::minus(static_cast<type>(a), static_cast<std::uint64_t>(n))},
                (a - n + 2 * size) % size);
    }
    const auto full = static_cast<std::int64_t>(math::max_capacity);
    ASSERT_EQ(math::distance(static_cast<type>(a), math::plus(static_cast<type>(a), math::max_capacity)), full);
    ASSERT_EQ(math::distance(math::plus(static_cast<type>(a), math::max_capacity), static_cast<type>(a)), -full);
    for (std::int64_t d = -size / 2; d < size / 2; ++d) {
      const type b = math::wrap(static_cast<std::uint64_t>(a + d));
      ASSERT_EQ(math::distance(static_cast<type>(a), b), d);
      ASSERT_EQ(math::before(static_cast<type>(a), b), d > 0);
    }
  }
}

TEST(index_math, two_bits) { check_all<2>(); }
TEST(index_math, three_bits) { check_all<3>(); }
TEST(index_math, four_bits) { check_all<4>(); }
TEST(index_math, seven_bits) { check_all<7>(); }
TEST(index_math, eight_bits) { check_all<8>(); }

template <unsigned Bits>
void check_around_the_end() {
  using math = index_math<Bits>;
  using type = typename math::type;
  const type last = math::wrap(math::mask);
  EXPECT_EQ(math::plus(last, 1), 0U);
  EXPECT_EQ(math::minus(type{0}, 1), last);
  EXPECT_EQ(math::distance(last, math::plus(last, 3)), 3);
  EXPECT_EQ(math::distance(math::plus(last, 3), last), -3);
  if (Bits < 64) {  // 64 bits never wrap, so `before` may compare directly there
    EXPECT_TRUE(math::before(last, math::plus(last, 1)));
    EXPECT_FALSE(math::before(math::plus(last, 1), last));
  }
  EXPECT_TRUE(math::before(5, 6));
  EXPECT_FALSE(math::before(6, 6));
  EXPECT_FALSE(math::before(7, 6));
}

TEST(index_math, wraps_at_every_width) {
  check_around_the_end<9>();
  check_around_the_end<16>();
  check_around_the_end<31>();
  check_around_the_end<32>();
  check_around_the_end<33>();
  check_around_the_end<63>();
  check_around_the_end<64>();
}

TEST(index_math, type_is_wide_enough) {
  static_assert(sizeof(index_math<8>::type) == 1 && sizeof(index_math<9>::type) == 4);
  static_assert(sizeof(index_math<32>::type) == 4 && sizeof(index_math<33>::type) == 8 &&
                sizeof(index_math<64>::type) == 8);
  static_assert(index_math<64>::max_capacity >= std::uint64_t{1} << 32);
  static_assert(index_math<64>::mask == ~std::uint64_t{0});
}

}  // namespace
}  // namespace pilfer::ext
