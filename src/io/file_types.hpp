// The system's words for files in ours.
#pragma once

#include <sys/stat.h>

#include <pilfer/io/file_status.hpp>

namespace pilfer::io::detail {

[[nodiscard]] file_type type_of_mode(unsigned mode) noexcept;
[[nodiscard]] file_type type_of_entry(unsigned char type) noexcept;  // d_type
[[nodiscard]] file_status status_of(const struct ::statx& found) noexcept;

}  // namespace pilfer::io::detail
