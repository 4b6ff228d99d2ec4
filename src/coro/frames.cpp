#include <pilfer/detail/coro_frames.hpp>
#include <pilfer/detail/immovable.hpp>

namespace pilfer::detail {

namespace {

enum class phase : unsigned char { new_thread, keeping, ended };
constinit thread_local phase this_thread = phase::new_thread;

// Not under AddressSanitizer, so that a use after free is seen.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool reuses = false;
#elif defined(__has_feature)
constexpr bool reuses = !__has_feature(address_sanitizer);
#else
constexpr bool reuses = true;
#endif

}  // namespace

struct coro_frames::sweeper : immovable {
  sweeper() noexcept {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      shelves_[kind].hot = nothing;
      shelves_[kind].room = most_kept_bytes / ((kind + 1) * unit_bytes);
    }
    this_thread = phase::keeping;
  }
  ~sweeper() {
    this_thread = phase::ended;
    for (shelf& each : shelves_) {
      if (each.hot > nothing) ::operator delete(reinterpret_cast<void*>(each.hot));
      while (each.others != nullptr) {
        block* const first = each.others;
        each.others = first->next;
        ::operator delete(first);
      }
      each = {.hot = closed, .others = nullptr, .room = 0};
    }
  }
};

void* coro_frames::allocate_slowly(std::size_t bytes, std::size_t kind) {
  if (kind >= kinds) return ::operator new(bytes);
  shelf& mine = shelves_[kind];
  if (mine.others == nullptr) return ::operator new((kind + 1) * unit_bytes);
  block* const first = mine.others;
  mine.others = first->next;
  ++mine.room;
  return first;
}

void coro_frames::free_slowly(void* memory, std::size_t kind) noexcept {
  if (kind < kinds) {
    if (reuses && this_thread == phase::new_thread) {
      static thread_local const sweeper at_end;
      static_cast<void>(at_end);
    }
    shelf& mine = shelves_[kind];
    if (mine.room != 0) {
      mine.others = ::new (memory) block{mine.others};
      --mine.room;
      return;
    }
  }
  ::operator delete(memory);
}

}  // namespace pilfer::detail
