// Checks of constructors: bad arguments, and memory that runs out while a queue is built or grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/failing_sync.hpp"
#include "support/items.hpp"

namespace pilfer::test {

// A capacity that every queue refuses.
inline constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();

// `make` must throw std::invalid_argument with a text that contains each of `parts`.
inline void expect_rejected(const std::function<void()>& make, const std::vector<std::string>& parts) {
  try {
    make();
  } catch (const std::invalid_argument& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "no '" << part << "' in: " << error.what();
    }
    return;
  }
  ADD_FAILURE() << "was accepted: " << ::testing::PrintToString(parts);
}

// Whichever of its allocations fails, a constructor throws std::bad_alloc, and gives back what it had (which a sanitizer
// sees).
template <class Queue, class... Arguments>
void expect_construction_survives_no_memory(Arguments... arguments) {
  for (std::size_t k = 1; k <= 20; ++k) {
    failing_sync::fail_at(k);
    const std::size_t failures_before = failing_sync::failures();
    bool thrown = false;
    try {
      const Queue queue(arguments...);
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    failing_sync::fail_never();
    const bool failed = failing_sync::failures() > failures_before;
    EXPECT_EQ(thrown, failed) << "allocation " << k;
    if (!failed) {
      EXPECT_GT(k, 1U) << "the queue does not allocate through Sync";
      return;
    }
  }
  ADD_FAILURE() << "more than 20 allocations";
}

// A growing queue that gets no memory refuses the item and keeps all others; with memory again, it goes on.
//   `arguments`  of the constructor; the queue holds 2 items at first
template <class Queue, class... Arguments>
void expect_growth_survives_no_memory(Arguments... arguments) {
  using item = typename Queue::item_type;
  constexpr std::uint64_t items = 100;
  for (std::size_t k = 1; k <= 5; ++k) {
    for (const bool stubborn : {false, true}) {
      SCOPED_TRACE("allocation " + std::to_string(k) + " fails" + (stubborn ? ", and all after it" : ""));
      failing_sync::fail_never();
      Queue queue(arguments...);
      ASSERT_EQ(queue.capacity(), 2U);
      failing_sync::fail_at(k);
      std::size_t refused = 0;
      for (std::uint64_t id = 0; id < items;) {
        if (queue.owner().push(make_item<item>(id))) {
          ++id;
          continue;
        }
        ++refused;
        EXPECT_EQ(id, queue.capacity()) << "refused although there was room";
        if (stubborn && refused < 10) {
          failing_sync::fail_always();
        } else {
          failing_sync::fail_never();
        }
      }
      EXPECT_EQ(refused, stubborn ? 10U : 1U);
      // Oldest for the thief, the rest for the owner: nothing is missing, nothing is doubled.
      std::vector<int> seen(items);
      if constexpr (Queue::traits.split) queue.owner().expose(items / 2);
      for (std::uint64_t i = 0; i < items / 2; ++i) {
        const auto got = queue.thief().steal();
        ASSERT_TRUE(got);
        ASSERT_EQ(id_of(*got), i);
        ++seen[i];
      }
      while (const std::optional<item> got = queue.owner().take()) {
        ASSERT_LT(id_of(*got), items);
        ++seen[id_of(*got)];
      }
      EXPECT_EQ(seen, std::vector<int>(items, 1));
    }
  }
  failing_sync::fail_never();
}

}  // namespace pilfer::test
