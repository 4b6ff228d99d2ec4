// oneTBB's task_group in an arena of its own.
#include "lab/documents/runners.hpp"
#include "lab/schedulers/peers.hpp"

#if defined(PILFER_LAB_HAS_TBB)
#include <oneapi/tbb/task_group.h>

#include <thread>

#include "lab/schedulers/tbb_pool.hpp"
#endif

namespace pilfer::lab::documents {
namespace {

constexpr const char* tbb_name = "onetbb";

#if defined(PILFER_LAB_HAS_TBB)
class runner_of_tbb final : public runner {
 public:
  explicit runner_of_tbb(std::size_t workers) : pool_(workers) {}

  void run(std::size_t count, const std::function<void(std::size_t)>& task) override {
    pool_.run([&] {
      oneapi::tbb::task_group group;
      for (std::size_t i = 0; i < count; ++i) group.run([&task, i] { task(i); });
      group.wait();
    });
  }
  void calm_down() const override { std::this_thread::sleep_for(schedulers::tbb_calms_down_in); }

 private:
  schedulers::tbb_pool pool_;
};
#endif

}  // namespace

runner_entry tbb_runner() {
#if defined(PILFER_LAB_HAS_TBB)
  return {
      .name = tbb_name, .version = schedulers::tbb_version(), .why_unavailable = {}, .make = [](std::size_t workers) {
        return std::make_unique<runner_of_tbb>(workers);
      }};
#else
  return {.name = tbb_name, .version = {}, .why_unavailable = schedulers::why_no_tbb, .make = {}};
#endif
}

}  // namespace pilfer::lab::documents
