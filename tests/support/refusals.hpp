// Threads and memory that are refused on demand. A program that links refusals.cpp has a pthread_create and, with --wrap, operator
// new functions that ask these plans first.
#pragma once

#include <atomic>
#include <cstdint>

namespace pilfer::test {

// Lets the k-th call from now fail, the first being 1; with `for_ever`, all later ones too.
class failure_plan {
 public:
  void fail_at(std::uint64_t k, bool for_ever) {
    calls_ = 0;
    failures_ = 0;
    for_ever_ = for_ever;
    at_ = k;
  }
  // How many have failed since fail_at.
  std::uint64_t stop() {
    at_ = 0;
    return failures_;
  }
  [[nodiscard]] bool fails() {
    const std::uint64_t at = at_.load(std::memory_order_relaxed);
    if (at == 0) return false;
    const std::uint64_t call = ++calls_;
    if (call != at && !(for_ever_ && call > at)) return false;
    ++failures_;
    return true;
  }

 private:
  std::atomic<std::uint64_t> at_ = 0;
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<bool> for_ever_ = false;
};
extern failure_plan threads_refused;
extern failure_plan memory_refused;

// A fixture after which nothing is refused any more.
template <class Fixture>
class with_refusals : public Fixture {
 protected:
  ~with_refusals() override {
    threads_refused.stop();
    memory_refused.stop();
  }
};

// Larger than a block of the workers' own memory.
struct large_part {
  unsigned char content[300] = {};
};

}  // namespace pilfer::test
