// What a coroutine or a task has returned or thrown, for as long as it lives.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <pilfer/detail/outcome.hpp>

namespace pilfer::detail {

// An outcome, or nothing yet. What is kept ends with it.
template <class R>
class kept_result : private outcome<R> {
  using base = outcome<R>;
  using typename base::stored;

 public:
  kept_result() noexcept = default;
  ~kept_result() {
    if (kind_ == kind::value) this->value_.~stored();
    if (kind_ == kind::error) this->error_.~exception_ptr();
  }

  template <class... From>
  void keep(From&&... from) noexcept(std::is_nothrow_constructible_v<stored, From...>) {
    ::new (static_cast<void*>(std::addressof(this->value_))) stored(std::forward<From>(from)...);
    kind_ = kind::value;
  }
  void keep_error(std::exception_ptr error) noexcept {
    if (kind_ == kind::value) this->value_.~stored();  // what was destroyed after the value was there has thrown
    ::new (static_cast<void*>(std::addressof(this->error_))) std::exception_ptr(std::move(error));
    kind_ = kind::error;
  }
  [[nodiscard]] std::exception_ptr error() const noexcept { return kind_ == kind::error ? this->error_ : nullptr; }
  [[nodiscard]] bool has_value() const noexcept { return kind_ == kind::value; }
  // Once, when something is kept.
  R take() {
    if (kind_ == kind::error) [[unlikely]]
      std::rethrow_exception(this->error_);
    if constexpr (base::is_reference) {
      return static_cast<R>(*this->value_);
    } else if constexpr (!std::is_void_v<R>) {
      return std::move(this->value_);
    }
  }
  // The same, `void` as a value.
  value_of<R> take_value() {
    if constexpr (std::is_void_v<R>) {
      take();
      return {};
    } else {
      return take();
    }
  }

 private:
  enum class kind : std::uint8_t { none, value, error };
  kind kind_ = kind::none;
};

}  // namespace pilfer::detail
