// What an operation came to: a value, or why there is none.
//
//   auto got = co_await pilfer::io::read(file.native(), room, 0);
//   if (!got) report(got.error());          // a std::error_code of the system category
//   use(*got);
//
// Requires a T that can be made of nothing: a result that is an error has one.
#pragma once

#include <system_error>
#include <utility>

namespace pilfer::io {

namespace detail {
[[noreturn, gnu::cold]] void throw_error(std::error_code error);  // std::system_error
}

template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;

  result() = default;                                     // an empty value
  result(T value) noexcept : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): return what there is
  result(std::error_code error) noexcept : error_(error) {}  // NOLINT(google-explicit-constructor)
  // Of a number of <cerrno>.
  [[nodiscard]] static result of_errno(int number) noexcept {
    return {std::error_code(number, std::system_category())};
  }

  [[nodiscard]] explicit operator bool() const noexcept { return !error_; }
  [[nodiscard]] bool has_value() const noexcept { return !error_; }
  [[nodiscard]] std::error_code error() const noexcept { return error_; }
  [[nodiscard]] bool is(std::errc kind) const noexcept { return error_ == kind; }

  //   Throws  std::system_error if there is none.
  [[nodiscard]] T& value() & {
    if (error_) detail::throw_error(error_);
    return value_;
  }
  [[nodiscard]] const T& value() const& {
    if (error_) detail::throw_error(error_);
    return value_;
  }
  [[nodiscard]] T&& value() && {
    if (error_) detail::throw_error(error_);
    return std::move(value_);
  }
  [[nodiscard]] T value_or(T other) && { return error_ ? std::move(other) : std::move(value_); }
  // Requires that there is one.
  [[nodiscard]] T& operator*() & noexcept { return value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return value_; }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(value_); }
  [[nodiscard]] T* operator->() noexcept { return &value_; }
  [[nodiscard]] const T* operator->() const noexcept { return &value_; }

 private:
  T value_{};
  std::error_code error_;
};

template <>
class [[nodiscard]] result<void> {
 public:
  using value_type = void;

  result() = default;
  result(std::error_code error) noexcept : error_(error) {}  // NOLINT(google-explicit-constructor): as the others
  [[nodiscard]] static result of_errno(int number) noexcept {
    return {std::error_code(number, std::system_category())};
  }

  [[nodiscard]] explicit operator bool() const noexcept { return !error_; }
  [[nodiscard]] bool has_value() const noexcept { return !error_; }
  [[nodiscard]] std::error_code error() const noexcept { return error_; }
  [[nodiscard]] bool is(std::errc kind) const noexcept { return error_ == kind; }
  void value() const {
    if (error_) detail::throw_error(error_);
  }

 private:
  std::error_code error_;
};

}  // namespace pilfer::io
