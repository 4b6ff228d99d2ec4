#include "task_memory.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#if PILFER_POISONS
#include <sanitizer/asan_interface.h>
#endif

namespace pilfer::detail {

namespace {
constexpr std::size_t reserved_bytes =
    64;  // of a chunk, for what the allocator keeps beside it: so chunks lie side by side
constexpr std::size_t carved_at_once = 8;  // blocks of a chunk that no task has used yet
}  // namespace

constinit task_memory::chunk task_memory::none_{};
constinit thread_local task_memory* task_memory::of_thread_ = nullptr;

#if PILFER_POISONS
void task_memory::poison(block* memory, std::size_t bytes) noexcept {
  ASAN_POISON_MEMORY_REGION(memory + 1, bytes - sizeof(block));
}
void task_memory::unpoison(block* memory, std::size_t bytes) noexcept { ASAN_UNPOISON_MEMORY_REGION(memory, bytes); }
#endif

task_memory::task_memory() noexcept { current_.fill(&none_); }

task_memory::pointer task_memory::make() noexcept { return pointer(new (std::nothrow) task_memory); }

namespace {
thread_local constinit bool is_thread_ending = false;  // no member of what ends: it is read afterwards
}

struct task_memory::end_of_thread {
  ~end_of_thread() {
    is_thread_ending = true;
    if (task_memory* const mine = std::exchange(of_thread_, nullptr)) mine->abandon();
  }
};

void* task_memory::allocate_outside(unsigned size) noexcept {
  if (of_thread_ == nullptr) {
    // What a thread submits while its thread-local objects end is out of a memory that all of them share.
    if (is_thread_ending) {
      static std::mutex mutex;
      static task_memory* const shared = make().release();  // never ends: threads may outlive every static object
      if (shared == nullptr) return nullptr;
      const std::lock_guard lock(mutex);
      return shared->allocate(size);
    }
    static thread_local const end_of_thread ending;
    static_cast<void>(&ending);  // makes it
    of_thread_ = make().release();
    if (of_thread_ == nullptr) return nullptr;
  }
  return of_thread_->allocate(size);
}

void* task_memory::allocate_slowly(unsigned size) noexcept {
  chunk* from = current_[size];
  const std::size_t end = chunk_bytes - reserved_bytes;
  if (from->free == nullptr && from != &none_) {
    for (std::size_t i = 0; i < carved_at_once && from->unused + from->block_bytes <= end; ++i) {
      auto* const fresh = ::new (reinterpret_cast<std::byte*>(from) + from->unused) block;
      fresh->next.set(std::exchange(from->free, fresh));
      poison(fresh, from->block_bytes);
      from->unused += from->block_bytes;
    }
  }
  if (from->free == nullptr) take_back(returned_.take());
  if (from->free == nullptr) {
    chunk* next = with_room_[size];
    if (next != nullptr) {
      unlink(with_room_[size], *next);
      if (next->used == 0) --empty_[size];
    } else {
      next = make_chunk(size);
      if (next == nullptr) return nullptr;
    }
    if (from != &none_) {
      from->is_full = true;
      from->alarm = from->used - 1;
      link(full_[size], *from);
    }
    current_[size] = next;
    return allocate_slowly(size);
  }
  block* const first = from->free;
  unpoison(first, from->block_bytes);
  from->free = first->next.get();
  ++from->used;
  return first;
}

task_memory::chunk* task_memory::make_chunk(unsigned size) noexcept {
  void* const room = ::operator new(chunk_bytes - reserved_bytes, std::align_val_t{chunk_bytes}, std::nothrow);
  if (room == nullptr) return nullptr;
  ++chunks_;
  return ::new (room) chunk{.owner = this,
                            .free = nullptr,
                            .used = 0,
                            .alarm = 0,
                            .block_bytes = task_block_sizes[size],
                            .size = size,
                            .unused = header_bytes,
                            .is_full = false,
                            .newer = nullptr,
                            .older = nullptr};
}

void task_memory::give_back(chunk& home, block& back) noexcept {
  if (home.owner->returned_.give(back)) home.owner->destroy();
}

// A full chunk has room again, or nothing of one with room is used any more.
void task_memory::notice(chunk& each) noexcept {
  const unsigned size = each.size;
  if (each.is_full) {
    each.is_full = false;
    each.alarm = 0;
    unlink(full_[size], each);
    link(with_room_[size], each);
    return;
  }
  if (&each == current_[size]) return;
  if (empty_[size] != empty_chunks_kept) {
    ++empty_[size];
    return;
  }
  unlink(with_room_[size], each);
  release(each);
}

void task_memory::link(chunk*& list, chunk& each) noexcept {
  each.newer = nullptr;
  each.older = list;
  if (list != nullptr) list->newer = &each;
  list = &each;
}
void task_memory::unlink(chunk*& list, chunk& each) noexcept {
  (each.newer != nullptr ? each.newer->older : list) = each.older;
  if (each.older != nullptr) each.older->newer = each.newer;
}

void task_memory::release(chunk& each) noexcept {
  --chunks_;
#if PILFER_POISONS
  ASAN_UNPOISON_MEMORY_REGION(&each, chunk_bytes - reserved_bytes);
#endif
  ::operator delete(&each, std::align_val_t{chunk_bytes});
}

void task_memory::take_back(block* all) noexcept {
  while (all != nullptr) {
    block* const next = all->next.get();
    free(all, this);
    all = next;
  }
}

void task_memory::collect() noexcept { take_back(returned_.take()); }

template <class F>
void task_memory::for_each_chunk(F&& f) noexcept {
  for (unsigned size = 0; size < sizes; ++size) {
    if (current_[size] != &none_) f(*current_[size]);
    for (chunk* const list : {with_room_[size], full_[size]}) {
      for (chunk* each = list; each != nullptr;) f(*std::exchange(each, each->older));
    }
  }
}

void task_memory::abandon() noexcept {
  take_back(returned_.abandon());
  std::size_t missing = 0;
  for_each_chunk([&](const chunk& each) { missing += each.used; });
  if (returned_.end(missing)) destroy();
}

void task_memory::destroy() noexcept {
  for_each_chunk([this](chunk& each) { release(each); });
  delete this;
}

}  // namespace pilfer::detail
