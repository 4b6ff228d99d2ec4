// Bytes in a row, taken off at the front and added at the back; keeps its memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace pilfer::serve {

class byte_buffer {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::string_view view() const noexcept { return {memory_.get() + begin_, size()}; }
  [[nodiscard]] char* data() noexcept { return memory_.get() + begin_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return std::as_bytes(std::span(memory_.get() + begin_, size()));
  }

  // At least `count` bytes behind the content, to be written and then added. Moves the content if need be.
  [[nodiscard]] std::span<char> room(std::size_t count) {
    if (capacity_ - end_ < count) make_room(count);
    return {memory_.get() + end_, capacity_ - end_};
  }
  void add(std::size_t count) noexcept { end_ += count; }

  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()).data(), text.data(), text.size());
    end_ += text.size();
  }

  void take(std::size_t count) noexcept {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  // Takes away what is behind the first `count` bytes.
  void keep(std::size_t count) noexcept { end_ = begin_ + count; }
  void clear() noexcept { begin_ = end_ = 0; }

  // Gives back memory beyond `most`, if it is empty.
  void shrink(std::size_t most) noexcept {
    if (!empty() || capacity_ <= most) return;
    memory_.reset();
    begin_ = end_ = capacity_ = 0;
  }

 private:
  static constexpr std::size_t least = 4096;

  void make_room(std::size_t count) {
    const std::size_t held = size();
    if (capacity_ - held >= count) {
      if (held != 0) std::memmove(memory_.get(), memory_.get() + begin_, held);
    } else {
      std::size_t wanted = capacity_ < least ? least : capacity_ * 2;
      while (wanted - held < count) wanted *= 2;
      std::unique_ptr<char[]> more(new char[wanted]);  // not cleared
      if (held != 0) std::memcpy(more.get(), memory_.get() + begin_, held);
      memory_ = std::move(more);
      capacity_ = wanted;
    }
    begin_ = 0;
    end_ = held;
  }

  std::unique_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace pilfer::serve
