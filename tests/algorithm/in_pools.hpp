// The places where a caller of an algorithm may stand, and things to call it with.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/algorithm/options.hpp>
#include <pilfer/pool.hpp>

#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {

// Calls f outside of any pool, and inside pools of several sizes and queues.
template <class F>
void in_pools(F&& f) {
  {
    SCOPED_TRACE("outside, " + describe_seed());
    f();
  }
  struct kind {
    std::size_t workers;
    const char* scheduler;
  };
  for (const kind& each : {kind{1, "default"}, kind{2, "default"}, kind{4, "default"}, kind{3, "ws-chase-lev"},
                           kind{3, "bwos-lifo"}, kind{2, "ws-global"}, kind{3, "lcws-user"}}) {
    SCOPED_TRACE(std::to_string(each.workers) + " workers, " + each.scheduler + ", " + describe_seed());
    const watchdog dog(std::chrono::seconds(120), std::string("algorithms in ") + each.scheduler);
    pool inside(pool_options{.workers = each.workers, .scheduler = each.scheduler});
    inside.run([&] { f(); });
  }
}

// Automatic, and with grains: a grain lets even the shortest loop be split.
inline std::vector<loop_options> option_kinds() { return {{}, {.grain = 1}, {.grain = 7}, {.grain = 1000}}; }
inline std::vector<loop_options> reduction_kinds() {
  std::vector<loop_options> kinds = option_kinds();
  for (loop_options each : option_kinds()) {
    each.deterministic = true;
    kinds.push_back(each);
  }
  return kinds;
}
inline std::string describe(const loop_options& options) {
  return "grain " + (options.grain ? std::to_string(*options.grain) : "automatic") +
         (options.deterministic ? ", deterministic" : "");
}

// Around the sizes of blocks, grains and words; one that takes long enough to be split without a grain.
inline std::vector<std::size_t> loop_sizes() {
  std::vector<std::size_t> all{0,   1,   2,   3,   5,   7,   8,    31,   63,   64,  65,
                               127, 128, 129, 255, 256, 257, 1000, 4095, 4096, 4097};
  all.push_back(under_tsan ? 20'000 : 100'000);
  return all;
}

// Takes some microseconds, so that a loop is split soon.
inline void dawdle() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(30);
  while (std::chrono::steady_clock::now() < end) {
  }
}

struct thrown : std::runtime_error {
  thrown() : std::runtime_error("thrown by a test") {}
};

// Throws at one call of many.
class bomb {
 public:
  explicit bomb(std::size_t at) : at_(at) {}
  void tick() {
    if (calls_.fetch_add(1, std::memory_order_relaxed) == at_) throw thrown();
  }
  [[nodiscard]] bool went_off() const { return calls_.load(std::memory_order_relaxed) > at_; }

 private:
  const std::size_t at_;
  std::atomic<std::size_t> calls_{0};
};

// A number that knows how many there are of its kind.
class counted {
 public:
  explicit counted(long value = 0) : value_(value) { ++alive; }
  counted(const counted& other) : value_(other.value_) { ++alive; }
  counted(counted&& other) noexcept : value_(other.value_) { ++alive; }
  counted& operator=(const counted&) = default;
  counted& operator=(counted&&) noexcept = default;
  ~counted() { --alive; }
  [[nodiscard]] long value() const { return value_; }
  static inline std::atomic<long> alive{0};

 private:
  long value_;
};

// Moves only; combining two keeps the order.
class only_moved {
 public:
  explicit only_moved(std::string text) : text_(std::move(text)) {}
  only_moved(only_moved&&) noexcept = default;
  only_moved& operator=(only_moved&&) noexcept = default;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A group that is not commutative: 2x2 matrices modulo 2^32.
struct matrix {
  std::uint32_t a = 1, b = 0, c = 0, d = 1;
  friend bool operator==(const matrix&, const matrix&) = default;
  friend matrix operator*(const matrix& x, const matrix& y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

}  // namespace pilfer::test
