// A heap of objects that refer to each other, as a garbage collector finds it: long lists, trees, wide arrays, garbage.
// Seeded: the same in every run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::marking {

using object = std::uint32_t;

// Objects whose references were looked at: how many, and the sum of their numbers.
struct scanned {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;

  void add(object one) noexcept {
    ++count;
    sum += one;
  }
  scanned& operator+=(const scanned& other) noexcept {
    count += other.count;
    sum += other.sum;
    return *this;
  }
  friend bool operator==(const scanned&, const scanned&) = default;
};

class heap {
 public:
  // At least three objects, about a fifth of them garbage. Everything else is reachable from root().
  //   Throws  std::invalid_argument for fewer, or for more than an object's number can tell.
  explicit heap(std::size_t objects, std::uint64_t seed = 1);

  [[nodiscard]] std::size_t objects() const noexcept { return alive_.size(); }
  [[nodiscard]] std::size_t references() const noexcept { return references_.size(); }
  [[nodiscard]] const scanned& reachable() const noexcept { return reachable_; }
  [[nodiscard]] object root() const noexcept { return static_cast<object>(objects() - 1); }
  [[nodiscard, gnu::always_inline]] std::span<const object> references_of(object one) const noexcept {
    return {references_.data() + first_[one], references_.data() + first_[one + 1]};
  }

  // True for the one caller that marks it. Relaxed: a mark tells nothing but itself; objects do not change, and who gets one
  // to scan gets it through a queue.
  [[nodiscard, gnu::always_inline]] bool mark(object one) noexcept {
    std::atomic<std::uint8_t>& own = marks_[one];
    return own.load(std::memory_order_relaxed) == 0 && own.exchange(1, std::memory_order_relaxed) == 0;
  }
  // For one thread alone: a load and a store.
  [[nodiscard, gnu::always_inline]] bool mark_alone(object one) noexcept {
    std::atomic<std::uint8_t>& own = marks_[one];
    if (own.load(std::memory_order_relaxed) != 0) return false;
    own.store(1, std::memory_order_relaxed);
    return true;
  }
  void clear_marks() noexcept;

  // When nobody marks any more.
  //   Throws  std::runtime_error, which names `who`, unless each reachable object was marked and scanned once, and no other.
  void check(std::string_view who, const scanned& found) const;

 private:
  struct structure {
    object first;
    object size;
  };
  // Each of them adds up to `size` objects, the first of which reaches the others.
  void add_list(object size, xorshift& random);
  void add_tree(object size);
  void add_array(object size, xorshift& random);
  void end_object() { first_.push_back(static_cast<std::uint32_t>(references_.size())); }
  [[nodiscard]] object next() const noexcept { return static_cast<object>(first_.size() - 1); }
  // Any object of those that live, or the given one if there is none yet.
  [[nodiscard]] object any_living(xorshift& random, object otherwise) const noexcept;

  std::vector<std::uint32_t> first_{0};  // of an object's references
  std::vector<object> references_;
  std::vector<structure> living_;
  std::vector<bool> alive_;
  scanned reachable_;
  std::unique_ptr<std::atomic<std::uint8_t>[]>
      marks_;  // NOLINT(modernize-avoid-c-arrays): a vector of atomics cannot grow
};

}  // namespace pilfer::lab::marking
