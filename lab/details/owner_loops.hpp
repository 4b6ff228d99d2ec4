// The owner's two loops of lab/queues with the bookkeeping that checks need.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/measure/compiler_barrier.hpp"
#include "lab/queues/measured_queue.hpp"
#include "lab/queues/queue_adapter.hpp"

namespace pilfer::lab::details {

// The upper part of each item is a one: a sum of items counts them, too.
inline constexpr unsigned counting_shift = 40;
inline constexpr queues::payload first_of_a_fill = queues::payload{1} << counting_shift;

[[nodiscard]] inline queues::tally counted(std::uint64_t sum) noexcept { return {sum >> counting_shift, sum}; }

// Pushes up to `capacity` items; returns what was pushed.
template <class Queue>
queues::tally fill_queue(Queue& queue, std::size_t capacity) {
  const std::uint64_t n = queues::fill(queue, first_of_a_fill, first_of_a_fill + capacity) - first_of_a_fill;
  return {n, n * first_of_a_fill + n * (n - 1) / 2};
}

// Pops all, of the private part and of the public one where there are two.
template <class Queue>
queues::tally empty_queue(Queue& queue) {
  std::uint64_t sum = queues::empty(queue);
  if constexpr (Queue::traits.split) {
    auto owner = queue.owner();
    while (const auto popped = owner.pop_public()) {
      compiler_barrier();
      sum += *popped;
      sum += queues::empty(queue);  // the owner may have got hold of private items again
    }
  }
  return counted(sum);
}

// When nobody else uses the queue: what the owner cannot get either, a thief can.
template <class Queue>
queues::tally drain_queue(Queue& queue) {
  queues::tally left = empty_queue(queue);
  if constexpr (requires { queue.thief(); }) {
    auto thief = queue.thief();
    while (const auto stolen = thief.steal()) left += {1, *stolen};
  }
  return left;
}

}  // namespace pilfer::lab::details
