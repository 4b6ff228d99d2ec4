#pragma once

namespace pilfer::lab {

// No instruction; but the compiler must assume that all memory was looked at and changed here.
inline void compiler_barrier() noexcept { __asm__ volatile("" ::: "memory"); }

}  // namespace pilfer::lab
