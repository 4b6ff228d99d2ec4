// Which bytes may stand where in a head (RFC 9110, 5.5 and 5.6.2), and comparison without case.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace pilfer::serve {
namespace characters {

inline constexpr unsigned char token = 1;   // of a method or of a field's name
inline constexpr unsigned char value = 2;   // of a field's value: also tab, blank, and bytes above ASCII
inline constexpr unsigned char target = 4;  // of a target: what is visible in ASCII
inline constexpr unsigned char digit = 8;

[[nodiscard]] constexpr std::array<unsigned char, 256> make_classes() {
  std::array<unsigned char, 256> all{};
  for (unsigned c = 0; c < 256; ++c) {
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_visible = c > 0x20 && c < 0x7f;
    bool in_token = is_digit || is_letter;
    for (const char mark : std::string_view("!#$%&'*+-.^_`|~")) in_token = in_token || c == static_cast<unsigned>(mark);
    all[c] = static_cast<unsigned char>((in_token ? token : 0) |
                                        (is_visible || c >= 0x80 || c == ' ' || c == '\t' ? value : 0) |
                                        (is_visible ? target : 0) | (is_digit ? digit : 0));
  }
  return all;
}
inline constexpr std::array<unsigned char, 256> classes = make_classes();

[[nodiscard]] inline bool is(char c, unsigned char of) { return (classes[static_cast<unsigned char>(c)] & of) != 0; }

}  // namespace characters

// Whether all bytes are of that class; true of none.
[[nodiscard]] inline bool all_of_class(std::string_view text, unsigned char of) {
  unsigned char both = of;
  for (const char c : text)
    both = static_cast<unsigned char>(both & characters::classes[static_cast<unsigned char>(c)]);
  return both != 0;
}

[[nodiscard]] constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Returns the value of a hexadecimal digit, or -1 if the character is not one.
[[nodiscard]] constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// `small` is in lower case already.
[[nodiscard]] constexpr bool same_word(std::string_view text, std::string_view small) {
  if (text.size() != small.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != small[i]) return false;
  }
  return true;
}

// Without blanks and tabs at both ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes the next element off a list separated by commas, trimmed; elements may be empty.
[[nodiscard]] constexpr std::string_view next_element(std::string_view& list) {
  const std::size_t comma = list.find(',');
  const std::string_view one = trimmed(list.substr(0, comma));
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  return one;
}

}  // namespace pilfer::serve
