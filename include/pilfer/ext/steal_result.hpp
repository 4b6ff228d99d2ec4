// What a steal may say. Failures are values of a type, never a sentinel item.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pilfer::ext {

enum class steal_status : std::uint8_t {
  taken,         // the item is yours
  empty,         // there was nothing
  lost,          // there was something, and another thread won the race for it: try again
  private_work,  // there is work, but its owner has not exposed it: ask for it, or come back later
};

[[nodiscard]] constexpr const char* to_string(steal_status status) noexcept {
  switch (status) {
    case steal_status::taken: return "taken";
    case steal_status::empty: return "empty";
    case steal_status::lost: return "lost";
    case steal_status::private_work: return "private_work";
  }
  return "?";
}

// The outcome of one steal; holds an item exactly when the status is `taken`.
template <class T>
class [[nodiscard]] steal_result {
 public:
  constexpr steal_result(steal_status failure) noexcept : status_(failure) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] static constexpr steal_result of(T item) noexcept {
    steal_result result(steal_status::taken);
    result.item_ = item;
    return result;
  }

  [[nodiscard]] constexpr steal_status status() const noexcept { return status_; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return status_ == steal_status::taken; }
  // Requires status() == taken.
  [[nodiscard]] constexpr T operator*() const noexcept { return item_; }

 private:
  T item_{};
  steal_status status_;
};

// The outcome of a batch steal: `count` items were written to the front of the caller's span; count > 0 exactly when
// `taken`.
struct [[nodiscard]] batch_result {
  steal_status status = steal_status::empty;
  std::size_t count = 0;
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return status == steal_status::taken; }
};

}  // namespace pilfer::ext
