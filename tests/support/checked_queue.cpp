#include "support/checked_queue.hpp"

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

namespace pilfer::test {

checked_queue::checked_queue(const queue_case& kind, const queue_variant& made)
    : kind_(kind), block_(made.block), queue_(made.make()), room_(queue_->capacity()) {}

bool checked_queue::push() {
  const std::uint64_t id = pushed_;
  const bool sure = must_accept();
  if (!queue_->push(id)) {
    EXPECT_FALSE(sure) << "refused an item, holding " << size() << " of " << capacity() << "; sure room " << room_;
    settle(private_);
    return false;
  }
  model_.push_back(id);
  ++pushed_;
  owner_saw_empty_ = false;
  room_ -= room_ > 0 ? 1 : 0;
  EXPECT_LE(size(), capacity()) << "holds more than its capacity";
  settle(private_ + 1);
  return true;
}

bool checked_queue::take() {
  const std::size_t expected_private = private_after_take();
  const std::optional<std::uint64_t> got = queue_->take();
  EXPECT_EQ(got.has_value(), !model_.empty()) << (got ? "made an item up" : "spuriously empty");
  if (got) {
    taken_by_owner(*got);
  } else {
    room_ = std::max<std::size_t>(1, capacity() - block_);
    model_.clear();
    owner_saw_empty_ = true;
  }
  settle(expected_private);
  return got.has_value();
}

bool checked_queue::pop() {
  const std::optional<std::uint64_t> got = queue_->pop();
  if (private_ == 0) {
    EXPECT_FALSE(got.has_value()) << "pop took a public item";
  } else if (!requested_) {  // the owner may answer a request first, and find that nothing private is left
    EXPECT_TRUE(got.has_value()) << "spuriously empty";
  }
  if (got) taken_by_owner(*got);
  settle(private_ - (got && private_ > 0 ? 1 : 0));
  return got.has_value();
}

bool checked_queue::pop_public() {
  const std::size_t expected_private = private_after_take();
  const std::optional<std::uint64_t> got = queue_->pop_public();
  EXPECT_EQ(got.has_value(), !model_.empty()) << (got ? "made an item up" : "spuriously empty");
  if (got) taken_by_owner(*got);
  settle(expected_private);
  return got.has_value();
}

std::size_t checked_queue::expose(std::size_t n) {
  const std::size_t exposed = queue_->expose(n);
  EXPECT_EQ(exposed, std::min(n, private_));
  settle(private_ - std::min(exposed, private_));
  return exposed;
}

bool checked_queue::steal() { return stolen(queue_->steal()); }

bool checked_queue::steal_at(std::uint64_t random) { return stolen(queue_->steal_at(random)); }

std::size_t checked_queue::steal_batch(std::size_t span) {
  const batch_outcome got = queue_->steal_batch(span);
  EXPECT_LE(got.result.count, std::min(span, block_));
  EXPECT_EQ(got.result.count > 0, got.result.status == ext::steal_status::taken);
  EXPECT_TRUE(got.rest_untouched) << "wrote behind the " << got.result.count << " items it stole";
  if (span == 0) {
    EXPECT_EQ(got.result.status, ext::steal_status::empty);
  } else if (!got.result) {
    check_failure(got.result.status);
  }
  for (const std::uint64_t id : got.ids) stolen(id);
  return got.result.count;
}

void checked_queue::request() {
  queue_->request();
  requested_ = true;
}

void checked_queue::offer_all() {
  if (kind_.traits.split) expose(private_);
}

void checked_queue::fill(std::size_t n) {
  while (size() < n && push()) {
  }
}

void checked_queue::take_all() {
  while (take() && !::testing::Test::HasFailure()) {
  }
}

void checked_queue::steal_all() {
  offer_all();
  while (steal() && !::testing::Test::HasFailure()) {
  }
}

void checked_queue::drain() {
  take_all();
  EXPECT_FALSE(steal());
  check_size_hint();
}

void checked_queue::check_size_hint() const {
  const any_queue::hints hints = queue_->size_hints();
  if (kind_.traits.split) {  // the public part, and a mark for private work that may be out of date
    EXPECT_GE(hints.queue, size() - private_);
    EXPECT_LE(hints.queue, size() + 1);
  } else {
    EXPECT_LE(hints.queue, size() + block_);
    EXPECT_GE(hints.queue + block_, size());
  }
  EXPECT_EQ(hints.queue, hints.owner);
  EXPECT_EQ(hints.queue, hints.thief);
  EXPECT_EQ(hints.has_items, hints.queue != 0);
}

bool checked_queue::must_accept() const {
  if (!kind_.traits.bounded) return size() < kind_.sure_items;
  return room_ > 0 || (kind_.exact_room && size() < capacity());
}

void checked_queue::taken_by_owner(std::uint64_t id) {
  if (model_.empty()) return;  // has been reported
  EXPECT_EQ(id, lifo() ? model_.back() : model_.front()) << "the owner's order";
  if (lifo()) {
    model_.pop_back();
    ++room_;
  } else {
    model_.pop_front();
  }
}

void checked_queue::check_failure(ext::steal_status status) const {
  EXPECT_NE(status, ext::steal_status::lost) << "nobody else was there";
  if (kind_.traits.split) {
    EXPECT_EQ(private_, size()) << "there was something public";
  } else {
    EXPECT_LE(size(), block_) << "a thief found nothing: " << to_string(status);
  }
  if (kind_.traits.split && size() > 0) {
    EXPECT_EQ(status, ext::steal_status::private_work);
  } else if (!kind_.traits.split ||
             owner_saw_empty_) {  // until the owner looks, private work may be gone and still announced
    EXPECT_EQ(status, ext::steal_status::empty);
  }
}

bool checked_queue::stolen(const steal_outcome& outcome) {
  if (outcome.status != ext::steal_status::taken) {
    check_failure(outcome.status);
    return false;
  }
  stolen(outcome.id);
  return true;
}

void checked_queue::stolen(std::uint64_t id) {
  last_stolen_ = id;
  const auto found = std::lower_bound(model_.begin(), model_.end(), id);
  if (found == model_.end() || *found != id) {
    ADD_FAILURE() << "stole item " << id << ", which is not in the queue";
    return;
  }
  if (lifo() || !kind_.traits.batch) {  // a FIFO of blocks lets thieves take from the middle
    EXPECT_EQ(id, model_.front()) << "the thieves' order";
  }
  if (kind_.traits.split) {
    EXPECT_LT(private_, size()) << "stole a private item";
  }
  model_.erase(found);
}

std::size_t checked_queue::private_after_take() const {
  if (private_ > 0) return private_ - 1;
  return kind_.takes_back_half && !model_.empty() ? (model_.size() + 1) / 2 - 1 : 0;
}

// How many items should be private now; an answer to a request makes it fewer.
void checked_queue::settle(std::size_t expected_private) {
  if (!kind_.traits.split) return;
  const std::size_t now = queue_->private_size();
  if (requested_) {
    EXPECT_LE(now, expected_private);
    if (now < expected_private) requested_ = false;
  } else {
    EXPECT_EQ(now, expected_private) << "private items";
  }
  private_ = now;
}

}  // namespace pilfer::test
