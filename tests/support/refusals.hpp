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

// Lets pthread_create fail while so many threads that were created since `allow` are alive. A thread that ends makes room for another.
class thread_limit {
 public:
  void allow(long most) {
    alive_ = 0;
    most_ = most;
  }
  void allow_all() { most_ = unlimited; }
  [[nodiscard]] bool is_set() const { return most_ != unlimited; }

  // While this lives, threads that the calling thread creates are neither refused nor counted.
  class exemption {
   public:
    exemption() { ++exempt; }
    ~exemption() { --exempt; }
    exemption(const exemption&) = delete;
    exemption& operator=(const exemption&) = delete;
  };

  // For pthread_create. Returns false if no further thread is allowed; otherwise leave() is to be called when the thread ends.
  [[nodiscard]] bool enter() {
    if (alive_.fetch_add(1) < most_) return true;
    --alive_;
    return false;
  }
  void leave() { --alive_; }
  [[nodiscard]] bool applies() const { return is_set() && exempt == 0; }

 private:
  static constexpr long unlimited = -1;
  static inline thread_local int exempt = 0;
  std::atomic<long> most_ = unlimited;
  std::atomic<long> alive_ = 0;
};
extern thread_limit threads_allowed;

// A fixture after which nothing is refused any more.
template <class Fixture>
class with_refusals : public Fixture {
 protected:
  ~with_refusals() override {
    threads_refused.stop();
    threads_allowed.allow_all();
    memory_refused.stop();
  }
};

// Larger than a block of the workers' own memory.
struct large_part {
  unsigned char content[600] = {};
};

}  // namespace pilfer::test
