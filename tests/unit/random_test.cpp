#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/ext/random.hpp>

namespace pilfer::ext {
namespace {

constexpr std::uint64_t seed = 20261116;

// Within a twentieth of 10000: five standard deviations or more.
void expect_about_10000(std::size_t count) { EXPECT_NEAR(static_cast<double>(count), 10000, 500); }

TEST(random_source, repeats_with_its_seed_and_not_with_another) {
  random_source a(seed, 3);
  random_source b(seed, 3);
  random_source other_seed(seed + 1, 3);
  random_source other_stream(seed, 4);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t value = a();
    EXPECT_EQ(value, b());
    seen.insert({value, other_seed(), other_stream()});
  }
  EXPECT_EQ(seen.size(), 3000U);
}

TEST(random_source, is_uniform_below_a_bound) {
  for (const std::size_t n : {1U, 2U, 3U, 7U, 10U}) {
    random_source random(seed, n);
    std::vector<std::size_t> counts(n);
    for (std::size_t i = 0; i < 10000 * n; ++i) ++counts.at(random.below(n));
    for (const std::size_t count : counts) expect_about_10000(count);
  }
}

TEST(random_source, below_stays_below) {
  random_source random(seed);
  constexpr std::size_t large = (std::size_t{1} << 32) - 1;
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.below(large), large);
  EXPECT_EQ(random.below(0), 0U);
  static_assert(random_source(1).below(1) == 0 && random_source(1).one_in(1));
}

TEST(random_source, every_bit_is_set_half_of_the_time) {
  random_source random(seed);
  std::array<std::size_t, 64> ones{};
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += bits >> bit & 1;
  }
  for (const std::size_t count : ones) expect_about_10000(count);
}

}  // namespace
}  // namespace pilfer::ext
