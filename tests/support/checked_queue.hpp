// A queue, used by one thread, with a std::deque beside it: every operation is checked against what that says.
//
// The numbers of the items are in the order of the pushes, so the model is always sorted, oldest in front.
//   push    says yes when there must be room (`room_`), and no when a bounded queue holds capacity() items
//   take    gives the youngest (LIFO) or oldest (FIFO) item, and nothing exactly when there is nothing
//   steal   is never `lost`, since nobody else is there; gives the oldest item (a FIFO of blocks: any item); fails only when
//           there is nothing, or what there is is private: at most a block, or the private part of a split deque
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "support/any_queue.hpp"

namespace pilfer::test {

class checked_queue {
 public:
  checked_queue(const queue_case& kind, const queue_variant& made);

  // Each returns whether an item was added or got, or how many were.
  bool push();
  bool take();
  bool pop();         // split: the private part alone
  bool pop_public();  // split: requires that nothing is private
  std::size_t expose(std::size_t n);
  bool steal();
  bool steal_at(std::uint64_t random);
  std::size_t steal_batch(std::size_t span);
  void request();
  [[nodiscard]] bool sample(std::uint64_t random) const { return queue_->sample(random); }

  // Makes everything stealable that can be made so.
  void offer_all();
  // Pushes until the queue refuses, or holds n items.
  void fill(std::size_t n);
  void take_all();
  // Until a thief finds nothing.
  void steal_all();
  // The owner takes the rest; then the queue is empty for both sides.
  void drain();
  void check_size_hint() const;

  [[nodiscard]] std::size_t size() const { return model_.size(); }
  [[nodiscard]] std::size_t private_size() const { return private_; }
  [[nodiscard]] std::size_t block() const { return block_; }
  [[nodiscard]] std::size_t capacity() const { return queue_->capacity(); }
  [[nodiscard]] std::uint64_t last_stolen() const { return last_stolen_; }

 private:
  [[nodiscard]] bool must_accept() const;
  [[nodiscard]] bool lifo() const { return kind_.traits.order == ext::queue_order::lifo; }
  void taken_by_owner(std::uint64_t id);
  void check_failure(ext::steal_status status) const;
  bool stolen(const steal_outcome& outcome);
  void stolen(std::uint64_t id);
  void settle(std::size_t expected_private);
  [[nodiscard]] std::size_t private_after_take() const;

  const queue_case& kind_;
  std::size_t block_;
  std::unique_ptr<any_queue> queue_;
  std::deque<std::uint64_t> model_;
  std::uint64_t pushed_ = 0;
  std::uint64_t last_stolen_ = 0;
  std::size_t room_;  // so many pushes must succeed from now on, however the queue arranges its items
  std::size_t private_ = 0;
  bool requested_ = false;
  bool owner_saw_empty_ = false;  // since the last push
};

}  // namespace pilfer::test
