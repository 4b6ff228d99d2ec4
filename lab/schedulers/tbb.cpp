// oneTBB: parallel_invoke in a task_arena of its own.
#include "lab/schedulers/registry.hpp"

#if defined(PILFER_LAB_HAS_TBB)

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "lab/schedulers/pool_session.hpp"

namespace pilfer::lab::schedulers {
namespace {

struct tbb_fork {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    std::pair<decltype(f()), decltype(g())> both;
    oneapi::tbb::parallel_invoke([&] { both.first = f(); }, [&] { both.second = g(); });
    return both;
  }
};

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

// Its idle workers look for work for a while: not while the next contender is measured.
class tbb_session final : public session {
 public:
  explicit tbb_session(std::size_t workers) : inner_(workers) {}
  programs::timed_answer run(const workload& what) override {
    const programs::timed_answer found = inner_.run(what);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return found;
  }

 private:
  pool_session<tbb_pool, tbb_fork> inner_;
};

}  // namespace

std::vector<entry> tbb_entries() {
  return {{.name = "onetbb",
           .description = "oneTBB, parallel_invoke",
           .of = family::peer,
           .version = fmt::format("{}.{}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR, TBB_VERSION_PATCH),
           .make = [](std::size_t workers) { return std::make_unique<tbb_session>(workers); }}};
}

}  // namespace pilfer::lab::schedulers

#else

namespace pilfer::lab::schedulers {

std::vector<entry> tbb_entries() {
  return {{.name = "onetbb",
           .description = "oneTBB, parallel_invoke",
           .of = family::peer,
           .why_unavailable = "not installed when this was built (libtbb-dev)"}};
}

}  // namespace pilfer::lab::schedulers

#endif
