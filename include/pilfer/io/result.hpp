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

// What every result has: whether there is a value, and why not.
class result_base {
 public:
  [[nodiscard]] explicit operator bool() const noexcept { return !error_; }
  [[nodiscard]] bool has_value() const noexcept { return !error_; }
  [[nodiscard]] std::error_code error() const noexcept { return error_; }
  [[nodiscard]] bool is(std::errc kind) const noexcept { return error_ == kind; }

 protected:
  result_base() = default;
  explicit result_base(std::error_code error) noexcept : error_(error) {}
  // That result, unless it is an error: then it is thrown.
  template <class Result>
  [[nodiscard]] static Result& checked(Result& of) {
    if (of.error_) throw_error(of.error_);
    return of;  // NOLINT(bugprone-return-const-ref-from-parameter): the object itself
  }

 private:
  std::error_code error_;
};

}  // namespace detail

template <class T>
class [[nodiscard]] result : public detail::result_base {
 public:
  using value_type = T;

  result() = default;                                     // an empty value
  result(T value) noexcept : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): return what there is
  result(std::error_code error) noexcept : result_base(error) {}  // NOLINT(google-explicit-constructor)
  // Of a number of <cerrno>.
  [[nodiscard]] static result of_errno(int number) noexcept {
    return {std::error_code(number, std::system_category())};
  }

  //   Throws  std::system_error if there is none.
  [[nodiscard]] T& value() & { return checked(*this).value_; }
  [[nodiscard]] const T& value() const& { return checked(*this).value_; }
  [[nodiscard]] T&& value() && { return std::move(checked(*this).value_); }
  [[nodiscard]] T value_or(T other) && { return has_value() ? std::move(value_) : std::move(other); }
  // Requires that there is one.
  [[nodiscard]] T& operator*() & noexcept { return value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return value_; }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(value_); }
  [[nodiscard]] T* operator->() noexcept { return &value_; }
  [[nodiscard]] const T* operator->() const noexcept { return &value_; }

 private:
  T value_{};
};

template <>
class [[nodiscard]] result<void> : public detail::result_base {
 public:
  using value_type = void;

  result() = default;
  result(std::error_code error) noexcept : result_base(error) {}  // NOLINT(google-explicit-constructor): as the others
  [[nodiscard]] static result of_errno(int number) noexcept {
    return {std::error_code(number, std::system_category())};
  }
  void value() const { static_cast<void>(checked(*this)); }
};

}  // namespace pilfer::io
