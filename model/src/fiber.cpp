#include "fiber.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PILFER_MODEL_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define PILFER_MODEL_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PILFER_MODEL_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define PILFER_MODEL_TSAN 1
#endif
#if defined(PILFER_MODEL_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(PILFER_MODEL_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace pilfer::model {
namespace {
// The fiber that a switch came from: what begins or continues on the other side has to tell the sanitizer.
thread_local fiber* came_from = nullptr;
thread_local fiber* going_to = nullptr;
}  // namespace

void fiber_entered([[maybe_unused]] fiber& self) {
#if defined(PILFER_MODEL_ASAN)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(self.fake_stack_, &bottom, &size);
  self.fake_stack_ = nullptr;
  if (came_from->stack_ == nullptr) {
    came_from->bottom_ = bottom;
    came_from->size_ = size;
  }
#endif
}

#if defined(__x86_64__)
// void pilfer_model_switch(void** save_here, void* continue_there): the registers a function must keep, and the stack.
extern "C" void pilfer_model_switch(void** save_here, void* continue_there);
__asm__(
    ".text\n"
    ".globl pilfer_model_switch\n"
    ".type pilfer_model_switch,@function\n"
    "pilfer_model_switch:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n"
    ".size pilfer_model_switch,.-pilfer_model_switch\n");
#endif

fiber::~fiber() {
  std::free(stack_);
#if defined(PILFER_MODEL_TSAN)
  if (stack_ != nullptr && tsan_ != nullptr) __tsan_destroy_fiber(tsan_);
#endif
#if !defined(__x86_64__)
  delete static_cast<ucontext_t*>(saved_);
#endif
}

void fiber_trampoline() {
  fiber_entered(*going_to);
  going_to->start();
}

void fiber::start() {
  entry_(argument_);
  std::abort();  // an entry ends by a switch
}

void fiber::begin(void (*entry)(void*), void* argument) {
  if (stack_ == nullptr) {
    stack_ = static_cast<std::byte*>(std::aligned_alloc(64, stack_bytes));
    if (stack_ == nullptr) throw std::bad_alloc();
    bottom_ = stack_;
    size_ = stack_bytes;
  }
#if defined(PILFER_MODEL_ASAN)
  __asan_unpoison_memory_region(stack_, stack_bytes);  // what an abandoned execution left
  fake_stack_ = nullptr;
#endif
#if defined(PILFER_MODEL_TSAN)
  if (tsan_ != nullptr) __tsan_destroy_fiber(tsan_);
  tsan_ = __tsan_create_fiber(0);
#endif
  entry_ = entry;
  argument_ = argument;
#if defined(__x86_64__)
  // As if it had been switched away from just before fiber_trampoline(): six registers, a return address, and the alignment
  // that a called function finds.
  auto* top = reinterpret_cast<std::uint64_t*>(stack_ + stack_bytes);
  *--top = 0;
  *--top = reinterpret_cast<std::uint64_t>(&fiber_trampoline);
  for (int i = 0; i < 6; ++i) *--top = 0;
  saved_ = top;
#else
  if (saved_ == nullptr) saved_ = new ucontext_t;
  auto* context = static_cast<ucontext_t*>(saved_);
  getcontext(context);
  context->uc_stack.ss_sp = stack_;
  context->uc_stack.ss_size = stack_bytes;
  context->uc_link = nullptr;
  makecontext(context, &fiber_trampoline, 0);
#endif
}

void fiber::switch_to(fiber& to) {
  came_from = this;
  going_to = &to;
#if defined(PILFER_MODEL_ASAN)
  __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.size_);
#endif
#if defined(PILFER_MODEL_TSAN)
  if (tsan_ == nullptr) tsan_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.tsan_, 0);
#endif
#if defined(__x86_64__)
  pilfer_model_switch(&saved_, to.saved_);
#else
  if (saved_ == nullptr) saved_ = new ucontext_t;
  swapcontext(static_cast<ucontext_t*>(saved_), static_cast<ucontext_t*>(to.saved_));
#endif
  fiber_entered(*this);
}

}  // namespace pilfer::model
