#include <cstddef>
#include <string>
#include <utility>

namespace {
std::size_t length(std::string text) {
  const std::string other = std::move(text);
  return text.size() + other.size();
}
}  // namespace

int main() { return length("") == 0 ? 0 : 1; }
