// What a queue is before anybody thinks about its memory orders: the same text, every access sequentially consistent.
//
// On x86 a seq_cst load is a plain load and a read-modify-write is locked anyway; what changes is each store, which becomes
// an exchange: a full fence. Explicit fences are left out, because they order nothing that such accesses do not: kept, they
// would make the slow side slower than its author would write it.
#pragma once

#include <pilfer/ext/sync.hpp>

namespace pilfer::lab::details {

struct seq_cst_sync : ext::default_sync {
  template <class T>
  class atomic : public ext::default_sync::atomic<T> {
    using base = ext::default_sync::atomic<T>;
    static constexpr auto strongest = std::memory_order_seq_cst;

   public:
    using base::base;
    [[nodiscard, gnu::always_inline]] T load(std::memory_order /*order*/) const noexcept {
      return base::load(strongest);
    }
    [[gnu::always_inline]] void store(T value, std::memory_order /*order*/) noexcept { base::store(value, strongest); }
    [[gnu::always_inline]] T exchange(T value, std::memory_order /*order*/) noexcept {
      return base::exchange(value, strongest);
    }
    [[gnu::always_inline]] T fetch_add(T value, std::memory_order /*order*/) noexcept {
      return base::fetch_add(value, strongest);
    }
    [[gnu::always_inline]] bool compare_exchange(T& expected, T desired, std::memory_order /*success*/,
                                                 std::memory_order /*failure*/) noexcept {
      return base::compare_exchange(expected, desired, strongest, strongest);
    }
  };

  static void fence(std::memory_order order) noexcept { signal_fence(order); }
};

// The same, and the entries too, which are plain memory in the block-based queues.
struct seq_cst_entries_sync : seq_cst_sync {
  template <class T>
  class cell {
   public:
    [[nodiscard]] T get() const noexcept { return value_.load(std::memory_order_seq_cst); }
    void set(T value) noexcept { value_.store(value, std::memory_order_seq_cst); }

   private:
    atomic<T> value_;
  };
};

}  // namespace pilfer::lab::details
