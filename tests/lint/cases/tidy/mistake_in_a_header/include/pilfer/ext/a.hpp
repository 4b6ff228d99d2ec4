#pragma once

#include <cstddef>
#include <string>
#include <utility>

inline std::size_t length(std::string text) {
  const std::string other = std::move(text);
  return text.size() + other.size();
}
