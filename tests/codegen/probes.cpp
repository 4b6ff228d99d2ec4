// Functions whose machine code the codegen checks look at: one per queue and operation, and pairs of the same operation by
// native_sync and by std::atomic. Queues behind a mutex are left out: their cost is the mutex.
//
// A probe has C linkage, so that its symbol is its name, and external linkage, so that it is kept whole.
#include <atomic>
#include <cstdint>
#include <optional>

#include <pilfer/ext/sync.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/queue/bwos_fifo.hpp>
#include <pilfer/queue/bwos_lifo.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/fork_deque.hpp>
#include <pilfer/queue/split_deque.hpp>

// Not an anonymous namespace: symbols of what the probes call must stay distinct and visible in the object file.
namespace probes {

namespace queue = pilfer::queue;
using pilfer::ext::native_sync;
using item = std::uint64_t;

struct wide_item {
  std::uint64_t low;
  std::uint64_t high;
};

template <class T>
using abp = queue::abp_deque<T, native_sync>;
template <class T>
using chase_lev = queue::chase_lev_deque<T, native_sync>;
template <class T>
using chase_lev_bounded = queue::bounded_chase_lev_deque<T, native_sync>;
template <class T>
using asymmetric = queue::asymmetric_deque<T, native_sync>;
template <class T>
using bwos_lifo = queue::bwos_lifo<T, native_sync>;
template <class T>
using bwos_fifo = queue::bwos_fifo<T, native_sync>;
template <class T>
using fork = queue::fork_deque<T, native_sync>;
template <class T>
using split = queue::split_deque<T, native_sync>;
template <class T>
using split_signal = queue::signal_safe_split_deque<T, native_sync>;

// Out through a pointer: clang warns of a C function that returns a C++ class.
template <class Result>
bool deliver(const Result& result, auto* out) noexcept {
  if (!result) return false;
  *out = *result;
  return true;
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are names and types.
#define PILFER_PROBE extern "C" [[gnu::noinline, gnu::used]]
#define PILFER_PROBE_QUEUE(name)                                                                                  \
  PILFER_PROBE bool name##_push(name<item>& q, item x) { return q.owner().push(x); }                              \
  PILFER_PROBE bool name##_pop(name<item>& q, item* out) { return deliver(q.owner().pop(), out); }                \
  PILFER_PROBE bool name##_steal(name<item>& q, item* out) { return deliver(q.thief().steal(), out); }            \
  PILFER_PROBE bool name##_push_wide(name<wide_item>& q, wide_item x) { return q.owner().push(x); }               \
  PILFER_PROBE bool name##_pop_wide(name<wide_item>& q, wide_item* out) { return deliver(q.owner().pop(), out); } \
  PILFER_PROBE bool name##_steal_wide(name<wide_item>& q, wide_item* out) { return deliver(q.thief().steal(), out); }
#define PILFER_PROBE_SPLIT(name)                                                                                 \
  PILFER_PROBE bool name##_pop_public(name<item>& q, item* out) { return deliver(q.owner().pop_public(), out); } \
  PILFER_PROBE std::size_t name##_expose(name<item>& q, std::size_t n) { return q.owner().expose(n); }

PILFER_PROBE_QUEUE(abp)
PILFER_PROBE_QUEUE(chase_lev)
PILFER_PROBE_QUEUE(chase_lev_bounded)
PILFER_PROBE_QUEUE(asymmetric)
PILFER_PROBE_QUEUE(bwos_lifo)
PILFER_PROBE_QUEUE(bwos_fifo)
PILFER_PROBE_QUEUE(fork)
PILFER_PROBE_QUEUE(split)
PILFER_PROBE_SPLIT(split)
PILFER_PROBE_QUEUE(split_signal)
PILFER_PROBE_SPLIT(split_signal)

// A fork and its join, with tasks that are elsewhere.
extern "C" long some_task(long) noexcept;
extern "C" long some_task_that_forks(pilfer::context, long) noexcept;
extern "C" long some_task_that_throws(long);
PILFER_PROBE long fork_join_plain(long n) {
  auto [a, b] = pilfer::fork_join([n]() noexcept { return some_task(n - 1); }, [n]() noexcept { return some_task(n); });
  return a + b;
}
PILFER_PROBE long fork_join_throwing(long n) {
  auto [a, b] =
      pilfer::fork_join([n] { return some_task_that_throws(n - 1); }, [n] { return some_task_that_throws(n); });
  return a + b;
}
PILFER_PROBE long fork_join_context(pilfer::context here, long n) {
  auto [a, b] = pilfer::fork_join(
      here, [n](pilfer::context x) noexcept { return some_task_that_forks(x, n - 1); },
      [n](pilfer::context x) noexcept { return some_task_that_forks(x, n); });
  return a + b;
}

// native_X and plain_X must be the same instructions.
#define PILFER_PROBE_ATOMIC(type, tag)                                                                                 \
  PILFER_PROBE type native_load_relaxed_##tag(const native_sync::atomic<type>& a) {                                    \
    return a.load(std::memory_order_relaxed);                                                                          \
  }                                                                                                                    \
  PILFER_PROBE type plain_load_relaxed_##tag(const std::atomic<type>& a) { return a.load(std::memory_order_relaxed); } \
  PILFER_PROBE type native_load_acquire_##tag(const native_sync::atomic<type>& a) {                                    \
    return a.load(std::memory_order_acquire);                                                                          \
  }                                                                                                                    \
  PILFER_PROBE type plain_load_acquire_##tag(const std::atomic<type>& a) { return a.load(std::memory_order_acquire); } \
  PILFER_PROBE void native_store_relaxed_##tag(native_sync::atomic<type>& a, type v) {                                 \
    a.store(v, std::memory_order_relaxed);                                                                             \
  }                                                                                                                    \
  PILFER_PROBE void plain_store_relaxed_##tag(std::atomic<type>& a, type v) { a.store(v, std::memory_order_relaxed); } \
  PILFER_PROBE void native_store_release_##tag(native_sync::atomic<type>& a, type v) {                                 \
    a.store(v, std::memory_order_release);                                                                             \
  }                                                                                                                    \
  PILFER_PROBE void plain_store_release_##tag(std::atomic<type>& a, type v) { a.store(v, std::memory_order_release); } \
  PILFER_PROBE void native_store_seq_cst_##tag(native_sync::atomic<type>& a, type v) {                                 \
    a.store(v, std::memory_order_seq_cst);                                                                             \
  }                                                                                                                    \
  PILFER_PROBE void plain_store_seq_cst_##tag(std::atomic<type>& a, type v) { a.store(v, std::memory_order_seq_cst); } \
  PILFER_PROBE type native_exchange_##tag(native_sync::atomic<type>& a, type v) {                                      \
    return a.exchange(v, std::memory_order_acq_rel);                                                                   \
  }                                                                                                                    \
  PILFER_PROBE type plain_exchange_##tag(std::atomic<type>& a, type v) {                                               \
    return a.exchange(v, std::memory_order_acq_rel);                                                                   \
  }                                                                                                                    \
  PILFER_PROBE bool native_cas_##tag(native_sync::atomic<type>& a, type& expected, type v) {                           \
    return a.compare_exchange(expected, v, std::memory_order_acq_rel, std::memory_order_relaxed);                      \
  }                                                                                                                    \
  PILFER_PROBE bool plain_cas_##tag(std::atomic<type>& a, type& expected, type v) {                                    \
    return a.compare_exchange_strong(expected, v, std::memory_order_acq_rel, std::memory_order_relaxed);               \
  }
