// What model_sync asks of the checker: one call per operation, everything as 64-bit words.
#pragma once

#include <array>
#include <atomic>  // std::memory_order
#include <cstddef>
#include <cstdint>
#include <source_location>

namespace pilfer::model::operations {

using std::memory_order;
using where = std::source_location;

// What an atomic of the model is: its location's number, in every copy of its memory that the program can reach.
struct location {
  std::uint32_t number;
};

void create(location& self, std::uint64_t value, const char* name) noexcept;
void destroy(location& self) noexcept;
[[nodiscard]] std::uint64_t load(const location& at, memory_order order, const where& site) noexcept;
void store(location& at, std::uint64_t value, memory_order order, const where& site) noexcept;
[[nodiscard]] std::uint64_t exchange(location& at, std::uint64_t value, memory_order order, const where& site) noexcept;
// Adds modulo 2^(8 * bytes).
[[nodiscard]] std::uint64_t fetch_add(location& at, std::uint64_t value, std::size_t bytes, memory_order order,
                                      const where& site) noexcept;
[[nodiscard]] bool compare_exchange(location& at, std::uint64_t& expected, std::uint64_t desired, memory_order success,
                                    memory_order failure, bool weak, const where& site) noexcept;
void fence(memory_order order, const where& site) noexcept;
[[nodiscard]] bool asymmetric_fences() noexcept;
void light_fence() noexcept;
[[nodiscard]] bool heavy_fence(const where& site) noexcept;
void pause(const where& site) noexcept;

void lock(location& at, const where& site) noexcept;
void unlock(location& at, const where& site) noexcept;
[[nodiscard]] bool futex_wait(const location& at, std::uint64_t expected, bool timed, const where& site) noexcept;
[[nodiscard]] std::size_t futex_wake(const location& at, std::size_t count, const where& site) noexcept;
[[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
void deallocate(void* memory) noexcept;

// Who wrote a cell and who read it, by their clocks.
struct cell_history {
  static constexpr std::uint8_t unwritten = 0xff;
  static constexpr std::uint8_t dead = 0xfe;
  std::uint8_t writer = unwritten;
  std::uint16_t written = 0;
  std::array<std::uint16_t, 8> read{};
};
void read_cell(cell_history& history, const where& site) noexcept;
void write_cell(cell_history& history, const where& site) noexcept;
void destroy_cell(cell_history& history) noexcept;

}  // namespace pilfer::model::operations
