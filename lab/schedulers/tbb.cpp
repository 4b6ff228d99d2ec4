// oneTBB: parallel_invoke in a task_arena of its own.
#include "lab/schedulers/peers.hpp"
#include "lab/schedulers/registry.hpp"

#if defined(PILFER_LAB_HAS_TBB)

#include <oneapi/tbb/parallel_invoke.h>

#include <utility>

#include "lab/schedulers/pool_session.hpp"
#include "lab/schedulers/tbb_pool.hpp"

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

using tbb_session = calming_session<tbb_pool, tbb_fork, tbb_calms_down_in.count()>;

}  // namespace

std::vector<entry> tbb_entries() {
  return {{.name = "onetbb",
           .description = "oneTBB, parallel_invoke",
           .of = family::peer,
           .version = tbb_version(),
           .make = [](std::size_t workers) { return std::make_unique<tbb_session>(workers); }}};
}

}  // namespace pilfer::lab::schedulers

#else

namespace pilfer::lab::schedulers {

std::vector<entry> tbb_entries() {
  return {
      {.name = "onetbb", .description = "oneTBB, parallel_invoke", .of = family::peer, .why_unavailable = why_no_tbb}};
}

}  // namespace pilfer::lab::schedulers

#endif
