// Collects a report, so that it leaves in few and large pieces.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "output.hpp"

namespace pilfer::dups {

class buffered {
 public:
  explicit buffered(const sink& to) : to_(to) {}
  template <class... Args>
  void add(fmt::format_string<Args...> pattern, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), pattern, std::forward<Args>(args)...);
    if (text_.size() >= limit_bytes) flush();
  }
  // Call it at the end: the destructor does not, since the sink may throw.
  void flush() {
    if (!text_.empty()) to_(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t limit_bytes = std::size_t{64} << 10;
  const sink& to_;
  std::string text_;
};

}  // namespace pilfer::dups
