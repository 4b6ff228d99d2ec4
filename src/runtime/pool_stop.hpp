// Whether a pool is to stop, and the tokens that say so to its work.
//
// A wait that can be stopped registers a callback with its token, and the registration takes a lock inside of the token's state. One
// state for all work of a pool would be a lock that all its workers share; so a pool has several, and each coroutine, group and task is
// given one of them by its address.
//
// State          writer       reader   meaning
//   requested_   requesters   all      1: what has not begun does not begin
//   coroutines   all          all      detached coroutines of that part that have not ended; above bit 32: tasks that start one
//
// Invariants
//   I1  If requested_ is 1, every token is stopped. So work that did not begin because of it can be seen as stopped by its token.
//   I2  When request() returns to any of its callers, requested_ is 1.
//
// Edges
//   stop      request: store of requested_ -> is_requested: load of requested_   the stopped tokens, and what was written before, are visible
//
// Sources    ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>

#include <pilfer/detail/immovable.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct pool_stop_orders {
  static constexpr ext::edge stop{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// In src/runtime/.
class pool_stop : immovable {
  using Orders = pool_stop_orders;
  template <class T>
  using atomic = ext::default_sync::atomic<T>;

 public:
  // For a pool of that size.
  //   Throws  std::bad_alloc
  explicit pool_stop(std::size_t places);
  ~pool_stop();

  // Stops all tokens, and runs their callbacks on this thread. Irreversible. Returns false if a stop was requested before.
  bool request() noexcept;
  [[nodiscard]] bool is_requested() const noexcept { return requested_.load(Orders::stop.acq) != 0; }

  // The token for the work at that address, always the same one. The reference is valid as long as the pool, a copy for ever.
  [[nodiscard]] const std::stop_token& token_for(const void* work) const noexcept;

  // Count a detached coroutine, by the address that it has its token for: before its first step, after that, and after its last one.
  void begin_coroutine(const void* root) noexcept;
  void end_start(const void* root) noexcept;
  void end_coroutine(const void* root) noexcept;
  struct counts {
    std::size_t coroutines = 0;  // that have begun, and not ended
    std::size_t starts = 0;      // tasks that are still in the first step of one
  };
  [[nodiscard]] counts count() const noexcept;  // a hint, while some begin and end

 private:
  struct part;
  [[nodiscard]] std::size_t part_count() const noexcept { return std::size_t{1} << (64U - shift_); }
  [[nodiscard]] part& part_for(const void* work) const noexcept;

  const unsigned shift_;           // of a hash, so that an index of a part is left
  std::unique_ptr<part[]> parts_;  // NOLINT(modernize-avoid-c-arrays)
  atomic<std::uint32_t> requested_{0};
};

}  // namespace pilfer::detail
