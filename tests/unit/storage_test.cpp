#include <cstdint>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include <pilfer/ext/storage.hpp>

#include "memory_orders.hpp"
#include "support/construction.hpp"
#include "support/failing_sync.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using ext::block_geometry;
TEST(checked_capacity, accepts_from_one_to_the_limit) {
  EXPECT_EQ(ext::checked_capacity("q", 1, 100), 1U);
  EXPECT_EQ(ext::checked_capacity("q", 100, 100), 100U);
  expect_rejected([] { ext::checked_capacity("my_queue", 0, 100); }, {"my_queue", "capacity", "0", "at least 1"});
  expect_rejected([] { ext::checked_capacity("my_queue", 101, 100); }, {"my_queue", "capacity", "101", "at most 100"});
  expect_rejected([] { ext::checked_capacity("my_queue", huge, 100); }, {"my_queue", std::to_string(huge)});
}

TEST(checked_power_of_two, accepts_powers_of_two) {
  for (std::size_t capacity = 1; capacity <= 1024; capacity *= 2) {
    EXPECT_EQ(ext::checked_power_of_two("q", capacity, 1024), capacity);
  }
  for (const std::size_t capacity : {3U, 5U, 6U, 7U, 100U, 1023U}) {
    expect_rejected([=] { ext::checked_power_of_two("my_queue", capacity, 1024); },
                    {"my_queue", "capacity", std::to_string(capacity), "power of two"});
  }
  expect_rejected([] { ext::checked_power_of_two("my_queue", 0, 1024); }, {"my_queue", "capacity", "at least 1"});
  expect_rejected([] { ext::checked_power_of_two("my_queue", 2048, 1024); }, {"my_queue", "capacity", "at most 1024"});
}

TEST(checked_geometry, names_the_argument_that_is_wrong) {
  const auto check = [](std::size_t blocks, std::size_t entries) {
    return [=] { ext::checked_geometry("my_queue", {.blocks = blocks, .entries = entries}, 50); };
  };
  EXPECT_NO_THROW(check(2, 1)());
  EXPECT_NO_THROW(check(1024, 50)());
  expect_rejected(check(0, 4), {"my_queue", "blocks", "= 0", "at least 2"});
  expect_rejected(check(1, 4), {"my_queue", "blocks", "= 1", "at least 2"});
  expect_rejected(check(3, 4), {"my_queue", "blocks", "= 3", "power of two"});
  expect_rejected(check(huge, 4), {"my_queue", "blocks", std::to_string(huge), "at most"});
  expect_rejected(check(4, 0), {"my_queue", "entries", "= 0", "at least 1"});
  expect_rejected(check(4, 51), {"my_queue", "entries", "= 51", "at most 50"});
}

TEST(fixed_array, constructs_and_destroys_its_objects) {
  static int alive = 0;
  struct counted {
    counted() { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }
    int value = 7;
  };
  {
    ext::fixed_array<counted, ext::default_sync> array(5);
    EXPECT_EQ(alive, 5);
    EXPECT_EQ(array[4].value, 7);
    EXPECT_EQ(&array[2], array.data() + 2);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % ext::isolation_bytes, 0U);
  }
  EXPECT_EQ(alive, 0);
}

TEST(fixed_array, without_memory_throws) {
  using array = ext::fixed_array<std::uint64_t, failing_sync>;
  failing_sync::fail_never();
  EXPECT_THROW(array{huge / 2}, std::bad_alloc) << "the size in bytes overflows";
  EXPECT_THROW(array{huge}, std::bad_alloc);
  failing_sync::fail_at(1);
  EXPECT_THROW(array{1}, std::bad_alloc);
  EXPECT_NO_THROW(array{1});
}

TEST(slot_buffer, is_circular) {
  using buffer = ext::slot_buffer<item8, ext::default_sync>;
  buffer* const ring = buffer::make_or_throw(4);
  EXPECT_EQ(ring->capacity(), 4U);
  for (std::uint64_t i = 0; i < 4; ++i) (*ring)[i].store(make_item<item8>(i), relaxed);
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(id_of((*ring)[i].load(relaxed)), i % 4);
  EXPECT_EQ(id_of((*ring)[~std::uint64_t{0}].load(relaxed)), 3U);
  buffer::free_all(ring);
}

// A sanitizer sees a buffer that is forgotten, or freed too early.
TEST(slot_buffer, frees_what_it_replaced) {
  using buffer = ext::slot_buffer<item16, failing_sync>;
  failing_sync::fail_never();
  buffer* newest = buffer::make_or_throw(1);
  buffer* const oldest = newest;
  for (std::size_t capacity = 2; capacity <= 64; capacity *= 2) newest = buffer::make(capacity, newest);
  (*oldest)[0].store(make_item<item16>(9), std::memory_order_relaxed);
  EXPECT_EQ(id_of((*oldest)[0].load(std::memory_order_relaxed)), 9U);
  failing_sync::fail_at(1);
  EXPECT_EQ(buffer::make(128, newest), nullptr);
  buffer::free_all(newest);
  buffer::free_all(nullptr);
  failing_sync::fail_at(1);
  EXPECT_THROW(static_cast<void>(buffer::make_or_throw(8)), std::bad_alloc);
}

}  // namespace
}  // namespace pilfer::test
