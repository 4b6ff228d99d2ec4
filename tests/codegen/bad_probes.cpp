// Machine code that check.py must reject, each function for a reason of its own.
#include <atomic>
#include <cstdint>

namespace {
struct wide_item {
  std::uint64_t low;
  std::uint64_t high;
};
std::uint64_t word;
}  // namespace

extern "C" {

// A fence, an exchange and an mfence where the table wants none.
[[gnu::noinline]] bool abp_push(std::atomic<std::uint64_t>& a) {
  std::atomic<int> own_line{0};
  own_line.exchange(1, std::memory_order_seq_cst);
  __builtin_ia32_mfence();
  return a.exchange(1, std::memory_order_relaxed) == 0;
}

// Not the same instructions.
[[gnu::noinline]] void native_store(std::atomic<std::uint64_t>& a) { a.store(1, std::memory_order_seq_cst); }
[[gnu::noinline]] void plain_store(std::atomic<std::uint64_t>& a) { a.store(1, std::memory_order_release); }

// 16 bytes in one atomic go through libatomic.
[[gnu::noinline]] void wide_store(std::atomic<wide_item>& a) { a.store({word, word}, std::memory_order_relaxed); }
}
