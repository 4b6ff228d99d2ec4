// Some queues with items of four bytes (000 measured with those first). Only what a comparison with eight bytes needs: each
// queue more is compiled once more.
#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/locked_deque.hpp>

#include "lab/queues/queue_adapter.hpp"
#include "lab/queues/sequential.hpp"

namespace pilfer::lab::queues {
namespace {

constexpr const char* stack_name = "seq-stack/4-byte";
constexpr const char* ring_name = "seq-ring/4-byte";

}  // namespace

const std::vector<implementation>& narrow_implementations() {
  static const std::vector<implementation> all = [] {
    std::vector<implementation> list = {
        describe<seq_stack<narrow_payload>>(stack_name, stack_name),
        describe<seq_ring<narrow_payload>>(ring_name, ring_name),
        describe<queue::locked_deque<narrow_payload>>("locked/4-byte", stack_name),
        describe<queue::abp_deque<narrow_payload>>("abp/4-byte", stack_name),
        describe<queue::chase_lev_deque<narrow_payload>>("chase-lev/4-byte", stack_name),
        describe<queue::bwos_lifo<narrow_payload>>("bwos-lifo/4-byte", stack_name),
        describe<queue::bwos_fifo<narrow_payload>>("bwos-fifo/4-byte", ring_name),
    };
    list[0].sequential = list[1].sequential = true;
    for (implementation& one : list) one.item_bytes = sizeof(narrow_payload);
    return list;
  }();
  return all;
}

}  // namespace pilfer::lab::queues
