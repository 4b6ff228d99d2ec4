// The checker's Sync: the text of a queue, unchanged, on the modelled machine.
//
// Sites are told apart by std::source_location, so that a trace shows the line in the queue's header, and an order can
// be weakened at one line without touching the header. Addresses come from an arena that begins anew, at the same place,
// for each execution and never reuses anything within one.
#pragma once

#include <pilfer/ext/sync.hpp>

#include <chrono>
#include <cstring>
#include <type_traits>

#include "model/operations.hpp"

namespace pilfer::model {

struct model_sync {
  using where = operations::where;

  template <class T>
  class atomic {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

   public:
    explicit atomic(T value = T{}, const char* name = nullptr) noexcept {
      operations::create(location_, bits(value), name);
    }
    ~atomic() { operations::destroy(location_); }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    [[nodiscard]] T load(std::memory_order order, const where& site = where::current()) const noexcept {
      return value_of(operations::load(location_, order, site));
    }
    void store(T value, std::memory_order order, const where& site = where::current()) noexcept {
      operations::store(location_, bits(value), order, site);
    }
    T exchange(T value, std::memory_order order, const where& site = where::current()) noexcept {
      return value_of(operations::exchange(location_, bits(value), order, site));
    }
    T fetch_add(T value, std::memory_order order, const where& site = where::current()) noexcept {
      return value_of(operations::fetch_add(location_, bits(value), sizeof(T), order, site));
    }
    bool compare_exchange(T& expected, T desired, std::memory_order success, std::memory_order failure,
                          const where& site = where::current()) noexcept {
      return exchange_if(expected, desired, success, failure, false, site);
    }
    // May fail for no reason, once per execution.
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure,
                               const where& site = where::current()) noexcept {
      return exchange_if(expected, desired, success, failure, true, site);
    }

   private:
    friend model_sync;
    [[nodiscard]] static std::uint64_t bits(T value) noexcept {
      std::uint64_t word = 0;
      std::memcpy(&word, &value, sizeof(T));
      return word;
    }
    [[nodiscard]] static T value_of(std::uint64_t word) noexcept {
      T value;
      std::memcpy(&value, &word, sizeof(T));
      return value;
    }
    bool exchange_if(T& expected, T desired, std::memory_order success, std::memory_order failure, bool weak,
                     const where& site) noexcept {
      std::uint64_t word = bits(expected);
      const bool done = operations::compare_exchange(location_, word, bits(desired), success, failure, weak, site);
      expected = value_of(word);
      return done;
    }

    operations::location location_;
  };

  template <class T>
  class cell {
   public:
    cell() noexcept = default;
    ~cell() { operations::destroy_cell(history_); }
    cell(const cell&) = delete;
    cell& operator=(const cell&) = delete;
    [[nodiscard]] T get(const where& site = where::current()) const noexcept {
      operations::read_cell(history_, site);
      return value_;
    }
    void set(T value, const where& site = where::current()) noexcept {
      operations::write_cell(history_, site);
      value_ = value;
    }

   private:
    mutable operations::cell_history history_;
    T value_{};
  };

  class mutex {
   public:
    mutex() noexcept { operations::create(location_, 0, "mutex"); }
    ~mutex() { operations::destroy(location_); }
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;
    void lock(const where& site = where::current()) noexcept { operations::lock(location_, site); }
    void unlock(const where& site = where::current()) noexcept { operations::unlock(location_, site); }

   private:
    operations::location location_;
  };

  static void fence(std::memory_order order, const where& site = where::current()) noexcept {
    operations::fence(order, site);
  }
  static void signal_fence(std::memory_order /*order*/) noexcept {}  // threads here run in program order
  [[nodiscard]] static bool asymmetric_fences() noexcept { return operations::asymmetric_fences(); }
  static void light_fence() noexcept { operations::light_fence(); }
  [[nodiscard]] static bool heavy_fence(const where& site = where::current()) noexcept {
    return operations::heavy_fence(site);
  }

  static bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::chrono::nanoseconds timeout = std::chrono::nanoseconds{-1},
                         const where& site = where::current()) noexcept {
    return operations::futex_wait(word.location_, expected, timeout.count() >= 0, site);
  }
  static std::size_t futex_wake(const atomic<std::uint32_t>& word, std::size_t count,
                                const where& site = where::current()) noexcept {
    return operations::futex_wake(word.location_, count, site);
  }

  [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    return operations::allocate(bytes, alignment);
  }
  static void deallocate(void* memory, std::size_t /*alignment*/) noexcept { operations::deallocate(memory); }
  static void pause(const where& site = where::current()) noexcept { operations::pause(site); }
};

}  // namespace pilfer::model
