// What a pool does while the thread of a worker sleeps or blocks: its place goes to another one. Where no thread can take it, a thread that
// waits stands in, and runs something that it does not wait for. Which threads sleep, and when, is in rest.hpp.
#pragma once

#include <cstdint>

#include <pilfer/detail/protocol/places.hpp>

#include "crew.hpp"
#include "events.hpp"
#include "execution.hpp"
#include "ready_set.hpp"
#include "roster.hpp"
#include "worker.hpp"

namespace pilfer::detail {

class stand_in : immovable {
 public:
  struct neighbours {
    const roster& workers;
    ready_set& ready;
    events& completions;
    crew& members;
    const execution& runs;
  };
  // `is_allowed`: pool_options::strangers.
  stand_in(const neighbours& told, bool is_allowed) noexcept : told_(told), is_allowed_(is_allowed) {}

  // The worker's thread gives up its place, and takes it back. The second one returns true if the thread was recalled.
  [[nodiscard]] pool_places::vacated begin_block(worker& self, const pool_places::block& how) noexcept;
  bool end_block(worker& self) noexcept;

  [[nodiscard]] bool is_allowed() const noexcept { return is_allowed_; }
  // Is it forbidden, and is this the first question?
  [[nodiscard]] bool tells_of_standstill() noexcept {
    return !is_allowed_ && !has_told_.exchange(true, places_orders::relaxed);  // once: nothing is ordered by it
  }
  // Is it allowed, and has the stack of the calling thread room?
  [[nodiscard]] bool may_run_stranger(const worker& self) const noexcept;
  enum class outcome : std::uint8_t { run, none, no_room };
  [[nodiscard]] outcome run_stranger(worker& self) noexcept;  // `none`: nothing that can be had was found
  // Tasks of the pool that have begun.
  [[nodiscard]] std::uint64_t count_started() const noexcept;

 private:
  const neighbours told_;
  const bool is_allowed_;  // where no thread can be made
  ext::default_sync::atomic<bool> has_told_{false};
};

}  // namespace pilfer::detail
