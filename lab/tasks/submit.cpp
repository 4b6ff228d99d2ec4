// One empty task at a time, given to a scheduler from outside and waited for: pilfer's submit and get, oneTBB's enqueue and wait.
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>

#include "lab/measure/interleave.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/schedulers/peers.hpp"
#include "lab/tasks/count_one.hpp"
#include "lab/tasks/experiment.hpp"

#if defined(PILFER_LAB_HAS_TBB)
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>

#include "lab/schedulers/tbb_pool.hpp"
#endif

namespace pilfer::lab::experiments::tasks {
namespace {

// The caller and a thread: so many each side has.
constexpr std::size_t workers_beside_caller = 1;

// `one(sum)` gives the task to a scheduler and waits for it. The first tasks, which are not timed, wake its thread.
template <class One>
double ns_each(std::size_t tasks, const std::string& who, One&& one) {
  std::size_t sum = 0;
  const std::size_t before = tasks / 10 + 1;
  for (std::size_t i = 0; i < before; ++i) one(sum);
  const double seconds = seconds_taken_by([&] {
    for (std::size_t i = 0; i < tasks; ++i) one(sum);
  });
  if (sum != before + tasks) throw std::runtime_error("tasks: wrong count: " + who);
  std::this_thread::sleep_for(schedulers::tbb_calms_down_in);  // of either: its threads look for work for a while
  return seconds * 1e9 / static_cast<double>(tasks);
}

}  // namespace

findings measure_submits(const settings& given) {
  const auto tasks = by_effort<std::size_t>(given, 50, 20'000, 100'000);
  const auto repetitions = by_effort<std::size_t>(given, 2, 21, 51);
  findings found;
  std::vector<contender> contenders;
  contenders.push_back(
      {call_impl, [&] { return ns_each(tasks, call_impl, [](std::size_t& sum) { count_one(sum); }); }});
  pool home(pool_options{.workers = workers_beside_caller + 1});
  contenders.push_back({submit_impl, [&] {
                          return ns_each(tasks, submit_impl,
                                         [&](std::size_t& sum) { home.submit([&sum] { count_one(sum); }).get(); });
                        }});
#if defined(PILFER_LAB_HAS_TBB)
  namespace tbb = oneapi::tbb;
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                    std::max<std::size_t>(workers_beside_caller + 1, given.processors));
  tbb::task_arena arena(static_cast<int>(workers_beside_caller + 1));
  tbb::task_group group;
  contenders.push_back({tbb_group_impl, [&] {
                          return ns_each(tasks, tbb_group_impl, [&](std::size_t& sum) {
                            arena.enqueue(group.defer([&sum] { count_one(sum); }));
                            arena.execute([&group] { group.wait(); });
                          });
                        }});
  // A thread that only looks at the flag: where it gives nothing away to the scheduler, the scheduler's thread has to run the task.
  contenders.push_back({tbb_flag_impl, [&] {
                          return ns_each(tasks / 100 + 1, tbb_flag_impl, [&](std::size_t& sum) {
                            std::atomic<bool> done{false};
                            arena.enqueue([&] {
                              count_one(sum);
                              done.store(true, std::memory_order_release);
                            });
                            while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
                          });
                        }});
  found.versions["onetbb"] = schedulers::tbb_version();
#else
  found.notes.push_back(std::string("onetbb: ") + schedulers::why_no_tbb);
#endif
  const sample_matrix samples = run_interleaved(contenders, repetitions, submit_row);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    found.rows.push_back({.suite = suite_name,
                          .name = submit_row,
                          .impl = contenders[i].name,
                          .params = {{"tasks", tasks}, {"workers", workers_beside_caller + 1}},
                          .unit = "ns",
                          .samples = samples[i],
                          .ratio_to_sequential = {}});
    found.rows.back().extra["oversubscribed"] = given.processors < workers_beside_caller + 1;
  }
  return found;
}

}  // namespace pilfer::lab::experiments::tasks
