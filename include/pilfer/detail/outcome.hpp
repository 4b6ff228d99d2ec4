// What a call returns or throws, kept until it is wanted.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

namespace pilfer::detail {

// `void` as a value, so that the rest of the code has one case.
template <class R>
using value_of = std::conditional_t<std::is_void_v<R>, std::monostate, R>;

template <class R, class F>
[[gnu::always_inline]] inline value_of<R> call_for_value(F&& f) noexcept(noexcept(std::forward<F>(f)())) {
  if constexpr (std::is_void_v<R>) {
    std::forward<F>(f)();
    return {};
  } else {
    return std::forward<F>(f)();
  }
}

// Room for a result or an exception. Nothing is initialized until one of them is there: most forks need neither.
template <class R, bool Nothrow = false>
class outcome {
 protected:
  static constexpr bool is_reference = std::is_reference_v<R>;
  using stored = std::conditional_t<is_reference, std::add_pointer_t<R>, value_of<R>>;

 public:
  outcome() noexcept {}  // NOLINT(modernize-use-equals-default): the union stays as it is
  ~outcome() {}          // NOLINT(modernize-use-equals-default): take or discard ends what is in it
  outcome(const outcome&) = delete;
  outcome& operator=(const outcome&) = delete;

  template <class F>
  // NOLINTNEXTLINE(bugprone-exception-escape): a callable that is said not to throw, and throws, ends the program
  void keep_result_of(F&& f) noexcept {
#if defined(__cpp_exceptions)
    if constexpr (!Nothrow) {
      try {
        construct(std::forward<F>(f));
        has_value_ = true;
      } catch (...) {
        ::new (static_cast<void*>(std::addressof(error_))) std::exception_ptr(std::current_exception());
        has_value_ = false;
      }
      return;
    }
#endif
    construct(std::forward<F>(f));
    has_value_ = true;
  }

  // Once, after keep_result_of. Throws what was kept.
  [[nodiscard]] value_of<R> take() noexcept(Nothrow && std::is_nothrow_move_constructible_v<value_of<R>>) {
    if constexpr (!Nothrow) {
      if (!has_value_) rethrow();
    }
    if constexpr (is_reference) {
      return static_cast<R>(*value_);
    } else {
      if constexpr (std::is_trivially_copyable_v<stored>) return value_;
      struct ender {
        stored& value;
        ~ender() { value.~stored(); }
      };
      const ender at_end{value_};
      return std::move(value_);
    }
  }
  // Once, instead of take. True: it was an exception.
  bool discard() noexcept {
    if (has_value_) {
      value_.~stored();
      return false;
    }
    error_.~exception_ptr();
    return true;
  }

 private:
  template <class F>
  void construct(F&& f) {
    if constexpr (is_reference) {
      value_ = std::addressof(std::forward<F>(f)());
    } else {
      ::new (static_cast<void*>(std::addressof(value_))) stored(call_for_value<R>(std::forward<F>(f)));
    }
  }
  [[noreturn, gnu::noinline, gnu::cold]] void rethrow() {
    std::exception_ptr error = std::move(error_);
    error_.~exception_ptr();
    std::rethrow_exception(std::move(error));
  }

  bool has_value_;

 protected:
  union {
    stored value_;
    std::exception_ptr error_;
  };
};

}  // namespace pilfer::detail
