// Who runs tasks: one for each document, spawned one after the other, then awaited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pilfer::lab::documents {

class runner {
 public:
  runner() = default;
  virtual ~runner() = default;
  runner(const runner&) = delete;
  runner& operator=(const runner&) = delete;

  // Calls task(i), which must not throw, for each i below `count`.
  virtual void run(std::size_t count, const std::function<void(std::size_t)>& task) = 0;
  // Waits for threads that go on after their work.
  virtual void calm_down() const {}
  // None: the scheduler does not say.
  [[nodiscard]] virtual std::optional<std::uint64_t> stolen_so_far() const { return std::nullopt; }
};

struct runner_entry {
  std::string name;
  std::string version;                                               // of a peer
  std::string why_unavailable;                                       // of one that is not in this build
  std::function<std::unique_ptr<runner>(std::size_t workers)> make;  // empty: see why_unavailable
};

[[nodiscard]] std::unique_ptr<runner> make_serial_runner();
// A scheduler of scheduler_names().
[[nodiscard]] runner_entry pilfer_runner(const std::string& scheduler);
[[nodiscard]] runner_entry tbb_runner();
[[nodiscard]] runner_entry openmp_runner();

}  // namespace pilfer::lab::documents
