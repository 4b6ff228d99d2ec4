// The deque under fork_join: requests, thieves that expose by themselves, and tags.
#include <pilfer/queue/fork_deque.hpp>

#include "faults.hpp"
#include "fork_orders.hpp"
#include "subject.hpp"

namespace pilfer::model::verify {
namespace {

using item = std::uint32_t;
constexpr std::size_t region = 2048;

template <unsigned TagBits>
result check_fork_of(const run& what, const options& how) {
  using queue_type = queue::fork_deque<item, model_sync, fork_variable, region, TagBits>;
  return check_queue<queue_type, promises{}>(what, how, [&] { return queue_type(what.size); });
}
result check_fork(const run& what, const options& how) {
  return what.narrow ? check_fork_of<3>(what, how) : check_fork_of<40>(what, how);
}

// Faults: a tag that does not change, and a side of the asymmetric fence that is missing.
template <bool Light, bool Heavy>
struct broken_sync : model_sync {
  static void light_fence() noexcept {
    if constexpr (Light) model_sync::light_fence();
  }
  [[nodiscard]] static bool heavy_fence(const where& site = where::current()) noexcept {
    if constexpr (!Heavy) return true;
    return model_sync::heavy_fence(site);
  }
};
template <class Sync, unsigned TagBits>
result check_broken(const run& what, const options& how) {
  using queue_type = queue::fork_deque<item, Sync, queue::fork_orders, region, TagBits>;
  return check_queue<queue_type, promises{}>(what, how, [&] { return queue_type(what.size); });
}

}  // namespace

void add_fork_faults(std::vector<known_fault>& to) {
  to.push_back({faults_name, "fork-same-tag", "fork deque: the tag does not change when top falls: ABA",
                "+eP+eP+e/s,s/2", check_broken<model_sync, 0>, true, 3});
  to.push_back({faults_name, "fork-pop-unfenced", "fork deque: pop reads its bounds before it has lowered bottom",
                "+-/Ss/2", check_broken<broken_sync<false, true>, 40>});
  to.push_back({faults_name, "fork-seize-unfenced", "fork deque: seize without a membarrier", "+-/Ss/2",
                check_broken<broken_sync<true, false>, 40>});
}

void add_fork(std::vector<subject>& to) {
  to.push_back({.name = "fork",
                .traits = queue::fork_deque<item, model_sync>::traits,
                .locks = true,
                .narrow = false,
                .asymmetric = true,
                .reuses_slots = true,
                .seizes = true,
                .check = check_fork,
                .orders = fork_variable::all});
}

}  // namespace pilfer::model::verify
