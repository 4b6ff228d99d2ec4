// The conformance suite: what every queue must do, seen by one thread. A queue enters it with one INSTANTIATE_TEST_SUITE_P.
#pragma once

#include <gtest/gtest.h>

#include "support/any_queue.hpp"
#include "support/checked_queue.hpp"

namespace pilfer::test {

class queue_conformance : public ::testing::TestWithParam<queue_case> {
 protected:
  [[nodiscard]] static const queue_case& kind() { return GetParam(); }
  [[nodiscard]] static const ext::queue_traits& traits() { return kind().traits; }
  [[nodiscard]] static bool lifo() { return traits().order == ext::queue_order::lifo; }
};

}  // namespace pilfer::test
