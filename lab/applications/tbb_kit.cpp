// oneTBB: parallel_invoke, and parallel_for with its own partitioner, in a task_arena of their own.
#include "lab/applications/application.hpp"
#include "lab/schedulers/peers.hpp"

#if defined(PILFER_LAB_HAS_TBB)

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>

#include <type_traits>
#include <utility>

#include "lab/applications/kit_session.hpp"
#include "lab/schedulers/tbb_pool.hpp"

namespace pilfer::lab::applications {
namespace {

namespace tbb = oneapi::tbb;

struct tbb_kit {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    if constexpr (std::is_void_v<decltype(g())>) {
      tbb::parallel_invoke(f, g);
    } else {
      std::pair<decltype(f()), decltype(g())> both;
      tbb::parallel_invoke([&] { both.first = f(); }, [&] { both.second = g(); });
      return both;
    }
  }
  template <class F>
  static void parallel_for(std::size_t first, std::size_t last, std::size_t grain, F f) {
    using block = tbb::blocked_range<std::size_t>;
    tbb::parallel_for(block(first, last, grain), [=](const block& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) f(i);
    });
  }
};

using tbb_session = kit_session<tbb_kit, schedulers::tbb_pool>;

}  // namespace

kit_entry tbb_kit_entry() {
  return {.name = tbb_name, .version = schedulers::tbb_version(), .make = [](std::size_t workers, const variant&) {
            return std::make_unique<tbb_session>(tbb_name, schedulers::tbb_calms_down_in, workers, workers);
          }};
}

}  // namespace pilfer::lab::applications

#else

namespace pilfer::lab::applications {

kit_entry tbb_kit_entry() { return {.name = tbb_name, .why_unavailable = schedulers::why_no_tbb}; }

}  // namespace pilfer::lab::applications

#endif
