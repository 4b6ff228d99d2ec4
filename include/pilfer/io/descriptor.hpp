// Owners of descriptors.
#pragma once

#include <utility>

namespace pilfer::io {

namespace detail {

// Not interrupted, and without a result: who needs that awaits close().
void close_descriptor(int descriptor) noexcept;

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int native) noexcept : native_(native) {}
  descriptor(descriptor&& other) noexcept : native_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~descriptor() { reset(); }

  [[nodiscard]] int native() const noexcept { return native_; }  // -1: none
  [[nodiscard]] bool is_open() const noexcept { return native_ >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(native_, -1); }
  // Requires that no operation on it is under way.
  void reset(int native = -1) noexcept {
    if (native_ >= 0) close_descriptor(native_);
    native_ = native;
  }

 private:
  int native_ = -1;
};

}  // namespace detail

// A file, or what else open() gives.
class [[nodiscard]] file : public detail::descriptor {
 public:
  using descriptor::descriptor;
};

// Made by listen, accept and connect; one of somebody else's need not be non-blocking.
class [[nodiscard]] socket : public detail::descriptor {
 public:
  using descriptor::descriptor;
};

}  // namespace pilfer::io
