// Reading small files of the kernel, below a root that a test can replace.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace pilfer::topology {

// Nothing when there is no such file, or it cannot be read: never a reason to fail, only to know less. (A stream would
// throw when the kernel refuses a read, as it does in a cgroup that is gone.)
[[nodiscard]] inline std::optional<std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) text.append(piece.data(), got);
  if (std::ferror(file.get()) != 0) return std::nullopt;
  return text;
}

// Without the blanks and line ends around it.
[[nodiscard]] inline std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Takes what stands before the next separator off the front of `rest`; all of it when there is none.
[[nodiscard]] inline std::string_view next_part(std::string_view& rest, char separator) noexcept {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

// The whole text as a number in base ten; nothing when it is anything else, or too large.
template <class Number>
[[nodiscard]] std::optional<Number> to_number(std::string_view text) noexcept {
  Number number{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace pilfer::topology
