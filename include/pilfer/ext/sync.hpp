// The Sync policy: everything a concurrent algorithm of pilfer may ask of the machine.
//
// A queue is a template on `Sync` and on a struct of memory orders. Three implementations come with the library, and
// a model checker is a fourth: the very text of a queue that ships is what the checker runs.
//
//   native_sync      plain std::atomic and plain memory; inlines to what one would write by hand
//   fence_free_sync  the same without std::atomic_thread_fence, which ThreadSanitizer does not understand
//   counting_sync    (counting_sync.hpp) counts fences and read-modify-writes of the calling thread
//
// What a Sync supplies
//   atomic<T>{value, name}   load, store, exchange, compare_exchange, fetch_add; each takes its order explicitly.
//                            The name serves a checker's traces; natively it vanishes.
//   cell<T>                  plain shared memory: get and set. A checker looks for races on it; natively it is a T.
//   fence, signal_fence      as in the standard library
//   light_fence, heavy_fence the two sides of an asymmetric fence: the first is only a compiler barrier, the other lets
//                            every running thread of the process execute a full fence, if asymmetric_fences() says so
//   mutex, futex_wait, futex_wake, allocate, deallocate, pause
//
// This is the only file that names std::atomic.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <type_traits>

#include <pilfer/ext/thread_sanitizer.hpp>

namespace pilfer::ext {

// Both ends of a synchronizes-with edge: `rel` stands at the store, `acq` at the load. An algorithm names its edges in
// one struct of orders; each site names the edge, so that a search for the name finds the partner.
struct edge {
  std::memory_order rel = std::memory_order_release;
  std::memory_order acq = std::memory_order_acquire;
};

// For a read-modify-write that ends one edge and begins another.
[[nodiscard]] constexpr std::memory_order both(std::memory_order acquiring, std::memory_order releasing) noexcept {
  if (acquiring == std::memory_order_relaxed) return releasing;
  return releasing == std::memory_order_relaxed ? acquiring : std::memory_order_acq_rel;
}

// Two words that different threads write belong at least this far apart (an adjacent-line prefetcher takes pairs).
inline constexpr std::size_t isolation_bytes = 128;

// Defined in src/sync/: the system calls, so that no public header includes more than the standard library.
namespace os {
// True if membarrier(2) in its private expedited form works here. The first call registers the process.
[[nodiscard]] bool membarrier_works() noexcept;
// Runs the barrier; false if the kernel refused it.
bool membarrier() noexcept;
// Sleeps while *word == expected; may wake spuriously. False if the time ran out. A negative time-out means none.
bool futex_wait(const void* word, std::uint32_t expected, std::chrono::nanoseconds timeout) noexcept;
// Wakes up to `count` sleepers and returns how many there were.
std::size_t futex_wake(const void* word, std::size_t count) noexcept;
}  // namespace os

struct native_sync {
  // Always inlined, in cold functions too: an order that is not a constant there would be decided at run time.
  template <class T>
  class atomic {
    static_assert(std::atomic<T>::is_always_lock_free, "a queue word must be lock-free on this machine");

   public:
    constexpr explicit atomic(T value = T{}, const char* /*name*/ = nullptr) noexcept : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    [[nodiscard, gnu::always_inline]] T load(std::memory_order order) const noexcept { return value_.load(order); }
    [[gnu::always_inline]] void store(T value, std::memory_order order) noexcept { value_.store(value, order); }
    [[gnu::always_inline]] T exchange(T value, std::memory_order order) noexcept {
      return value_.exchange(value, order);
    }
    [[gnu::always_inline]] T fetch_add(T value, std::memory_order order) noexcept {
      return value_.fetch_add(value, order);
    }
    // Strong; on failure `expected` becomes the value found.
    [[gnu::always_inline]] bool compare_exchange(T& expected, T desired, std::memory_order success,
                                                 std::memory_order failure) noexcept {
      return value_.compare_exchange_strong(expected, desired, success, failure);
    }
    [[nodiscard]] const void* address() const noexcept { return &value_; }

   private:
    std::atomic<T> value_;
  };

  template <class T>
  class cell {
   public:
    [[nodiscard]] T get() const noexcept { return value_; }
    void set(T value) noexcept { value_ = value; }

   private:
    T value_;
  };

  using mutex = std::mutex;

  static void fence(std::memory_order order) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    // What g++ makes of a seq_cst fence. clang makes it an mfence, and so does g++ in functions marked cold; that costs AMD
    // several times as much. No tool sees this line: sanitizers and the checker have a Sync of their own.
    if (order == std::memory_order_seq_cst) {
      __asm__ __volatile__("lock orl $0, (%%rsp)" : : : "memory", "cc");
      return;
    }
#endif
    thread_fence(order);
  }

  static void signal_fence(std::memory_order order) noexcept { std::atomic_signal_fence(order); }

  // Ask once, at construction: an algorithm may rely on light_fence only if this is true.
  [[nodiscard]] static bool asymmetric_fences() noexcept { return os::membarrier_works(); }
  static void light_fence() noexcept { signal_fence(std::memory_order_seq_cst); }
  // A registered process is not refused later; should it be, the caller must not trust the ordering.
  [[nodiscard]] static bool heavy_fence() noexcept { return os::membarrier(); }

  // Sleeps while `word` holds `expected`; may return early. False if the time-out passed; a negative one means none.
  static bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::chrono::nanoseconds timeout = std::chrono::nanoseconds{-1}) noexcept {
    return os::futex_wait(word.address(), expected, timeout);
  }
  static std::size_t futex_wake(const atomic<std::uint32_t>& word, std::size_t count) noexcept {
    return os::futex_wake(word.address(), count);
  }

  // Null when there is no memory; never throws.
  [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    return ::operator new(bytes, std::align_val_t{alignment}, std::nothrow);
  }
  static void deallocate(void* memory, std::size_t alignment) noexcept {
    ::operator delete(memory, std::align_val_t{alignment});
  }

  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
  }

 protected:
  // A locked instruction on the own stack orders everything on x86. It is no fence to the abstract machine, so the
  // compiler is held back by a signal fence on either side.
  static void locked_instruction() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    std::atomic<int> own_line{0};
    own_line.exchange(1, std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

 private:
  static void thread_fence(std::memory_order order) noexcept {
#if !defined(__SANITIZE_THREAD__)
    std::atomic_thread_fence(order);
#else
    static_cast<void>(order);  // g++ rejects fences in a TSan build; there every queue uses fence_free_sync
    locked_instruction();
#endif
  }
};

// For ThreadSanitizer. A seq_cst fence becomes a locked instruction on the own stack: a full fence on x86, invisible
// to the sanitizer, so it adds no happens-before that the algorithm does not have. Weaker fences order hints only in
// our queues and become compiler barriers. On other machines a seq_cst fence stays one.
struct fence_free_sync : native_sync {
  static void fence(std::memory_order order) noexcept {
#if defined(__x86_64__)
    if (order == std::memory_order_seq_cst) {
      locked_instruction();
    } else {
      signal_fence(order);
    }
#else
    native_sync::fence(order);
#endif
  }
};

// What the library and every program on it use. One name in both cases, so that the two disagree on one symbol alone if they were built
// differently: see detail/build_mode.hpp.
struct default_sync : std::conditional_t<PILFER_THREAD_SANITIZER, fence_free_sync, native_sync> {};

}  // namespace pilfer::ext
