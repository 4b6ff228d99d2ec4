// The sequential limits, and what one writes without a library.
#include "lab/queues/mutex_deque.hpp"
#include "lab/queues/queue_adapter.hpp"
#include "lab/queues/registry.hpp"
#include "lab/queues/sequential.hpp"

namespace pilfer::lab::queues {

std::vector<implementation> plain_implementations() {
  std::vector<implementation> list = {
      describe<seq_stack<payload>>(seq_stack_name, seq_stack_name, "the limit for LIFO; one thread only"),
      describe<seq_ring<payload>>(seq_ring_name, seq_ring_name, "the limit for FIFO; one thread only"),
      describe<mutex_deque<payload>>("mutex-deque", seq_stack_name, "std::deque under std::mutex"),
  };
  list[0].sequential = list[1].sequential = true;
  return list;
}

}  // namespace pilfer::lab::queues
