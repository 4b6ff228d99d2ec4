// Block-based queues.
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>

#include "lab/queues/queue_adapter.hpp"
#include "lab/queues/registry.hpp"

namespace pilfer::lab::queues {

std::vector<implementation> block_implementations() {
  return {
      describe<queue::bwos_lifo<payload>>("bwos-lifo", seq_stack_name, "thieves take up to a block at a time"),
      describe<queue::bwos_fifo<payload>>("bwos-fifo", seq_ring_name, "thieves take up to a block at a time"),
  };
}

}  // namespace pilfer::lab::queues
