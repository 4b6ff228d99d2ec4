#include "words.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace pilfer::dups {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

[[nodiscard]] unsigned byte_at(std::string_view bytes, std::size_t i) noexcept {
  return static_cast<unsigned char>(bytes[i]);
}

struct character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // 0: the first byte begins none
};

character next_character(std::string_view bytes) noexcept {
  const unsigned first = byte_at(bytes, 0);
  if (first < 0x80) return {first, 1};
  std::size_t length = 0;
  std::uint32_t code = 0;
  std::uint32_t least = 0;  // below it a shorter form would do
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2, code = first & 0x1F, least = 0x80;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3, code = first & 0x0F, least = 0x800;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4, code = first & 0x07, least = 0x10000;
  }
  if (length == 0 || bytes.size() < length) return {};
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(bytes, i);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least || surrogate || code > 0x10FFFF) return {};
  return {code, length};
}

// What a terminal acts upon, or what changes the direction of the text around it.
bool is_harmless(std::uint32_t code) noexcept {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  const bool direction = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  const bool line = code == 0x2028 || code == 0x2029;
  return !direction && !line && code != 0x200E && code != 0x200F && code != 0xFEFF;
}

}  // namespace

bool is_utf8(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const std::size_t length = next_character(bytes).length;
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string as_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = next_character(bytes).length;
    text += length == 0 ? replacement : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string as_hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) fmt::format_to(std::back_inserter(text), "{:02x}", byte_at(bytes, i));
  return text;
}

std::string shown(std::string_view name) {
  bool plain = true;
  for (std::string_view rest = name; plain && !rest.empty();) {
    const character next = next_character(rest);
    plain = next.length != 0 && is_harmless(next.code);
    rest.remove_prefix(next.length == 0 ? 1 : next.length);
  }
  if (name.empty()) return "''";
  if (plain && !name.starts_with("$'")) return std::string(name);
  std::string text = "$'";
  while (!name.empty()) {
    const character next = next_character(name);
    const std::size_t length = next.length == 0 ? 1 : next.length;
    if (next.code == '\n') {
      text += "\\n";
    } else if (next.code == '\t') {
      text += "\\t";
    } else if (next.code == '\'' || next.code == '\\') {
      text += '\\';
      text += name.front();
    } else if (next.length != 0 && is_harmless(next.code)) {
      text += name.substr(0, length);
    } else {
      for (std::size_t i = 0; i < length; ++i)
        fmt::format_to(std::back_inserter(text), "\\{:03o}", byte_at(name, i));  // octal ends by itself, \x would not
    }
    name.remove_prefix(length);
  }
  return text + "'";
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1023.95 && unit + 1 < units.size()) {  // what would be printed as 1024.0
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string seconds_text(double seconds) {
  constexpr double limit = 100 * 3600.0;
  if (!(seconds >= 0)) return "0.0 s";
  if (seconds >= limit) return "days";
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<unsigned>(std::lround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error != std::errc{}) return std::nullopt;
  std::string_view unit(stopped, static_cast<std::size_t>(end - stopped));
  if (unit.empty() || unit == "B") return value;
  constexpr std::string_view letters = "KMGTP";
  const char letter = unit.front() == 'k' ? 'K' : unit.front();
  const std::size_t power = letters.find(letter);
  if (power == std::string_view::npos) return std::nullopt;
  unit.remove_prefix(1);
  if (!unit.empty() && unit != "B" && unit != "iB") return std::nullopt;
  const std::uint64_t factor = std::uint64_t{1} << 10 * (power + 1);
  if (value > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return value * factor;
}

}  // namespace pilfer::dups
