// Workers of oneTBB: a task_arena of its own. Only where there is a oneTBB.
#pragma once

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>

namespace pilfer::lab::schedulers {

class tbb_pool {
 public:
  // oneTBB makes no more threads than processors unless it is told to.
  explicit tbb_pool(std::size_t workers)
      : allowed_(oneapi::tbb::global_control::max_allowed_parallelism,
                 std::max<std::size_t>(workers, std::thread::hardware_concurrency())),
        arena_(static_cast<int>(workers)) {}

  template <class F>
  auto run(F f) {
    return arena_.execute([&] { return f(); });
  }

 private:
  oneapi::tbb::global_control allowed_;
  oneapi::tbb::task_arena arena_;
};

[[nodiscard]] inline std::string tbb_version() {
  return fmt::format("{}.{}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR, TBB_VERSION_PATCH);
}

}  // namespace pilfer::lab::schedulers
