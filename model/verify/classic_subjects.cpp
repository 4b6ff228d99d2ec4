// The locking queues, ABP and Chase-Lev.
#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/global_queue.hpp>
#include <pilfer/queue/locked_deque.hpp>

#include "runtime_orders.hpp"

namespace pilfer::model::verify {
namespace {

using item = std::uint32_t;

struct growing_tag {
  static constexpr bool growing = true;
  static constexpr bool asymmetric = false;
};
struct bounded_tag {
  static constexpr bool growing = false;
  static constexpr bool asymmetric = false;
};

result check_global(const run& what, const options& how) {
  using queue_type = queue::global_queue<item, model_sync>;
  return check_queue<queue_type, promises{.thieves_oldest_first = true}>(what, how,
                                                                         [&] { return queue_type(what.size); });
}

result check_locked(const run& what, const options& how) {
  using queue_type = queue::locked_deque<item, model_sync>;
  return check_queue<queue_type, promises{}>(what, how, [&] { return queue_type(what.size); });
}

template <unsigned TagBits>
result check_abp_of(const run& what, const options& how) {
  using queue_type = queue::abp_deque<item, model_sync, abp_variable, TagBits>;
  return check_queue<queue_type, promises{}>(what, how, [&] { return queue_type(what.size); });
}
result check_abp(const run& what, const options& how) {
  return what.narrow ? check_abp_of<3>(what, how) : check_abp_of<40>(what, how);
}

template <class Tag, unsigned Bits>
result check_chase_lev_of(const run& what, const options& how) {
  constexpr auto growth = Tag::growing ? queue::growth::growing : queue::growth::bounded;
  using queue_type = queue::chase_lev_deque<item, model_sync, chase_lev_variable<Tag>, growth, Bits>;
  return check_queue<queue_type, promises{.exact_full = !Tag::growing}>(what, how,
                                                                        [&] { return queue_type(what.size); });
}
template <class Tag>
result check_chase_lev(const run& what, const options& how) {
  return what.narrow ? check_chase_lev_of<Tag, 3>(what, how) : check_chase_lev_of<Tag, 64>(what, how);
}

}  // namespace

void add_classic(std::vector<subject>& to) {
  to.push_back({.name = "global",
                .traits = queue::global_queue<item, model_sync>::traits,
                .growing = true,
                .locks = true,
                .narrow = false,
                .check = check_global});
  to.push_back({.name = "locked",
                .traits = queue::locked_deque<item, model_sync>::traits,
                .growing = true,
                .locks = true,
                .narrow = false,
                .check = check_locked});
  to.push_back({.name = "abp",
                .traits = queue::abp_deque<item, model_sync>::traits,
                .reuses_slots = true,
                .check = check_abp,
                .orders = abp_variable::all});
  to.push_back({.name = "chase-lev-bounded",
                .traits = queue::bounded_chase_lev_deque<item, model_sync>::traits,
                .reuses_slots = true,
                .check = check_chase_lev<bounded_tag>,
                .orders = chase_lev_variable<bounded_tag>::all});
  to.push_back({.name = "chase-lev",
                .traits = queue::chase_lev_deque<item, model_sync>::traits,
                .growing = true,
                .reuses_slots = true,
                .check = check_chase_lev<growing_tag>,
                .orders = chase_lev_variable<growing_tag>::all});
}

}  // namespace pilfer::model::verify