#define PILFER_PROBE_ADD(type, tag)                                                \
  PILFER_PROBE type native_fetch_add_##tag(native_sync::atomic<type>& a, type v) { \
    return a.fetch_add(v, std::memory_order_release);                              \
  }                                                                                \
  PILFER_PROBE type plain_fetch_add_##tag(std::atomic<type>& a, type v) {          \
    return a.fetch_add(v, std::memory_order_release);                              \
  }

PILFER_PROBE_ATOMIC(std::uint32_t, u32)
PILFER_PROBE_ATOMIC(std::uint64_t, u64)
PILFER_PROBE_ATOMIC(void*, pointer)
PILFER_PROBE_ADD(std::uint32_t, u32)
PILFER_PROBE_ADD(std::uint64_t, u64)
// NOLINTEND(bugprone-macro-parentheses)

// In cold code a compiler saves space: an operation that it does not inline takes its order at run time, and is then the
// strongest.
#define PILFER_COLD_PROBE extern "C" [[gnu::noinline, gnu::used, gnu::cold]]
PILFER_COLD_PROBE item native_cold_load(const native_sync::atomic<item>& a) {
  return a.load(std::memory_order_relaxed);
}
PILFER_COLD_PROBE item plain_cold_load(const std::atomic<item>& a) { return a.load(std::memory_order_relaxed); }
PILFER_COLD_PROBE void native_cold_store(native_sync::atomic<item>& a, item v) {
  a.store(v, std::memory_order_release);
}
PILFER_COLD_PROBE void plain_cold_store(std::atomic<item>& a, item v) { a.store(v, std::memory_order_release); }
PILFER_COLD_PROBE bool native_cold_cas(native_sync::atomic<item>& a, item& expected, item v) {
  return a.compare_exchange(expected, v, std::memory_order_acq_rel, std::memory_order_relaxed);
}
PILFER_COLD_PROBE bool plain_cold_cas(std::atomic<item>& a, item& expected, item v) {
  return a.compare_exchange_strong(expected, v, std::memory_order_acq_rel, std::memory_order_relaxed);
}

PILFER_PROBE item native_cell_get(const native_sync::cell<item>& c) { return c.get(); }
PILFER_PROBE item plain_cell_get(const item& c) { return c; }
PILFER_PROBE void native_cell_set(native_sync::cell<item>& c, item v) { c.set(v); }
PILFER_PROBE void plain_cell_set(item& c, item v) { c = v; }

PILFER_PROBE void native_fence_acquire() { native_sync::fence(std::memory_order_acquire); }
PILFER_PROBE void plain_fence_acquire() { std::atomic_thread_fence(std::memory_order_acquire); }
PILFER_PROBE void native_fence_release() { native_sync::fence(std::memory_order_release); }
PILFER_PROBE void plain_fence_release() { std::atomic_thread_fence(std::memory_order_release); }
// Not a pair: clang's own would be an mfence.
PILFER_PROBE void sync_fence_seq_cst() { native_sync::fence(std::memory_order_seq_cst); }
PILFER_PROBE void sync_light_fence() { native_sync::light_fence(); }

}  // namespace probes
