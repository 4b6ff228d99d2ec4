// Eigen's RunQueue, where Eigen was found.
#include "lab/queues/queue_adapter.hpp"
#include "lab/queues/registry.hpp"

#if defined(PILFER_LAB_HAS_EIGEN)
#include <fmt/format.h>

#include <stdexcept>

#include "lab/queues/eigen_run_queue.hpp"
#endif

namespace pilfer::lab::queues {
namespace {

// Its capacity is a template argument: there is one for each geometry of the experiments.
std::unique_ptr<measured_queue> make_eigen([[maybe_unused]] const geometry& shape) {
#if defined(PILFER_LAB_HAS_EIGEN)
  switch (capacity_of(shape)) {
    case 1024: return queue_adapter<eigen_run_queue<payload, 1024>>::make(shape);
    case 8192: return queue_adapter<eigen_run_queue<payload, 8192>>::make(shape);
    default:
      throw std::invalid_argument(fmt::format("eigen-runqueue: no capacity of {} in this build", capacity_of(shape)));
  }
#else
  return nullptr;
#endif
}

}  // namespace

std::vector<implementation> eigen_implementations() {
  implementation eigen{.name = "eigen-runqueue",
                       .baseline = seq_ring_name,
                       .remark = "owner PushFront and PopFront, thieves PopBack; compared with the ring, as in 001",
                       .make = {},
                       .why_unavailable = "this build has no Eigen (libeigen3-dev)"};
  if (!eigen_version().empty()) eigen.make = make_eigen;
  return {eigen};
}

std::string eigen_version() {
#if defined(PILFER_LAB_HAS_EIGEN)
  return fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
#else
  return {};
#endif
}

}  // namespace pilfer::lab::queues
