// oneTBB: a task_arena with one place for the caller.
#include "lab/idle/sleeper.hpp"
#include "lab/schedulers/peers.hpp"

#if defined(PILFER_LAB_HAS_TBB)

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "lab/schedulers/tbb_pool.hpp"

namespace pilfer::lab::idle {
namespace {

class tbb_sleeper final : public sleeper {
 public:
  explicit tbb_sleeper(std::size_t workers)
      : allowed_(oneapi::tbb::global_control::max_allowed_parallelism,
                 std::max<std::size_t>(workers, std::thread::hardware_concurrency())),
        arena_(static_cast<int>(workers)) {}

  wake_up wake(way how, std::chrono::microseconds after) override {
    meeting met;
    switch (how) {
      case way::submit:
        std::this_thread::sleep_for(after);
        met.begin();
        arena_.enqueue([&met] { met.arrive_alone(); });
        break;
      case way::fork:
        arena_.execute([&] {
          std::this_thread::sleep_for(after);
          met.begin();
          oneapi::tbb::parallel_invoke([&met] { met.arrive(); }, [&met] { met.arrive(); });
        });
        break;
      case way::spawn:
        arena_.execute([&] {
          oneapi::tbb::task_group group;
          std::this_thread::sleep_for(after);
          met.begin();
          group.run([&met] { met.arrive(); });
          met.arrive();
          group.wait();
        });
        break;
    }
    return awaited(met, tbb_name);
  }

  std::int64_t run_tasks(std::int64_t count) override {
    std::atomic<std::int64_t> ran{0};
    arena_.execute([&] {
      oneapi::tbb::task_group group;
      for (std::int64_t i = 0; i < count; ++i)
        group.run([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });  // the group's wait orders it
      group.wait();
    });
    return ran.load(std::memory_order_relaxed);
  }

 private:
  oneapi::tbb::global_control allowed_;
  oneapi::tbb::task_arena arena_;
};

}  // namespace

sleeper_entry tbb_sleeper_entry() {
  return {.name = tbb_name,
          .description = "oneTBB: enqueue, parallel_invoke and task_group in a task_arena",
          .version = schedulers::tbb_version(),
          .make = [](std::size_t workers) { return std::make_unique<tbb_sleeper>(workers); }};
}

}  // namespace pilfer::lab::idle

#else

namespace pilfer::lab::idle {

sleeper_entry tbb_sleeper_entry() {
  return {.name = tbb_name, .description = "oneTBB", .why_unavailable = schedulers::why_no_tbb};
}

}  // namespace pilfer::lab::idle

#endif
