// pilfer::pool with each of its schedulers.
#include <atomic>
#include <thread>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "lab/idle/sleeper.hpp"

namespace pilfer::lab::idle {
namespace {

class pilfer_sleeper final : public sleeper {
 public:
  pilfer_sleeper(const std::string& scheduler, std::size_t workers)
      : name_(scheduler), pool_(pool_options{.workers = workers, .scheduler = scheduler}) {}

  wake_up wake(way how, std::chrono::microseconds after) override {
    meeting met;
    switch (how) {
      case way::submit:
        std::this_thread::sleep_for(after);
        met.begin();
        pool_.detach([&met] { met.arrive_alone(); });
        break;
      case way::fork:
        pool_.run([&] {
          std::this_thread::sleep_for(after);
          met.begin();
          fork_join([&met] { met.arrive(); }, [&met] { met.arrive(); });
        });
        break;
      case way::spawn:
        pool_.run([&] {
          task_group group;
          std::this_thread::sleep_for(after);
          met.begin();
          group.spawn([&met] { met.arrive(); });
          met.arrive();
          group.wait();
        });
        break;
    }
    return awaited(met, name_);
  }

  std::int64_t run_tasks(std::int64_t count) override {
    std::atomic<std::int64_t> ran{0};
    pool_.run([&] {
      task_group group;
      for (std::int64_t i = 0; i < count; ++i)
        group.spawn([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });  // the group's wait orders it
      group.wait();
    });
    return ran.load(std::memory_order_relaxed);
  }

  [[nodiscard]] std::optional<std::uint64_t> steals_so_far() const override {
    return pool_.statistics().total().steals_taken;
  }

 private:
  std::string name_;
  pool pool_;
};

}  // namespace

std::vector<sleeper_entry> pilfer_sleeper_entries() {
  std::vector<sleeper_entry> list;
  for (const std::string& name : scheduler_names()) {
    list.push_back({.name = name, .description = "pilfer::pool with " + name, .make = [name](std::size_t workers) {
                      return std::make_unique<pilfer_sleeper>(name, workers);
                    }});
  }
  return list;
}

}  // namespace pilfer::lab::idle
