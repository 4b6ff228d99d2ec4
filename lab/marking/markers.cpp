#include "lab/marking/markers.hpp"

#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/global_queue.hpp>
#include <pilfer/queue/locked_deque.hpp>
#include <pilfer/queue/split_deque.hpp>

namespace pilfer::lab::marking {
namespace {

template <class Crew, class... Arguments>
queue_kind kind(const char* name, Arguments... arguments) {
  return {.name = name, .make = [=](std::size_t threads, const std::vector<int>& processors) -> marker {
            auto mine = std::make_shared<Crew>(threads, processors, arguments...);
            return [mine](heap& objects, mark_counts& counts) { return mine->mark(objects, counts); };
          }};
}

template <bool Shared>
marker stack_marker() {
  return [stack = std::vector<reference>()](heap& objects, mark_counts& counts) mutable {
    return seconds_taken_by([&] { counts += mark_with_stack<Shared>(objects, stack); });
  };
}

}  // namespace

marker serial_marker() { return stack_marker<false>(); }
marker shared_marks_stack_marker() { return stack_marker<true>(); }

const std::vector<queue_kind>& queue_kinds() {
  using namespace queue;  // NOLINT(google-build-using-namespace): only their names
  static const std::vector<queue_kind> all = {
      kind<crew<bwos_lifo<reference>>>("bwos-lifo", queue_shape),
      kind<crew<bwos_lifo<reference>, true>>("bwos-lifo-batch", queue_shape),
      kind<crew<bwos_fifo<reference>>>("bwos-fifo", queue_shape),
      kind<crew<bwos_fifo<reference>, true>>("bwos-fifo-batch", queue_shape),
      kind<crew<abp_deque<reference>>>("abp", queue_capacity),
      kind<crew<chase_lev_deque<reference>>>("chase-lev", queue_capacity),
      kind<crew<split_deque<reference>>>("split", queue_capacity, exposure_rule::half),
      kind<crew<asymmetric_deque<reference>>>("asymmetric", queue_capacity),
      kind<crew<locked_deque<reference>>>("locked", queue_capacity),
      kind<crew<global_queue<reference>>>("locked-fifo", queue_capacity),
  };
  return all;
}

}  // namespace pilfer::lab::marking
