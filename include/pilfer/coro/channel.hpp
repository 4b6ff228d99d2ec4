// A channel: values from any number of coroutines to any number of others, in order.
//
//   pilfer::channel<request> waiting(16);          // so many are kept; 0: a value goes from hand to hand
//   bool taken = co_await waiting.send(r);         // suspended while it is full; false: it was closed
//   while (auto r = co_await waiting.receive())    // suspended while it is empty; none: closed, and nothing is left
//     handle(*r);
//   waiting.close();
//
// Order     values come out in the order in which they were sent; senders and receivers are served in the order of their coming.
// Closing   from any thread, several times. What is kept can still be received; values of senders in line are dropped, and their send
//           says false. Receivers in line get nothing.
// Stopping  send and receive throw task_cancelled if the coroutine's stop_token is stopped before they are served. Never both: a value
//           that was handed over arrives, and a send that throws or says false has sent nothing.
// Lifetime  nobody may wait for it when it ends; what is kept is dropped.
// Cost      a turn of an uncontended std::mutex. Memory for `capacity` values is taken at the beginning.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <pilfer/coro/waiter.hpp>

namespace pilfer {

template <class T>
class channel : detail::immovable {
  static_assert(std::is_object_v<T> && std::is_nothrow_move_constructible_v<T>,
                "a channel's values change hands under a lock: their moving must not throw");
  class send_awaiter;
  class receive_awaiter;

 public:
  //   Throws  std::bad_alloc
  explicit channel(std::size_t capacity) : kept_(capacity) {}

  // co_await gives a bool.
  //   Throws  task_cancelled
  [[nodiscard]] send_awaiter send(T value) noexcept { return send_awaiter(*this, std::move(value)); }
  // co_await gives a std::optional<T>.
  //   Throws  task_cancelled
  [[nodiscard]] receive_awaiter receive() noexcept { return receive_awaiter(*this); }

  // At once or not at all; by any thread. False: full or closed, and the value is the caller's still.
  [[nodiscard]] bool try_send(T&& value) noexcept {
    detail::wake_ups others;
    const std::lock_guard lock(guard_);
    return !closed_ && put(value, others, nullptr);
  }
  [[nodiscard]] std::optional<T> try_receive() noexcept {
    detail::wake_ups others;
    std::optional<T> value;
    const std::lock_guard lock(guard_);
    take(value, others, nullptr);
    return value;
  }

  void close() noexcept {
    detail::wake_ups all;
    const std::lock_guard lock(guard_);
    closed_ = true;
    while (detail::waiter* const sender = senders_.pop()) all.add(*sender);
    while (detail::waiter* const receiver = receivers_.pop()) all.add(*receiver);
  }
  [[nodiscard]] bool is_closed() const noexcept {
    const std::lock_guard lock(guard_);
    return closed_;
  }
  // How many are kept. A hint, while others send and receive.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::lock_guard lock(guard_);
    return kept_.size();
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return kept_.capacity(); }

 private:
  // A ring in one block of memory.
  class ring : detail::immovable {
   public:
    explicit ring(std::size_t capacity) : capacity_(capacity) {
      if (capacity > 0) slots_ = std::allocator<T>().allocate(capacity);
    }
    ~ring() {
      while (size_ > 0) static_cast<void>(pop());
      if (slots_ != nullptr) std::allocator<T>().deallocate(slots_, capacity_);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    void push(T&& value) noexcept {
      const std::size_t room = capacity_ - first_;
      std::construct_at(slots_ + (size_ < room ? first_ + size_ : size_ - room), std::move(value));
      ++size_;
    }
    [[nodiscard]] T pop() noexcept {
      T* const oldest = slots_ + first_;
      T value = std::move(*oldest);
      std::destroy_at(oldest);
      if (++first_ == capacity_) first_ = 0;
      --size_;
      return value;
    }

   private:
    const std::size_t capacity_;
    T* slots_ = nullptr;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
  };

  // Under the guard. Receivers are in line only while nothing is kept, senders only while it is full; neither when it is closed. Both
  // at the same time only for one race, which does not serve itself. `mine`: the race of the caller, which is claimed first.
  [[nodiscard]] bool put(T& value, detail::wake_ups& others, detail::race_word* mine) noexcept {
    if (detail::waiter* const first = receivers_.pop(mine)) {
      static_cast<receive_awaiter&>(*first).got_.emplace(std::move(value));
      others.add(*first);
      return true;
    }
    if (kept_.size() == kept_.capacity() || (mine != nullptr && !mine->claim())) return false;
    kept_.push(std::move(value));
    return true;
  }
  void take(std::optional<T>& into, detail::wake_ups& others, detail::race_word* mine) noexcept {
    if (kept_.size() > 0) {
      if (mine != nullptr && !mine->claim()) return;
      into.emplace(kept_.pop());
      if (send_awaiter* const sender = next_sender(others, nullptr)) kept_.push(std::move(sender->value_));
    } else if (send_awaiter* const sender = next_sender(others, mine)) {
      into.emplace(std::move(sender->value_));
    }
  }
  [[nodiscard]] send_awaiter* next_sender(detail::wake_ups& others, detail::race_word* mine) noexcept {
    detail::waiter* const first = senders_.pop(mine);
    if (first == nullptr) return nullptr;
    auto& sender = static_cast<send_awaiter&>(*first);
    sender.sent_ = true;
    others.add(sender);
    return &sender;
  }

  mutable std::mutex guard_;
  bool closed_ = false;
  ring kept_;
  detail::wait_line senders_;
  detail::wait_line receivers_;
};

template <class T>
class [[nodiscard]] channel<T>::send_awaiter final : public detail::waiter {
 public:
  send_awaiter(channel& to, T&& value) noexcept : waiter(to.guard_), to_(to), value_(std::move(value)) {}
  ~send_awaiter() override { abandon(); }
  send_awaiter(send_awaiter&&) noexcept = default;  // before it is awaited

  [[nodiscard]] bool await_resume() {
    end();
    return sent_;
  }

 private:
  friend class channel;
  bool try_enter(detail::wake_ups& others) noexcept override {
    if (to_.closed_) return claim();
    sent_ = to_.put(value_, others, race_of());
    return sent_;
  }
  void line_up(detail::wake_ups& /*others*/) noexcept override { to_.senders_.push(*this); }
  void step_out(detail::wake_ups& /*others*/) noexcept override { to_.senders_.remove(*this); }

  channel& to_;
  T value_;
  bool sent_ = false;
};

template <class T>
class [[nodiscard]] channel<T>::receive_awaiter final : public detail::waiter {
 public:
  explicit receive_awaiter(channel& from) noexcept : waiter(from.guard_), from_(from) {}
  ~receive_awaiter() override { abandon(); }
  receive_awaiter(receive_awaiter&&) noexcept = default;  // before it is awaited

  [[nodiscard]] std::optional<T> await_resume() {
    end();
    return std::move(got_);
  }

 private:
  friend class channel;
  bool try_enter(detail::wake_ups& others) noexcept override {
    from_.take(got_, others, race_of());
    return got_.has_value() || (from_.closed_ && claim());
  }
  void line_up(detail::wake_ups& /*others*/) noexcept override { from_.receivers_.push(*this); }
  void step_out(detail::wake_ups& /*others*/) noexcept override { from_.receivers_.remove(*this); }

  channel& from_;
  std::optional<T> got_;
};

}  // namespace pilfer
