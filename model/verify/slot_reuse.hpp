// What RC11 cannot show: the reuse of a slot in the classical deques.
//
// A thief reads a slot and then claims it; the owner sees the claim and writes something new there. Should the thief's read
// see that, read and write form a cycle of reads-from and program order, which RC11 excludes whatever the orders are.
// Neither IMM nor C++20's text does. So this shape, with the orders of the edge `recycle`, goes to the axiomatic oracle in
// the modes that allow load buffering.
#pragma once

#include <string>

#include "model/check.hpp"

namespace pilfer::model::verify {

// Which model, if any, allows the thief to see the new item. Empty: none.
[[nodiscard]] std::string slot_reuse_fault(std::memory_order claim, std::memory_order look);
// The same for one site of a deque made weaker; empty also if the site is no part of the shape.
[[nodiscard]] std::string slot_reuse_fault(const std::string& queue, const site& at, std::memory_order weaker);

}  // namespace pilfer::model::verify
