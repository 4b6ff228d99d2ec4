// Hashes of files: XXH3-128. Of a large file it is the hash of the hashes of its parts, so that several workers can compute it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <pilfer/coro/task.hpp>

#include "finder.hpp"
#include "settle.hpp"

namespace pilfer::dups {

[[nodiscard]] hash128 hash_of(std::span<const std::byte> bytes);
// As those of a file whose parts have these hashes.
[[nodiscard]] hash128 hash_of_parts(std::span<const hash128> parts);
// How many parts a file has. Of those with less than two full ones: one.
[[nodiscard]] std::uint64_t parts_of(std::uint64_t size, std::uint64_t part_bytes) noexcept;

// What is read of a file at first: all of it, or its first and its last block.
[[nodiscard]] constexpr bool edges_are_all(std::uint64_t size) noexcept { return size <= 2 * block_bytes; }

struct hashed {
  int error = 0;  // as of fill()
  hash128 hash;
};
task<hashed> hash_edges(settling& with, int opened, std::uint64_t size);
// Of [from, to). Holes are not read.
task<hashed> hash_range(settling& with, int opened, bool sparse, std::uint64_t from, std::uint64_t to);

}  // namespace pilfer::dups
