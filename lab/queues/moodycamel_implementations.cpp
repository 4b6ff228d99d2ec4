// moodycamel's concurrent queue, where it was found.
#include "lab/queues/queue_adapter.hpp"
#include "lab/queues/registry.hpp"

#if defined(PILFER_LAB_HAS_MOODYCAMEL)
#include "lab/queues/moodycamel_queue.hpp"
#endif

namespace pilfer::lab::queues {

std::vector<implementation> moodycamel_implementations() {
  implementation one;
  one.name = "moodycamel";
  one.baseline = seq_ring_name;
  one.remark = "for any number of producers and consumers; here with one producer token, thieves take in bulk";
  one.why_unavailable = "not installed when this was built (lab/setup-peers), or a build with a sanitizer";
#if defined(PILFER_LAB_HAS_MOODYCAMEL)
  one.make = &queue_adapter<moodycamel_queue<payload>>::make;
#endif
  return {one};
}

}  // namespace pilfer::lab::queues
