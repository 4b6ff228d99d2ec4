// The block-based queues.
#include "runtime_orders.hpp"

namespace pilfer::model::verify {
namespace {

using item = std::uint32_t;

template <unsigned TagBits>
result check_lifo_of(const run& what, const options& how) {
  using queue_type = queue::bwos_lifo<item, model_sync, bwos_lifo_variable, TagBits>;
  return check_queue<queue_type, promises{}>(
      what, how, [&] { return queue_type(ext::block_geometry{.blocks = what.blocks, .entries = what.size}); });
}
result check_lifo(const run& what, const options& how) {
  return what.narrow ? check_lifo_of<3>(what, how) : check_lifo_of<32>(what, how);
}

template <unsigned TagBits>
result check_fifo_of(const run& what, const options& how) {
  using queue_type = queue::bwos_fifo<item, model_sync, bwos_fifo_variable, TagBits>;
  return check_queue<queue_type, promises{.thieves_oldest_first = false, .room_after_empty = true}>(
      what, how, [&] { return queue_type(ext::block_geometry{.blocks = what.blocks, .entries = what.size}); });
}
result check_fifo(const run& what, const options& how) {
  return what.narrow ? check_fifo_of<3>(what, how) : check_fifo_of<32>(what, how);
}

}  // namespace

void add_blocks(std::vector<subject>& to) {
  to.push_back({.name = "bwos-lifo",
                .traits = queue::bwos_lifo<item, model_sync>::traits,
                .blocks = true,
                .check = check_lifo,
                .orders = bwos_lifo_variable::all});
  to.push_back({.name = "bwos-fifo",
                .traits = queue::bwos_fifo<item, model_sync>::traits,
                .blocks = true,
                .check = check_fifo,
                .orders = bwos_fifo_variable::all});
}

}  // namespace pilfer::model::verify
