#include "lab/page/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pilfer::lab::page {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Those of DejaVu Sans and Verdana, the widest of the fonts that are asked for.
double character_width(char c) {
  constexpr std::string_view thin = "iljI.,:;'|!()[] ftr/";
  constexpr std::string_view broad = "mwMW@%";
  if (continues_character(c)) return 0;
  if (static_cast<unsigned char>(c) >= 0x80U) return 0.8;
  if (thin.find(c) != std::string_view::npos) return 0.42;
  if (broad.find(c) != std::string_view::npos) return 0.98;
  if (c >= 'A' && c <= 'Z') return 0.74;
  return 0.64;
}

// The next piece that must stay together, with the separator at its end.
std::size_t piece_end(std::string_view text, std::size_t from) {
  const std::size_t found = text.find_first_of(" /-_,", from);
  return found == std::string_view::npos ? text.size() : found + 1;
}

std::string_view without_end_blank(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), "\u202f");
  }
  return (value < 0 ? "−" : "") + digits;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '/':
        // Nothing in the report looks like an address, so that nobody wonders whether it asks the network.
        out += out.ends_with(':') || out.ends_with(":&#47;") ? "&#47;" : "/";
        break;
      default:
        // Control characters are not allowed in HTML.
        if (static_cast<unsigned char>(c) >= 0x20U || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string script_safe(std::string_view json_text) {
  std::string out;
  out.reserve(json_text.size());
  // '<' and '/' occur in JSON only within strings, where they may be written so.
  for (const char c : json_text) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '/' && out.ends_with(':')) {
      out += "\\/";
    } else {
      out += c;
    }
  }
  return out;
}

std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (letter || capital) {
      out += capital ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "x" : out;
}

std::string figure(double value) {
  if (!std::isfinite(value)) return "–";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e9 || size < 1e-4) return fmt::format("{:.3g}", value);
  if (size >= 1000) return grouped(value);
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 6);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (value == std::trunc(value)) text = fmt::format("{:.0f}", value);
  return text;
}

std::string plain(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string(); }

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", std::isfinite(value) ? value : 0.0);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string unit_of(std::string_view axis_label) {
  const std::size_t open = axis_label.rfind('(');
  if (open == std::string_view::npos || !axis_label.ends_with(')')) return {};
  return std::string(axis_label.substr(open + 1, axis_label.size() - open - 2));
}

double text_width(std::string_view text) {
  double width = 0;
  for (const char c : text) width += character_width(c);
  return width;
}

std::vector<std::string> wrapped(std::string_view text, double width) {
  std::vector<std::string> lines;
  std::string line;
  const auto flush = [&] {
    const std::string_view kept = without_end_blank(line);
    if (!kept.empty()) lines.emplace_back(kept);
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = piece_end(text, at);
    const std::string_view piece = text.substr(at, end - at);
    if (text_width(line) + text_width(without_end_blank(piece)) > width) flush();
    if (text_width(without_end_blank(piece)) <= width) {
      line += piece;
      at = end;
      continue;
    }
    // Longer than a line: as many characters as fit, one at least.
    std::size_t stop = at + 1;
    while (stop < end && (continues_character(text[stop]) || text_width(text.substr(at, stop + 1 - at)) <= width))
      ++stop;
    lines.emplace_back(text.substr(at, stop - at));
    at = stop;
  }
  flush();
  return lines;
}

}  // namespace pilfer::lab::page
