// Pushes of items that are known by their number.
#pragma once

#include <cstdint>

#include <gtest/gtest.h>

#include "support/items.hpp"

namespace pilfer::test {

template <class Queue>
void push_ids(Queue& q, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t id = from; id < to; ++id) {
    ASSERT_TRUE(q.owner().push(make_item<typename Queue::item_type>(id))) << id;
  }
}

}  // namespace pilfer::test
