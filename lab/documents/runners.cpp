#include "lab/documents/runners.hpp"

#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

namespace pilfer::lab::documents {
namespace {

class serial_runner final : public runner {
 public:
  void run(std::size_t count, const std::function<void(std::size_t)>& task) override {
    for (std::size_t i = 0; i < count; ++i) task(i);
  }
};

class pool_runner final : public runner {
 public:
  pool_runner(const std::string& scheduler, std::size_t workers)
      : pool_(pool_options{.workers = workers, .scheduler = scheduler}) {}

  void run(std::size_t count, const std::function<void(std::size_t)>& task) override {
    pool_.run([&] {
      task_group group;
      for (std::size_t i = 0; i < count; ++i) group.spawn([&task, i] { task(i); });
      group.wait();
    });
  }
  [[nodiscard]] std::optional<std::uint64_t> stolen_so_far() const override {
    return pool_.statistics().total().steals_taken;
  }

 private:
  pilfer::pool pool_;
};

}  // namespace

std::unique_ptr<runner> make_serial_runner() { return std::make_unique<serial_runner>(); }

runner_entry pilfer_runner(const std::string& scheduler) {
  return {.name = scheduler, .version = {}, .why_unavailable = {}, .make = [scheduler](std::size_t workers) {
            return std::make_unique<pool_runner>(scheduler, workers);
          }};
}

}  // namespace pilfer::lab::documents
