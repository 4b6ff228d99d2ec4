// An awaited operation. Its state is in the awaiter, that is in the coroutine's frame: none needs memory of its own.
//
// State       writer                     reader                meaning
//   request   who makes it               who does it           what is to be done
//   waiter    await_suspend              who has completed it  whom to resume, and where
//   outcome   who has completed it       await_resume          bytes, a descriptor, or -errno
//
// The coroutine goes on only when nobody else will touch the operation, nor its buffer: a cancelled one has been waited for, too.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>

#include <pilfer/coro/task.hpp>
#include <pilfer/detail/resume.hpp>
#include <pilfer/io/descriptor.hpp>
#include <pilfer/io/result.hpp>

namespace pilfer::io::detail {

enum class opcode : std::uint8_t { read, write, open, stat, close, sync, accept, connect, receive, send };

// What a backend gets to do. Which fields mean something depends on the code.
struct request {
  opcode code;
  std::uint8_t empty_path = 0;  // stat: of `target` itself
  int target = -1;              // descriptor, or the folder that the path begins at
  int flags = 0;
  std::uint32_t mode = 0;
  void* data = nullptr;        // buffer, file_status, or address
  std::size_t length = 0;      // of the buffer
  std::uint64_t offset = 0;    // in the file
  const char* path = nullptr;  // until the operation ends
};

struct errand;  // of a blocking thread (src/io/threads.hpp)

class operation {
 public:
  static constexpr std::uint64_t at_position = ~std::uint64_t{0};  // an offset: where the descriptor stands

  explicit operation(const request& what) noexcept : wanted(what) {}
  operation(operation&& from) noexcept : wanted(from.wanted) {}  // before it is awaited
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  // False: it is done already.
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> who) {
    return begin(who, &pilfer::detail::stop_of(who));
  }

  // For backends.
  struct canceller {
    operation* whom;
    void operator()() const noexcept { whom->cancel_(*whom); }
  };
  using stopper = std::stop_callback<canceller>;
  using cancel_function = void (*)(operation&) noexcept;

  request wanted;
  std::int64_t outcome = 0;  // >= 0, or -errno
  pilfer::detail::resume_job waiter;
  const std::stop_token* stop = nullptr;  // null: never stops
  operation* next = nullptr;              // in a list of the backend's
  operation* before = nullptr;
  void* holder = nullptr;      // the ring, or the like, that has it
  std::uint64_t serial = 0;    // of the ring's: its place among what is submitted
  bool listed = false;         // in such a list; this and the next under a lock of the backend's
  bool cancel_wanted = false;  // the token was stopped
  bool unpollable = false;     // epoll refuses its descriptor
  errand* helper = nullptr;    // the system call that it can leave behind; under a lock of the backend's

  // Calls `how` if the coroutine is told to stop, on whichever thread that is; perhaps at once.
  // Before anybody can complete it.
  void watch(cancel_function how) {
    if (stop == nullptr || !stop->stop_possible()) return;
    cancel_ = how;
    ::new (static_cast<void*>(room_)) stopper(*stop, canceller{this});
    watched_ = true;
  }
  // After this `how` is not running any more, and will not.
  void unwatch() noexcept {
    if (!std::exchange(watched_, false)) return;
    std::launder(reinterpret_cast<stopper*>(room_))->~stopper();
  }

 protected:
  ~operation() = default;

 private:
  // In src/io/: does it at once, if it can, or hands it to the backend of the calling worker's pool.
  bool begin(std::coroutine_handle<> waiting, const std::stop_token* token);

  cancel_function cancel_ = nullptr;
  bool watched_ = false;
  alignas(stopper)
      std::byte room_[sizeof(stopper)];  // NOLINT(cppcoreguidelines-pro-type-member-init,modernize-avoid-c-arrays)
};

[[nodiscard]] inline std::error_code error_of(std::int64_t outcome) noexcept {
  return {static_cast<int>(-outcome), std::system_category()};
}

// Those that give a number of bytes, a descriptor or nothing.
template <class T>
class [[nodiscard]] awaitable : public operation {
 public:
  using operation::operation;
  [[nodiscard]] result<T> await_resume() const noexcept {
    if (outcome < 0) return error_of(outcome);
    if constexpr (std::is_void_v<T>) {
      return {};
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(outcome);
    } else {
      return T(static_cast<int>(outcome));
    }
  }
};

// Of bytes, which a write does not change.
[[nodiscard]] inline awaitable<std::size_t> transfer(opcode code, int target, std::span<const std::byte> bytes,
                                                     std::uint64_t offset = 0) {
  return awaitable<std::size_t>(
      {.code = code,
       .target = target,
       .data = const_cast<std::byte*>(bytes.data()),  // NOLINT(cppcoreguidelines-pro-type-const-cast)
       .length = bytes.size(),
       .offset = offset});
}

class [[nodiscard]] closing : public awaitable<void> {
 public:
  explicit closing(descriptor what) noexcept : awaitable({.code = opcode::close, .target = what.release()}) {}
  ~closing() {
    if (wanted.target >= 0) close_descriptor(wanted.target);  // it was not awaited
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): only its base was moved
  closing(closing&& from) noexcept : awaitable(std::move(from)) { from.wanted.target = -1; }
  [[nodiscard]] result<void> await_resume() noexcept {
    wanted.target = -1;
    return awaitable::await_resume();
  }
};

}  // namespace pilfer::io::detail
