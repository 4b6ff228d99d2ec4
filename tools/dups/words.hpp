// File names and amounts as people and programs read them. A name is bytes: any but '/' and 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pilfer::dups {

// Whether these bytes are UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;
// The same bytes if they are UTF-8; otherwise each byte that does not belong becomes U+FFFD.
[[nodiscard]] std::string as_utf8(std::string_view bytes);
[[nodiscard]] std::string as_hex(std::string_view bytes);

// For a terminal: as it is where that cannot mislead, otherwise as $'...', which bash, zsh and ksh read back.
[[nodiscard]] std::string shown(std::string_view name);

// "1.5 MiB", "512 B"
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
// "3 files", "1 file"
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view what);
// "0.3 s", "2 min 5 s", "3 h 10 min"
[[nodiscard]] std::string seconds_text(double seconds);

// "512", "4K", "1.5M" is none: whole numbers, units of 1024 bytes (K, M, G, T, also as KiB, or kB).
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept;

}  // namespace pilfer::dups
