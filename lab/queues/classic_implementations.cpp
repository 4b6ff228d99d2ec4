// Locked and classical lock-free queues.
#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/global_queue.hpp>
#include <pilfer/queue/locked_deque.hpp>

#include "lab/queues/queue_adapter.hpp"
#include "lab/queues/registry.hpp"

namespace pilfer::lab::queues {

std::vector<implementation> classic_implementations() {
  return {
      describe<queue::global_queue<payload>>("global", seq_ring_name),
      describe<queue::locked_deque<payload>>("locked", seq_stack_name),
      describe<queue::abp_deque<payload>>("abp", seq_stack_name, "space at the top comes back only when it empties"),
      describe<queue::chase_lev_deque<payload>>("chase-lev", seq_stack_name),
      describe<queue::bounded_chase_lev_deque<payload>>("chase-lev-bounded", seq_stack_name),
  };
}

}  // namespace pilfer::lab::queues
