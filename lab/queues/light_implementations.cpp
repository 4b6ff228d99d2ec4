// Queues whose owner runs without fences: split deques and the asymmetric one.
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/split_deque.hpp>

#include "lab/queues/queue_adapter.hpp"
#include "lab/queues/registry.hpp"

namespace pilfer::lab::queues {
namespace {

// Asked for work, its owner exposes half of what is private.
std::unique_ptr<measured_queue> make_split(const geometry& shape) {
  return std::make_unique<queue_adapter<queue::split_deque<payload>>>(shape, capacity_of(shape),
                                                                      queue::exposure_rule::half);
}

}  // namespace

std::vector<implementation> light_implementations() {
  return {
      {.name = "split",
       .baseline = seq_stack_name,
       .remark = "polled form; the owner exposes half of its items when a thief asked",
       .make = make_split},
      describe<queue::signal_safe_split_deque<payload>>(
          "split-signal", seq_stack_name,
          "the owner looks once a round whether a thief asked, and exposes half: a stand-in for the signal handler"),
      describe<queue::asymmetric_deque<payload>>("asymmetric", seq_stack_name,
                                                 "a steal costs the thief a membarrier(2)"),
  };
}

}  // namespace pilfer::lab::queues
