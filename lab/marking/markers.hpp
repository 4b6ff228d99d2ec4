// Who can mark, by name.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <pilfer/ext/storage.hpp>

#include "lab/marking/mark.hpp"

namespace pilfer::lab::marking {

// So much fits into a queue; the growing ones begin with it.
inline constexpr ext::block_geometry queue_shape{.blocks = 64, .entries = 128};
inline constexpr std::size_t queue_capacity = queue_shape.blocks * queue_shape.entries;

// Marks everything that is reachable, once; returns the seconds that took.
using marker = std::function<double(heap&, mark_counts&)>;

struct queue_kind {
  std::string name;
  std::function<marker(std::size_t threads, const std::vector<int>& processors)> make;  // to which threads are bound
};

// One thread without a queue.
[[nodiscard]] marker serial_marker();
[[nodiscard]] marker shared_marks_stack_marker();
// In the order of the charts.
[[nodiscard]] const std::vector<queue_kind>& queue_kinds();

}  // namespace pilfer::lab::marking
