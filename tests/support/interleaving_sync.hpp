// A Sync for one thread in which operations interrupt one another: before every access to shared memory it calls a hook, which
// may run another operation of the same queue from there. What the interrupted operation finds afterwards is what it would have
// found had another thread run in between, so this explores interleavings deterministically (sequentially consistent ones, in
// which an interrupted operation stands still until all that interrupted it have finished).
#pragma once

#include <functional>

#include <pilfer/ext/sync.hpp>

namespace pilfer::test {

struct interleaving_sync : ext::default_sync {
  [[nodiscard]] static std::function<void()>& hook() noexcept {
    static std::function<void()> current;
    return current;
  }
  static void step() {
    if (hook()) hook()();
  }

  template <class T>
  class atomic : public ext::default_sync::atomic<T> {
    using base = ext::default_sync::atomic<T>;

   public:
    using base::base;
    [[nodiscard]] T load(std::memory_order order) const noexcept {
      step();
      return base::load(order);
    }
    void store(T value, std::memory_order order) noexcept {
      step();
      base::store(value, order);
    }
    T exchange(T value, std::memory_order order) noexcept {
      step();
      return base::exchange(value, order);
    }
    T fetch_add(T value, std::memory_order order) noexcept {
      step();
      return base::fetch_add(value, order);
    }
    bool compare_exchange(T& expected, T desired, std::memory_order success, std::memory_order failure) noexcept {
      step();
      return base::compare_exchange(expected, desired, success, failure);
    }
  };

  template <class T>
  class cell : public ext::default_sync::cell<T> {
    using base = ext::default_sync::cell<T>;

   public:
    [[nodiscard]] T get() const noexcept {
      step();
      return base::get();
    }
    void set(T value) noexcept {
      step();
      base::set(value);
    }
  };

  static void fence(std::memory_order order) noexcept {
    step();
    ext::default_sync::fence(order);
  }
  [[nodiscard]] static bool asymmetric_fences() noexcept { return true; }
  [[nodiscard]] static bool heavy_fence() noexcept {
    step();
    return true;
  }
};

// Runs `operation`, and `interruption` before its k-th access to shared memory (the first being 0), uninterrupted itself.
// Returns false if the operation ended before that.
template <class Operation, class Interruption>
bool interrupted_at(std::size_t k, Operation operation, Interruption interruption) {
  std::size_t left = k;
  bool done = false;
  interleaving_sync::hook() = [&] {
    if (done || left-- != 0) return;
    done = true;
    interruption();
  };
  operation();
  interleaving_sync::hook() = nullptr;
  return done;
}

}  // namespace pilfer::test
