// Ours, as users have it; the queue is chosen when a pool is made.
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/for.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>

#include "lab/applications/kit_session.hpp"

namespace pilfer::lab::applications {
namespace {

struct pilfer_kit {
  template <class F, class G>
  [[gnu::always_inline]] static auto fork_join(F&& f, G&& g) {
    return pilfer::fork_join(std::forward<F>(f), std::forward<G>(g));
  }
  template <class F>
  static void parallel_for(std::size_t first, std::size_t last, std::size_t grain, F f) {
    pilfer::parallel_for(first, last, f, {.grain = grain});
  }
};

constexpr std::chrono::milliseconds calms_down_in{1};

class pilfer_session final : public kit_session<pilfer_kit, pilfer::pool> {
 public:
  pilfer_session(std::string name, const pool_options& options)
      : kit_session(std::move(name), calms_down_in, options.workers, options) {}

 protected:
  [[nodiscard]] std::optional<std::uint64_t> stolen_so_far() const override {
    return pool().statistics().total().steals_taken;
  }
};

}  // namespace

kit_entry pilfer_kit_entry() {
  return {.name = pilfer_name, .of = kind::ours, .make = [](std::size_t workers, const variant& how) {
            const pool_options options{
                .workers = workers, .scheduler = how.scheduler, .block_entries = how.block_entries};
            return std::make_unique<pilfer_session>(name_of(how), options);
          }};
}

}  // namespace pilfer::lab::applications
