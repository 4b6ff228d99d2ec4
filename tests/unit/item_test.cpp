#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/ext/item.hpp>

#include "memory_orders.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

struct twelve_bytes {
  std::uint32_t a, b, c;
};
struct two_pointers {
  void (*run)(void*);
  void* data;
};
struct no_default {
  explicit no_default(std::uint64_t);
  std::uint64_t value;
};

static_assert(ext::queue_item<item4> && ext::queue_item<item8> && ext::queue_item<item16>);
static_assert(ext::queue_item<int*> && ext::queue_item<float> && ext::queue_item<double> &&
              ext::queue_item<two_pointers>);
static_assert(!ext::queue_item<char> && !ext::queue_item<short> && !ext::queue_item<twelve_bytes>);
static_assert(!ext::queue_item<std::array<std::uint64_t, 3>>);
static_assert(!ext::queue_item<std::string> && !ext::queue_item<std::unique_ptr<int>> && !ext::queue_item<no_default>);

template <class T, class Sync>
void check_slot() {
  ext::slot<T, Sync> slot;
  static_assert(sizeof(slot) == sizeof(T), "a slot is as large as what it holds");
  for (std::uint64_t id = 0; id < 100; ++id) {
    slot.store(make_item<T>(id), relaxed);
    ASSERT_EQ(id_of(slot.load(relaxed)), id);
  }
}

TEST(slot, gives_back_what_was_stored) {
  check_slot<item4, ext::native_sync>();
  check_slot<item8, ext::native_sync>();
  check_slot<item16, ext::native_sync>();
  check_slot<item16, ext::fence_free_sync>();
  check_slot<item16, ext::counting_sync>();
}

TEST(slot, starts_as_zero) {
  const ext::slot<item16, ext::native_sync> slot;
  const item16 item = slot.load(std::memory_order_relaxed);
  EXPECT_EQ(item.value, 0U);
  EXPECT_EQ(item.check, 0U);
}

TEST(slot, keeps_both_halves_of_sixteen_bytes) {
  int there = 0;
  ext::slot<two_pointers, ext::native_sync> slot;
  const two_pointers stored{[](void* data) { *static_cast<int*>(data) = 1; }, &there};
  slot.store(stored, std::memory_order_relaxed);
  const two_pointers loaded = slot.load(std::memory_order_relaxed);
  loaded.run(loaded.data);
  EXPECT_EQ(there, 1);
}

}  // namespace
}  // namespace pilfer::test
