// One run: what the owner and the thieves do, on a queue of which size, under which circumstances.
//
// Scripts are strings, a character an operation. Owner: + push, - take, p pop (the private part only), P pop_public,
// e expose one, m take a mark; c be called, where there is no queue. Thief: s steal (and ask, if there is private work), b steal a batch of two, T steal and
// must get something, M steal from the mark (which must have been announced), N the same and must get something, S seize (expose by itself). Both: A, B, C, D announce that they got here; w, x, y, z wait for A, B, C, D.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/check.hpp"

namespace pilfer::model::verify {

struct run {
  std::string owner;
  std::vector<std::string> thieves;
  std::size_t blocks = 0;  // 0: the queue is not made of blocks
  std::size_t size = 2;    // capacity, or entries per block
  std::size_t before = 0;  // pairs of push and take that come before anybody else is there
  bool narrow = false;     // 3-bit indices, or tags of the fewest bits
  bool hints = false;      // with what the other runs leave out (subject.hpp)
  bool half = false;       // split deque: expose half
  bool lace = false;       // split deque: expose half, and take half back
  int killed = -1;         // this thread stops for ever, 1 is the first thief
  std::size_t interrupts = 0;
  barriers membarrier = barriers::work;

  // "++-/s,ss/2x2/narrow,killed=1"
  [[nodiscard]] std::string text() const;
  // Throws bad_replay.
  [[nodiscard]] static run parse(std::string_view text);
};

inline constexpr std::size_t max_script = 30;

}  // namespace pilfer::model::verify
