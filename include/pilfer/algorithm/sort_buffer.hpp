// Memory for values while they are sorted. None is no error: every algorithm can do without.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

#include <pilfer/ext/immovable.hpp>

namespace pilfer::detail {

// Uninitialized room for `size` values, or none. Ends no values: whoever made them does.
template <class T>
class sort_buffer : ext::immovable {
 public:
  explicit sort_buffer(std::size_t size) noexcept {
    if (size > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) return;
    memory_ = ::operator new(size * sizeof(T), std::align_val_t(alignof(T)), std::nothrow);
  }
  ~sort_buffer() { ::operator delete(memory_, std::align_val_t(alignof(T))); }

  [[nodiscard]] explicit operator bool() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(memory_); }

 private:
  void* memory_ = nullptr;
};

}  // namespace pilfer::detail
