// The named configurations: a queue, a way to get at private work, and how both are made. Victim policies and waiting are
// options of every pool.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>

#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/global_queue.hpp>
#include <pilfer/queue/locked_deque.hpp>
#include <pilfer/queue/split_deque.hpp>

#include "research/exposure.hpp"
#include "research/queue_lane.hpp"
#include "research/queue_task_lane.hpp"
#include "research/ticket_lane.hpp"
#include "src/runtime/ready_set.hpp"

namespace pilfer::research {

inline constexpr std::size_t bounded_queue_items = 8192;

// What most of them have in common.
struct classical {
  template <class Queue>
  using exposure = open_to_all<Queue>;
  template <class Queue>
  [[nodiscard]] static std::unique_ptr<Queue> make(ext::block_geometry /*shape*/) {
    return std::make_unique<Queue>();
  }
  static constexpr bool shared = false;
};

namespace config {

struct ws_global : classical {
  static constexpr const char* name = "ws-global";
  static constexpr const char* summary = "one FIFO for all behind a mutex";
  static constexpr bool shared = true;
  template <class Sync>
  using queue = queue::global_queue<void*, Sync>;
};
struct ws_locked : classical {
  static constexpr const char* name = "ws-locked";
  static constexpr const char* summary = "a deque and a mutex per worker";
  template <class Sync>
  using queue = queue::locked_deque<job*, Sync>;
};
struct ws_abp : classical {
  static constexpr const char* name = "ws-abp";
  static constexpr const char* summary = "Arora, Blumofe and Plaxton's deque, with a wide tag";
  template <class Sync>
  using queue = queue::abp_deque<job*, Sync>;
  template <class Queue>
  [[nodiscard]] static std::unique_ptr<Queue> make(ext::block_geometry /*shape*/) {
    return std::make_unique<Queue>(bounded_queue_items);
  }
};
struct ws_chase_lev : classical {
  static constexpr const char* name = "ws-chase-lev";
  static constexpr const char* summary = "Chase and Lev's growing deque";
  template <class Sync>
  using queue = queue::chase_lev_deque<job*, Sync>;
};
struct bwos_lifo : classical {
  static constexpr const char* name = "bwos-lifo";
  static constexpr const char* summary = "block-based deque of 001, with early grant";
  template <class Sync>
  using queue = queue::bwos_lifo<job*, Sync>;
  template <class Queue>
  [[nodiscard]] static std::unique_ptr<Queue> make(ext::block_geometry shape) {
    return std::make_unique<Queue>(shape);
  }
};
struct bwos_fifo : classical {
  static constexpr const char* name = "bwos-fifo";
  static constexpr const char* summary = "block-based FIFO of 001; a join claims its own job";
  template <class Sync>
  using queue = queue::bwos_fifo<void*, Sync>;
  template <class Queue>
  [[nodiscard]] static std::unique_ptr<Queue> make(ext::block_geometry shape) {
    return std::make_unique<Queue>(shape);
  }
};
struct asymmetric : classical {
  static constexpr const char* name = "asymmetric";
  static constexpr const char* summary = "Chase-Lev without the owner's fence: thieves pay with membarrier";
  template <class Sync>
  using queue = queue::asymmetric_deque<job*, Sync>;
};

// 004, section 3: the owner polls a flag.
template <queue::exposure_rule Rule>
struct polled_split : classical {
  template <class Sync>
  using queue = queue::split_deque<job*, Sync>;
  template <class Queue>
  using exposure = polled<Queue>;
  template <class Queue>
  [[nodiscard]] static std::unique_ptr<Queue> make(ext::block_geometry /*shape*/) {
    return std::make_unique<Queue>(std::size_t{64}, Rule);
  }
};
struct lcws_user : polled_split<queue::exposure_rule::one> {
  static constexpr const char* name = "lcws-user";
  static constexpr const char* summary = "split deque of 004, one job exposed when the owner sees a flag";
};
struct lace : polled_split<queue::exposure_rule::lace> {
  static constexpr const char* name = "lace";
  static constexpr const char* summary = "split deque, Lace's rule: expose half, take half back when private is empty";
};

// 004, section 4: a signal.
template <queue::exposure_rule Rule>
struct signalled_split : classical {
  template <class Sync>
  using queue = queue::signal_safe_split_deque<job*, Sync>;
  template <class Queue>
  using exposure = signalled<Queue, Rule>;
};
struct lcws_signal : signalled_split<queue::exposure_rule::one> {
  static constexpr const char* name = "lcws-signal";
  static constexpr const char* summary = "split deque of 004, one job exposed by a signal handler";
};
struct lcws_conservative : signalled_split<queue::exposure_rule::conservative> {
  static constexpr const char* name = "lcws-conservative";
  static constexpr const char* summary = "as lcws-signal, but only while another job stays private";
};
struct lcws_half : signalled_split<queue::exposure_rule::half> {
  static constexpr const char* name = "lcws-half";
  static constexpr const char* summary = "as lcws-signal, half of the private jobs at once";
};

}  // namespace config

// The same configuration, with fences and read-modify-writes counted per thread.
template <class Config>
struct counted : Config {};

template <class Config>
struct sync_of {
  using type = ext::default_sync;
};
template <class Config>
struct sync_of<counted<Config>> {
  using type = ext::counting_sync;
};

template <class Config>
inline constexpr bool needs_tickets = Config::template queue<ext::default_sync>::traits.order == ext::queue_order::fifo;

template <class Config>
using lane_for = std::conditional_t<needs_tickets<Config>, ticket_lane<Config, typename sync_of<Config>::type>,
                                    queue_lane<Config, typename sync_of<Config>::type>>;

// Makes lanes that are given their queue: the same one, where it is shared.
template <class Config, class Lane>
class lane_maker_of {
  using queue_type = typename Lane::queue_type;

 public:
  explicit lane_maker_of(ext::block_geometry shape) noexcept : shape_(shape) {}

  [[nodiscard]] std::unique_ptr<Lane> operator()(worker& self, unsigned level = 0) {
    if constexpr (Config::shared) {
      if (shared_[level] == nullptr) shared_[level] = Config::template make<queue_type>(shape_);
      return std::make_unique<Lane>(self, shared_[level]);
    } else {
      return std::make_unique<Lane>(self, std::shared_ptr<queue_type>(Config::template make<queue_type>(shape_)));
    }
  }

 private:
  ext::block_geometry shape_;
  std::array<std::shared_ptr<queue_type>, most_levels> shared_;
};

// The makers of one pool's queues.
template <class Config>
[[nodiscard]] detail::ready_set::lane_maker task_lanes_of(ext::block_geometry shape) {
  return lane_maker_of<Config, queue_task_lane<Config, typename sync_of<Config>::type>>(shape);
}

// Calls f with a type_identity of each configuration, in the order of the documentation.
template <class F>
constexpr auto with_configurations(F&& f) {
  return f(std::type_identity<config::ws_global>{}, std::type_identity<config::ws_locked>{},
           std::type_identity<config::ws_abp>{}, std::type_identity<config::ws_chase_lev>{},
           std::type_identity<config::bwos_lifo>{}, std::type_identity<config::bwos_fifo>{},
           std::type_identity<config::lcws_user>{}, std::type_identity<config::lcws_signal>{},
           std::type_identity<config::lcws_conservative>{}, std::type_identity<config::lcws_half>{},
           std::type_identity<config::lace>{}, std::type_identity<config::asymmetric>{});
}

}  // namespace pilfer::research
