// A user's program: one queue of each kind that needs the compiled part of the library, and one that does not.
#include <cstdint>

#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_lifo.hpp>

template <class Queue>
bool works(Queue& queue) {
  auto owner = queue.owner();
  if (!owner.push(1) || !owner.push(2) || !owner.push(3)) return false;
  const auto stolen = queue.thief().steal();
  return owner.pop() == 3U && (!stolen || *stolen == 1);
}

int main() {
  pilfer::queue::bwos_lifo<std::uint64_t> blocks({.blocks = 2, .entries = 2});
  pilfer::queue::asymmetric_deque<std::uint64_t> deque;
  return works(blocks) && works(deque) ? 0 : 1;
}
