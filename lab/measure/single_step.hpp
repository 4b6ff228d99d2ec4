// Runs a function one instruction at a time and counts the atomic instructions it executes: what an operation really does
// on the path it takes, where the static check of check.py sees all paths at once. x86-64 and Linux only.
//
// The processor's trap flag raises SIGTRAP after every instruction; the handler looks at the bytes of the next one.
#pragma once

#include <csignal>
#include <cstdint>
#include <ostream>

#include <ucontext.h>
#include <x86intrin.h>

namespace pilfer::lab {

// The kinds of expected.txt, and system calls.
struct executed {
  unsigned fences = 0;  // locked instructions on the own stack
  unsigned cas = 0;
  unsigned adds = 0;  // other locked read-modify-writes
  unsigned exchanges = 0;
  unsigned mfences = 0;
  unsigned syscalls = 0;
  unsigned instructions = 0;  // of the function and of about ten around it; not compared

  friend bool operator==(const executed& a, const executed& b) noexcept {
    return a.fences == b.fences && a.cas == b.cas && a.adds == b.adds && a.exchanges == b.exchanges &&
           a.mfences == b.mfences && a.syscalls == b.syscalls;
  }
  friend std::ostream& operator<<(std::ostream& out, const executed& e) {
    return out << "fences " << e.fences << ", cas " << e.cas << ", adds " << e.adds << ", exchanges " << e.exchanges
               << ", mfences " << e.mfences << ", syscalls " << e.syscalls << " in " << e.instructions
               << " instructions";
  }
  [[nodiscard]] unsigned atomic_instructions() const noexcept { return fences + cas + adds + exchanges + mfences; }
};

namespace stepping {

inline executed counts;  // written by the handler, on the only thread of the test

// Decodes as much of one instruction as it takes to tell its kind.
inline void count_instruction(const std::uint8_t* at) noexcept {
  ++counts.instructions;
  bool locked = false;
  bool repeated = false;
  for (;; ++at) {
    if (*at == 0xf0) {
      locked = true;
    } else if (*at == 0xf2 || *at == 0xf3) {
      repeated = true;
    } else if (*at != 0x66 && *at != 0x67 && *at != 0x2e && *at != 0x36 && *at != 0x3e && *at != 0x26 && *at != 0x64 &&
               *at != 0x65) {
      break;
    }
  }
  const bool extended_base = (*at & 0xf0) == 0x40 && (*at & 0x01) != 0;
  if ((*at & 0xf0) == 0x40) ++at;
  const bool two_bytes = *at == 0x0f;
  if (two_bytes) ++at;
  const std::uint8_t opcode = at[0];
  const std::uint8_t mod_rm = at[1];
  const bool in_memory = mod_rm >> 6 != 3;
  const bool on_stack = in_memory && (mod_rm & 7) == 4 && (at[2] & 7) == 4 && !extended_base;  // base register rsp

  const bool exchange = !two_bytes && (opcode == 0x86 || opcode == 0x87) && in_memory;
  if (two_bytes && opcode == 0xae && mod_rm == 0xf0 && !repeated) {
    ++counts.mfences;
  } else if (two_bytes && opcode == 0x05) {
    ++counts.syscalls;
  } else if (locked && two_bytes && (opcode == 0xb0 || opcode == 0xb1 || opcode == 0xc7)) {
    ++counts.cas;
  } else if ((locked || exchange) && on_stack) {
    ++counts.fences;
  } else if (exchange) {
    ++counts.exchanges;
  } else if (locked) {
    ++counts.adds;
  }
}

inline void on_trap(int, siginfo_t*, void* context) noexcept {
  const auto* registers = static_cast<const ucontext_t*>(context);
  const auto next = registers->uc_mcontext.gregs[REG_RIP];
  count_instruction(reinterpret_cast<const std::uint8_t*>(next));
}

}  // namespace stepping

// What calling `function` executes. From one thread only.
template <class Function>
[[gnu::noinline]] executed single_step(Function&& function) {
  constexpr unsigned long long trap_flag = 0x100;
  struct sigaction action{};
  struct sigaction before{};
  action.sa_sigaction = &stepping::on_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  stepping::counts = {};
  __asm__ __volatile__("" ::: "memory");  // the function's memory accesses stay between the flags
  __writeeflags(__readeflags() | trap_flag);
  __asm__ __volatile__("nop" ::: "memory");  // the first trap comes after one more instruction
  function();
  __writeeflags(__readeflags() & ~trap_flag);
  __asm__ __volatile__("" ::: "memory");
  sigaction(SIGTRAP, &before, nullptr);
  return stepping::counts;
}

}  // namespace pilfer::lab
